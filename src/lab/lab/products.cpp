#include "lab/lab/products.h"

#include <algorithm>

#include "math/lanes.h"

// The build for WebAssembly unrolls no loop by itself.
#if defined(__clang__)
#define PHASOR_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PHASOR_UNROLL
#endif

namespace phasor::lab {
namespace {

/// How many rows of b stay in the cache while all rows of a pass.
constexpr std::size_t kDepth = 256;

/// Columns of a tile: two vectors.
constexpr std::size_t kWide = 8;

/// Multiplies R rows with `Vectors` * 4 columns, whose sums stay in registers.
template <std::size_t R, std::size_t Vectors>
[[gnu::always_inline]] inline void tile(std::size_t K, Matrix a, const float* b, std::size_t b_row,
                                        float* c, std::size_t c_row, Start start) {
  v128_t sums[R][Vectors];
  PHASOR_UNROLL
  for (std::size_t i = 0; i < R; ++i) {
    PHASOR_UNROLL
    for (std::size_t j = 0; j < Vectors; ++j) {
      v128_t sum = wasm_f32x4_splat(0);
      if (start.adds) sum = wasm_v128_load(c + i * c_row + 4 * j);
      if (start.bias != nullptr) sum = wasm_f32x4_add(sum, wasm_v128_load(start.bias + 4 * j));
      sums[i][j] = sum;
    }
  }
  const float* column = a.at;
  for (std::size_t k = 0; k < K; ++k, column += a.column, b += b_row) {
    v128_t row[Vectors];
    PHASOR_UNROLL
    for (std::size_t j = 0; j < Vectors; ++j) row[j] = wasm_v128_load(b + 4 * j);
    PHASOR_UNROLL
    for (std::size_t i = 0; i < R; ++i) {
      const v128_t number = wasm_v128_load32_splat(column + i * a.row);
      PHASOR_UNROLL
      for (std::size_t j = 0; j < Vectors; ++j)
        sums[i][j] = wasm_f32x4_add(sums[i][j], wasm_f32x4_mul(number, row[j]));
    }
  }
  PHASOR_UNROLL
  for (std::size_t i = 0; i < R; ++i) {
    PHASOR_UNROLL
    for (std::size_t j = 0; j < Vectors; ++j) wasm_v128_store(c + i * c_row + 4 * j, sums[i][j]);
  }
}

/// The rows of a strip of columns: as many tiles as fit, then smaller ones.
template <std::size_t Vectors>
[[gnu::noinline]] void strip(std::size_t M, std::size_t K, Matrix a, const float* b,
                             std::size_t b_row, float* c, std::size_t c_row, Start start) {
  // Four rows: with more, engines run out of registers on x86 and keep sums in memory (6 rows: 1.6 times the time).
  for (std::size_t i = 0; i < M;) {
    const Matrix of{a.at + i * a.row, a.row, a.column};
    float* to = c + i * c_row;
    if (M - i >= 4) {
      tile<4, Vectors>(K, of, b, b_row, to, c_row, start);
      i += 4;
    } else {
      tile<1, Vectors>(K, of, b, b_row, to, c_row, start);
      i += 1;
    }
  }
}

/// The last columns, fewer than four.
void rest(std::size_t M, std::size_t N, std::size_t K, Matrix a, const float* b, std::size_t b_row,
          float* c, std::size_t c_row, Start start) {
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      float& out = c[i * c_row + j];
      float sum = start.adds ? out : 0;
      if (start.bias != nullptr) sum += start.bias[j];
      for (std::size_t k = 0; k < K; ++k) sum += a.at[i * a.row + k * a.column] * b[k * b_row + j];
      out = sum;
    }
  }
}

}  // namespace

void multiply(std::size_t M, std::size_t N, std::size_t K, Matrix a, const float* b,
              std::size_t b_row, float* c, std::size_t c_row, Start start) noexcept {
  std::size_t done = 0;
  do {
    const std::size_t depth = std::min(kDepth, K - done);
    for (std::size_t j = 0; j < N;) {
      const std::size_t left = N - j;
      const Start from{start.adds, start.bias == nullptr ? nullptr : start.bias + j};
      if (left >= kWide) {
        strip<2>(M, depth, a, b + j, b_row, c + j, c_row, from);
        j += kWide;
      } else if (left >= 4) {
        strip<1>(M, depth, a, b + j, b_row, c + j, c_row, from);
        j += 4;
      } else {
        rest(M, left, depth, a, b + j, b_row, c + j, c_row, from);
        j = N;
      }
    }
    done += depth;
    a.at += depth * a.column;
    b += depth * b_row;
    start = {.adds = true};
  } while (done < K);
}

void transpose(const float* in, std::size_t rows, std::size_t columns, std::size_t in_row,
               float* out, std::size_t out_row) noexcept {
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) out[j * out_row + i] = in[i * in_row + j];
  }
}

}  // namespace phasor::lab
