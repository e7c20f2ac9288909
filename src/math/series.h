// Power series: their coefficients and Horner's rule, unrolled by a fold because the compiler is
// told not to unroll loops (in wasm a loop over coefficients is several times slower).
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include "math/lanes.h"

namespace phasor {

template <std::size_t N>
using Series = std::array<double, N>;

/// c[n] = sign^n / (step n + first)!, each rounded once: factorials up to 22! are exact in double.
template <std::size_t N>
constexpr Series<N> inverse_factorials(int first, int step, double sign) {
  Series<N> c{};
  double factorial = 1.0;
  double s = 1.0;
  int reached = 0;
  for (std::size_t n = 0; n < N; ++n, s *= sign) {
    const int wanted = step * static_cast<int>(n) + first;
    while (reached < wanted) factorial *= ++reached;
    c[n] = s / factorial;
  }
  return c;
}

/// The sum of c[n] x^n.
template <std::size_t N>
double polynomial(const Series<N>& c, double x) {
  return [&]<std::size_t... n>(std::index_sequence<n...>) {
    double sum = c[N - 1];
    ((sum = sum * x + c[N - 2 - n]), ...);
    return sum;
  }(std::make_index_sequence<N - 1>());
}

/// The same of two numbers at once.
template <std::size_t N>
v128_t polynomial_f64x2(const Series<N>& c, v128_t x) {
  return [&]<std::size_t... n>(std::index_sequence<n...>) {
    v128_t sum = wasm_f64x2_splat(c[N - 1]);
    ((sum = wasm_f64x2_add(wasm_f64x2_mul(sum, x), wasm_f64x2_splat(c[N - 2 - n]))), ...);
    return sum;
  }(std::make_index_sequence<N - 1>());
}

}  // namespace phasor
