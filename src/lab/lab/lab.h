// A small decoder with layer norms before attention and MLP: logits of texts, the loss, and its gradient.
//
// B texts of T tokens, V vocabulary, E width, H heads of D = E/H, L layers, F = width of the MLP, R rows of
// learned positions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/lab/layers.h"
#include "lab/lab/scheme.h"
#include "math/status.h"

namespace phasor::lab {

/// The sizes of a decoder and of the texts that it reads.
struct Sizes {
  std::size_t V, E, H, L, F, R;
  std::size_t tied;     // 1: the head's matrix is the table of words
  std::size_t biased;   // 1: in_proj has a bias
  std::size_t numbers;  // of all schemes: `numbers_of`, each rounded up to a multiple of 4
  std::size_t extra;    // the largest size of a scheme of kShaw or kCope
  std::size_t B, T;
};

/// Every parameter begins at a multiple of 4 numbers; those in between are 0. The order:
///
///   tokens [V, E] | positions [R, E] | layers | norm: weight, bias [E] | head: weight [V, E], bias [V] | schemes
///   a layer: norm1: weight, bias [E] | in_proj: weight [3 E, E], bias [3 E] | out_proj: weight [E, E], bias [E] |
///            norm2: weight, bias [E] | mlp.in: weight [F, E], bias [F] | mlp.out: weight [E, F], bias [E]
std::size_t weights_of(const Sizes& sizes) noexcept;

/// How many numbers the workspace of a call has. One that trains keeps what the gradient needs: the attention
/// weights of all layers, [B, H, T, T rounded up to 4], are most of it. SIZE_MAX for more than an address reaches.
std::size_t workspace_of(const Sizes& sizes, bool trains) noexcept;

/// A decoder for one call.
struct Decoder {
  Sizes sizes;
  Positions positions;
  std::span<const Scheme> schemes;
  std::span<const std::int32_t> layers;  // [L]: the scheme of each, or -1
  const float* weights;
  const float* added;  // to the embedding, [texts, T, E]: sinusoids; or null
  float temperature;   // multiplies q . k / sqrt(D)
  bool learned;        // adds rows of positions to the embedding, where there are some
  bool trains;         // keeps what the gradient needs
};

/// Computes the logits of texts.
///
///   x = tokens[id] + positions[index] + added
///   in each layer:  q, k, v = LN1(x) in_proj,  x += softmax(temperature q k / sqrt(D) + term) v out_proj,
///                   x += mlp.out gelu(mlp.in LN2(x))
///   logits = LN(x) head
///
/// Shapes    ids [B, T], workspace [workspace_of(sizes, trains)]
/// Requires  0 <= id < V; indices below R where there are learned positions, else rising within a text where
///           a scheme has a term
/// Returns   the address of the logits within the workspace, [B * T, V rounded up to a multiple of 4]
/// Accuracy  float32: logits within 1e-5 of PyTorch's float64, attention within 2e-6 (golden cases)
/// Cost      2 B T (12 E^2 L + E V) flops and those of the causal half of attention; no allocation
float* forward(const Decoder& decoder, const std::int32_t* ids, float* workspace) noexcept;

/// The attention weights of a layer in the workspace of a call that trains: [B, H, T, row]. It
/// writes the zeros of keys after their query, which `forward` leaves out.
const float* attention_of(const Sizes& sizes, std::size_t layer, float* workspace) noexcept;

/// Evaluates the mean loss of the texts that `forward` has just read, and its gradient.
///
/// Shapes    targets [B, T], below 0: not counted; gradients [weights_of(sizes)], overwritten
/// Requires  decoder.trains, and the workspace of `forward`, which is spoiled
/// Returns   the loss; with no target that counts its `counted` is 0 and gradients are 0
/// Accuracy  gradients within 3e-6 of PyTorch's float64 (golden cases)
/// Cost      twice that of `forward`
Loss backward(const Decoder& decoder, const std::int32_t* ids, const std::int32_t* targets,
              float* workspace, float* gradients) noexcept;

/// How AdamW updates the parts of a decoder: decay for matrices of layers and the head's, another rate for the
/// schemes' numbers.
struct Update {
  double rate, bias_rate;
  double beta1, beta2, epsilon, decay, clip, step;
};

/// Clips the gradients by the norm of all of them, and makes a step.
///
/// Shapes    w, g, m, v [weights_of(sizes)]
/// Returns   the norm before clipping; one that is not finite leaves all as it is
double update(const Sizes& sizes, const Update& with, float* w, const float* g, float* m,
              float* v) noexcept;

}  // namespace phasor::lab
