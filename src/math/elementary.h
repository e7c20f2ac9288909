// The elementary functions, without a maths library: the same bits under every compiler and in
// every WebAssembly engine. Each float32 function is evaluated in double and rounded once; NaN is
// always 0x7fc00000. Measured over all 2^32 arguments (pow: 20 million pairs, most of them close to
// overflow, underflow or x = 1), none errs by more than 0.500001 ULP.
#pragma once
#include <span>

namespace phasor::elementary {

/// Evaluate e^x in double, subnormal results included.
///
///   e^x = 2^k e^r,  k = round(x / ln 2),  |r| <= (ln 2)/2,  e^r by its Taylor series
///
/// Returns   +inf above 709.79, 0 below -745.2, NaN for NaN
/// Accuracy  <= 1.3 ULP of double where the result is normal (measured 1.20 over 8 million)
double exp_f64(double x) noexcept;

/// Evaluate the natural logarithm in double, for subnormal arguments too.
///
///   log x = k ln 2 + log(1 + f),  x = 2^k (1 + f),  sqrt(1/2) <= 1 + f < sqrt(2)
///   log(1 + f) = 2 atanh(s),  s = f / (2 + f),  by its Taylor series
///
/// Returns   -inf for either zero, NaN below zero and for NaN, +inf for +inf
/// Accuracy  <= 1.3 ULP of double (measured 1.25 over 8 million)
double log_f64(double x) noexcept;

/// Evaluate log(1 + x) for x >= 0: x / (u - 1) restores what rounding u = 1 + x loses (Kahan).
///
/// Accuracy  a few ULP of double
double log1p_f64(double x) noexcept;

/// Both coordinates of the point at an angle.
struct CosSin {
  double cos;
  double sin;
};

/// Evaluate cosine and sine of a fraction of a full turn.
///
///   cos(2 pi t), sin(2 pi t):  4t = k + q,  |q| <= 1/2 exactly,  Taylor series of (pi/2) q
///
/// Units     turns, not radians: quadrants are exact, so 1/4 gives {0, 1}
/// Requires  |turns| <= 2^28
/// Accuracy  <= 2.5 ULP of double, also beside the zeros (measured 2.11)
CosSin cos_sin_turns(double turns) noexcept;

/// Evaluate e^x.
///
/// Returns   subnormal results rounded once; +inf above 88.73, 0 below -103.98
/// Accuracy  <= 0.51 ULP on all of float32
float exp(float x) noexcept;

/// Evaluate the natural logarithm.
///
/// Returns   -inf for either zero, NaN below zero
/// Accuracy  <= 0.51 ULP on all of float32
float log(float x) noexcept;

/// Evaluate log(1 + x) without forming 1 + x where that would lose digits.
///
/// Returns   x for either zero, -inf for -1, NaN below -1
/// Accuracy  <= 0.51 ULP on all of float32
float log1p(float x) noexcept;

/// Evaluate the hyperbolic tangent.
///
///   tanh x = (1 - e^-2x) / (1 + e^-2x)  for x > 0, odd;  x - x^3/3 below 2^-12
///
/// Accuracy  <= 0.51 ULP on all of float32
float tanh(float x) noexcept;

/// Evaluate the logistic function 1 / (1 + e^-x).
///
/// Accuracy  <= 0.51 ULP on all of float32, subnormal results included
float sigmoid(float x) noexcept;

/// Evaluate x^y = e^(y log x), with the sign (-1)^y for negative x and whole y.
///
/// Returns   C99 annex F: x^0 = 1^y = 1 even for NaN; NaN for finite x < 0 and fractional y;
///           zeros, infinities and their signs as there
/// Accuracy  <= 0.51 ULP on all of float32 x float32; a power that is itself a float
///           comes out exact
float pow(float x, float y) noexcept;

/// The definition of the exponentials of `softmax`.
///
///   e^x = 2^k 2^r,  k = round(x / ln 2),  |r| <= 1/2,  2^r by a polynomial of degree 7
///
/// Requires  x <= 0
/// Returns   2^-160 where e^x is less
/// Accuracy  relative <= 2^-34
double brief_exp(double x) noexcept;

/// Normalize one row of scores to weights.
///
///   out[i] = e^(in[i] - max in) / sum_j e^(in[j] - max in)
///
/// Shapes    in, out [N];  N may be 0
/// Requires  out is as long as in, and is in itself or apart from it
/// Returns   all zeros where every score is -inf: a fully masked row;
///           equal shares for scores of +inf and 0 for the others: the limit;
///           all NaN where any score is NaN
/// Accuracy  relative <= 1.2e-7 above 2^-126; a row sums to 1 within 1.2e-7. Exponentials
///           (`brief_exp`) and their sum are in double; an exponential and a weight are rounded to float32
/// Cost      one exponential a score, two at a time; no allocation
void softmax(std::span<const float> in, std::span<float> out) noexcept;

}  // namespace phasor::elementary
