// Window attention: the patches of a window attend to each other, with a bias for every offset
// between two patches.
//
// h x w patches, (2h - 1) x (2w - 1) offsets, H heads, M hidden units.
#pragma once
#include <cstddef>
#include <span>

#include "math/status.h"

namespace phasor::window_bias {

/// Writes the offsets between two patches on a logarithmic scale, as in Swin v2.
///
///   out[y, x, 0] = sign(a) log2(1 + |a|) / 3,   a = 8 (y - (h - 1)) / (ph - 1);   x, w, pw for 1
///
/// Shapes    out [2h - 1, 2w - 1, 2]
/// Units     patches; ph x pw is the window of pre-training. Along a single patch a is 0
/// Returns   kOk; kBadShape; kBadParam where ph or pw is 1 and the window wider (nothing written)
/// Accuracy  in double, rounded once: <= 0.51 ULP
/// Source    Liu et al. 2021, Swin Transformer V2, arXiv:2111.09883, section 3.3;
///           microsoft/Swin-Transformer, models/swin_transformer_v2.py
Status log_coordinates(std::size_t h, std::size_t w, std::size_t ph, std::size_t pw,
                       std::span<float> out) noexcept;

/// Computes the bias of every offset from these coordinates by a network of two layers.
///
///   table[y * (2w - 1) + x, n] = 16 sigmoid(sum over m of w2[n, m] relu(w1[m] . (a, b) + b1[m]))
///
/// Shapes    w1 [M, 2], b1 [M], w2 [H, M], table [R, H] with R = (2h - 1)(2w - 1)
/// Requires  table overlaps nothing
/// Returns   as `log_coordinates`
/// Accuracy  everything in double, from unrounded coordinates, rounded once
/// Source    as `log_coordinates`
Status continuous_table(std::size_t h, std::size_t w, std::size_t ph, std::size_t pw,
                        std::span<const float> w1, std::span<const float> b1,
                        std::span<const float> w2, std::size_t M, std::size_t H,
                        std::span<float> table) noexcept;

/// Resize a table to another window.
///
/// The rows of the old table are set at distances 0, 1, 1 + q, 1 + q + q^2, ... to both sides, so
/// that they span the new window: small distances keep their rows, larger ones spread. q is found
/// by bisection in [1.01, 1.5]. The new rows lie at whole distances, between the old ones linearly
/// along each axis, beyond the last one as the last one.
///
/// Shapes    table [(2h - 1)(2w - 1), H], places [2h - 1 + 2w - 1] (worked in),
///           out [(2nh - 1)(2nw - 1), H]
/// Requires  h, w, nh, nw, H > 0; out and places overlap nothing
/// Returns   kOk, or kBadShape with out untouched
/// Accuracy  everything in double, rounded once; a copy where the sizes agree
/// Source    rwightman/pytorch-image-models, timm/layers/pos_embed_rel.py,
///           resize_rel_pos_bias_table without SciPy; after BEiT, microsoft/unilm
Status resize(std::span<const float> table, std::size_t h, std::size_t w, std::size_t nh,
              std::size_t nw, std::size_t H, std::span<double> places,
              std::span<float> out) noexcept;

}  // namespace phasor::window_bias
