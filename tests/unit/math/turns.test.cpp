#include "math/turns.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#if !defined(__EMSCRIPTEN__)
#include <quadmath.h>
#endif

TEST_CASE("cos_sin_turns: quarters of a turn are exact, without a negative zero") {
  for (int turns = -3; turns <= 3; ++turns) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      const double t = turns * 1048576.0 + quarter / 4.0;
      const auto [c, s] = phasor::cos_sin_turns({t, 0});
      CHECK(c == (quarter == 0 ? 1 : quarter == 2 ? -1 : 0));
      CHECK(s == (quarter == 1 ? 1 : quarter == 3 ? -1 : 0));
      CHECK((c != 0 || !std::signbit(c)));
      CHECK((s != 0 || !std::signbit(s)));
    }
  }
}

#if !defined(__EMSCRIPTEN__)
namespace {

/// Angles of all sizes up to 3e4, and some next to the zeros of sine and cosine.
std::vector<double> sizes() {
  std::vector<double> x{0.0, 1.0, 355.0, 103993.0, 3.141592653589793, 1.5707963267948966};
  double value = 1e-4;
  for (int i = 0; i < 400; ++i, value *= 1.05) x.push_back(i % 2 == 0 ? value : -value);
  return x;
}

}  // namespace

TEST_CASE("cos_sin_turns: within 3 ULP of double of quad precision, also next to the zeros") {
  for (const double x : sizes()) {
    for (const double w : {1.0, 0.3, 512.0, 1234.5678}) {
      const auto [c, s] = phasor::cos_sin_radians(phasor::two_product(x, w));
      __float128 sine, cosine;
      sincosq(static_cast<__float128>(x) * w, &sine, &cosine);
      const auto error = [](double got, __float128 want) {
        if (want == 0) return std::fabs(got);
        const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(want)) - 52);
        return static_cast<double>(fabsq(got - want)) / unit;
      };
      CHECK(error(s, sine) <= 3);
      CHECK(error(c, cosine) <= 3);
    }
  }
}
#endif
