// Products of matrices in float32: most of the time of a step.
//
// M rows, N columns, K products a sum.
#pragma once
#include <cstddef>

namespace phasor::lab {

/// A matrix in memory: entry (i, k) is at[i * row + k * column]. A transposed one swaps both strides.
struct Matrix {
  const float* at;
  std::size_t row;
  std::size_t column = 1;
};

/// What a product begins with: nothing, what is there, a row for all rows, or both.
struct Start {
  bool adds = false;
  const float* bias = nullptr;
};

/// Multiplies two matrices.
///
///   c[i, j] = start + a[i, 0] b[0, j] + a[i, 1] b[1, j] + ...,  one after the other, in float32
///
/// Shapes    a [M, K], b [K, N] with rows of `b_row` numbers, c [M, N] with rows of `c_row`
/// Requires  c overlaps neither a nor b
/// Accuracy  each product and each sum is rounded to float32: <= K * 2^-24 of the sum of |a b|. A
///           sum depends on its row and its column alone, so no tiling changes a bit
/// Cost      2 M N K flops in tiles of four rows and eight columns; no allocation
void multiply(std::size_t M, std::size_t N, std::size_t K, Matrix a, const float* b,
              std::size_t b_row, float* c, std::size_t c_row, Start start = {}) noexcept;

/// Writes the columns of a matrix as rows:  out[j, i] = in[i, j], in rows of `out_row` numbers.
void transpose(const float* in, std::size_t rows, std::size_t columns, std::size_t in_row,
               float* out, std::size_t out_row) noexcept;

}  // namespace phasor::lab
