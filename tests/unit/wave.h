// Numbers for tests of kernels: 3 sin(step k + 1), between -3 and 3 and without a period in k.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace phasor::test {

inline std::vector<float> wave(std::size_t n, double step) {
  std::vector<float> x(n);
  for (std::size_t k = 0; k < n; ++k)
    x[k] = static_cast<float>(3 * std::sin(step * static_cast<double>(k) + 1));
  return x;
}

}  // namespace phasor::test
