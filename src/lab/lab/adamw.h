// One step of AdamW over a run of weights, and the rate of each step.
#pragma once
#include <cstddef>
#include <cstdint>

namespace phasor::lab {

/// The settings of a step.
struct Adam {
  double beta1, beta2;
  double epsilon;
  double step;   // 1, 2, ...
  double share;  // of the gradients, which clipping has left
};

/// The square root of the sum of squares, in double, in the order of the numbers.
double norm(const float* x, std::size_t count) noexcept;

/// Makes a step, as torch.optim.AdamW does.
///
///   m := b1 m + (1 - b1) g share,  v := b2 v + (1 - b2) (g share)^2
///   w := w (1 - rate decay) - rate / (1 - b1^step) m / (sqrt(v) / sqrt(1 - b2^step) + epsilon)
///
/// Shapes    w, g, m, v [count], a multiple of 4
/// Accuracy  float32 with coefficients from double: <= 8 ULP of the step and of w
/// Source    Loshchilov and Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101
void adamw(const Adam& adam, double rate, double decay, std::size_t count, float* w, const float* g,
           float* m, float* v) noexcept;

/// The rate of a step: a linear warm-up times half a cosine, down to `floor` of the peak.
///
///   peak min(1, (n + 1) / min(warmup, floor(N / 4) + 1)) (floor + (1 - floor) (1 + cos(pi n / N)) / 2)
///
/// Units     step n of N, from 0; warmup >= 1
double rate(double peak, double n, double N, double warmup, double floor) noexcept;

}  // namespace phasor::lab
