#include "math/elementary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

namespace elementary = phasor::elementary;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kNanBits = 0x7fc00000u;

// A prime stride through the bit patterns meets every exponent, both signs and the NaNs.
constexpr std::uint32_t kStride = 9973;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

template <typename Visit>
void each_float(std::uint32_t stride, Visit visit) {
  for (std::uint64_t pattern = 0; pattern <= 0xffffffffu; pattern += stride)
    visit(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
}

// Pairs whose power runs from below the least subnormal to above the greatest float. The exponent
// is made with the library's own logarithm, so that every compiler meets the same pairs.
template <typename Visit>
void each_power(std::uint32_t stride, Visit visit) {
  double target = -104.5;
  each_float(stride, [&](float x) {
    for (const float y : {-3.0f, -0.5f, 0.1f, 1.0f / 3.0f, 2.0f, 7.0f}) visit(x, y);
    target = target > 89.5 ? -104.5 : target + 0.0625;
    if (x > 0.0f) visit(x, static_cast<float>(target / elementary::log_f64(x)));
  });
}

// FNV-1a in 64 bits, over words.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  void add(float x) { value = (value ^ bits(x)) * 0x100000001b3u; }
};

template <typename F>
std::uint64_t hash_of(F f) {
  Hash hash;
  each_float(kStride, [&](float x) { hash.add(f(x)); });
  return hash.value;
}

float softmax_of(std::vector<float> row, std::size_t i) {
  elementary::softmax(row, row);
  return row[i];
}

}  // namespace

TEST_CASE("elementary gives the same bits under every compiler") {
  CHECK(hash_of(elementary::exp) == 0xf92a5d0d50e10ecdu);
  CHECK(hash_of(elementary::log) == 0x178ac6c6fa881ff3u);
  CHECK(hash_of(elementary::log1p) == 0xf4f352d845e3aff8u);
  CHECK(hash_of(elementary::tanh) == 0xcfc5d42d59fa8044u);
  CHECK(hash_of(elementary::sigmoid) == 0x5d3b3068f961b124u);

  Hash power;
  each_power(kStride, [&](float x, float y) { power.add(elementary::pow(x, y)); });
  CHECK(power.value == 0xf65724f26d9fcd90u);

  Hash turns;
  for (int i = 0; i <= 10007; ++i) {
    const auto [cos, sin] = elementary::cos_sin_turns(i / 10007.0);
    turns.add(static_cast<float>(cos));
    turns.add(static_cast<float>(sin));
  }
  CHECK(turns.value == 0x5eb74089f55cb0a5u);

  std::vector<float> row(1000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i * i % 1009) * 0.03125f;
  elementary::softmax(row, row);
  Hash weights;
  for (const float weight : row) weights.add(weight);
  CHECK(weights.value == 0x7c3e2d47fdfb7dbcu);
}

TEST_CASE("elementary.exp is exact at 0 and defined at the edges") {
  CHECK(elementary::exp(0.0f) == 1.0f);
  CHECK(elementary::exp(-0.0f) == 1.0f);
  CHECK(elementary::exp(kInf) == kInf);
  CHECK(elementary::exp(-kInf) == 0.0f);
  CHECK(std::isfinite(elementary::exp(0x1.62e42ep+6f)));  // the last float below log(FLT_MAX)
  CHECK(elementary::exp(0x1.62e430p+6f) == kInf);
  CHECK(elementary::exp(-103.97f) == kLeast);
  CHECK(elementary::exp(-103.98f) == 0.0f);
  CHECK(bits(elementary::exp(kNan)) == kNanBits);
  CHECK(bits(elementary::exp(-kNan)) == kNanBits);
}

TEST_CASE("elementary.exp_f64 reaches the ends of double") {
  CHECK(elementary::exp_f64(709.79) == std::numeric_limits<double>::infinity());
  CHECK(elementary::exp_f64(709.78) < std::numeric_limits<double>::infinity());
  CHECK(elementary::exp_f64(-745.13) == std::numeric_limits<double>::denorm_min());
  CHECK(elementary::exp_f64(-745.14) == 0.0);
  CHECK(std::isnan(elementary::exp_f64(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("elementary.log is exact at 1 and defined at the edges") {
  CHECK(bits(elementary::log(1.0f)) == bits(0.0f));
  CHECK(elementary::log(0.0f) == -kInf);
  CHECK(elementary::log(-0.0f) == -kInf);
  CHECK(elementary::log(kInf) == kInf);
  CHECK(elementary::log(kLeast) == -0x1.9d1da0p+6f);  // -149 ln 2
  CHECK(bits(elementary::log(-1.0f)) == kNanBits);
  CHECK(bits(elementary::log(-kInf)) == kNanBits);
  CHECK(bits(elementary::log(kNan)) == kNanBits);
}

TEST_CASE("elementary.log_f64 is correct for subnormal doubles") {
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  CHECK(elementary::log_f64(std::numeric_limits<double>::denorm_min()) == -1074 * ln2);
}

TEST_CASE("elementary.log1p keeps zeros and small arguments and is defined at the edges") {
  CHECK(bits(elementary::log1p(0.0f)) == bits(0.0f));
  CHECK(bits(elementary::log1p(-0.0f)) == bits(-0.0f));
  CHECK(elementary::log1p(kLeast) == kLeast);
  CHECK(elementary::log1p(1e-10f) == 1e-10f);
  CHECK(elementary::log1p(-1.0f) == -kInf);
  CHECK(elementary::log1p(kInf) == kInf);
  CHECK(bits(elementary::log1p(-1.5f)) == kNanBits);
  CHECK(bits(elementary::log1p(kNan)) == kNanBits);
}

TEST_CASE("elementary.tanh is odd, keeps zeros and saturates at one") {
  CHECK(bits(elementary::tanh(0.0f)) == bits(0.0f));
  CHECK(bits(elementary::tanh(-0.0f)) == bits(-0.0f));
  CHECK(elementary::tanh(-kLeast) == -kLeast);
  CHECK(elementary::tanh(9.02f) == 1.0f);
  CHECK(elementary::tanh(-kInf) == -1.0f);
  CHECK(bits(elementary::tanh(kNan)) == kNanBits);
  each_float(kStride, [](float x) {
    if (x == x) REQUIRE(elementary::tanh(-x) == -elementary::tanh(x));
  });
}

TEST_CASE("elementary.sigmoid is one half at 0 and defined at the edges") {
  CHECK(elementary::sigmoid(0.0f) == 0.5f);
  CHECK(elementary::sigmoid(kInf) == 1.0f);
  CHECK(elementary::sigmoid(-kInf) == 0.0f);
  CHECK(elementary::sigmoid(-103.97f) == kLeast);
  CHECK(elementary::sigmoid(-104.0f) == 0.0f);
  CHECK(bits(elementary::sigmoid(kNan)) == kNanBits);
}

TEST_CASE("elementary.pow is exact where the power is a float") {
  CHECK(elementary::pow(2.0f, -149.0f) == kLeast);
  CHECK(elementary::pow(2.0f, 127.0f) == 0x1p127f);
  CHECK(elementary::pow(2.0f, 128.0f) == kInf);
  CHECK(elementary::pow(3.0f, 15.0f) == 14348907.0f);
  CHECK(elementary::pow(10.0f, 10.0f) == 1e10f);
  CHECK(elementary::pow(2.25f, -0.5f) == 2.0f / 3.0f);
  CHECK(elementary::pow(-2.0f, 3.0f) == -8.0f);
  CHECK(elementary::pow(-2.0f, -2.0f) == 0.25f);
  CHECK(elementary::pow(-1.0f, 16777215.0f) == -1.0f);  // the last odd float
  CHECK(elementary::pow(-1.0f, 16777216.0f) == 1.0f);
}

TEST_CASE("elementary.pow handles the special cases as C99 does") {
  const float cases[] = {-kInf,   -2.5f,  -2.0f, -1.0f, -0.5f, -kLeast,  -0.0f,
                         0.0f,    kLeast, 0.5f,  1.0f,  1.5f,  2.0f,     3.0f,
                         0x1p24f, kInf,   kNan,  -3.0f, -0.3f, 0x1p127f, -0x1p25f};
  for (const float x : cases) {
    for (const float y : cases) {
      CAPTURE(x);
      CAPTURE(y);
      const float expected = std::pow(x, y);
      const float got = elementary::pow(x, y);
      if (expected != expected) {
        CHECK(bits(got) == kNanBits);
      } else {
        CHECK(std::signbit(got) == std::signbit(expected));
        CHECK((got == expected || std::fabs(got - expected) <= 1e-6f * std::fabs(expected)));
      }
    }
  }
}

TEST_CASE("elementary.cos_sin_turns has exact quadrants and stays on the circle") {
  for (int k = -8; k <= 8; ++k) {
    const auto [cos, sin] = elementary::cos_sin_turns(0.25 * k);
    CHECK(cos == (k % 2 != 0 ? 0.0 : k % 4 == 0 ? 1.0 : -1.0));
    CHECK(sin == (k % 2 == 0 ? 0.0 : (k & 3) == 1 ? 1.0 : -1.0));
  }
  for (int i = 0; i < 1000; ++i) {
    const auto [cos, sin] = elementary::cos_sin_turns(i / 1000.0);
    REQUIRE(std::fabs(cos * cos + sin * sin - 1.0) < 1e-15);  // 9 halves of 2^-53
  }
}

TEST_CASE("elementary.brief_exp is within its bound, and 0 in float32 where e^x is") {
  double worst = 0.0;
  for (int i = 0; i <= 200'000; ++i) {
    const double x = -110.0 * i / 200'000;
    worst = std::max(worst, std::fabs(elementary::brief_exp(x) / elementary::exp_f64(x) - 1.0));
  }
  CHECK(worst <= 0x1p-34);
  CHECK(worst > 0x1p-35);  // as near as its degree can be
  for (const double x : {-111.0, -708.5, -1e300, -std::numeric_limits<double>::infinity()})
    CHECK(elementary::brief_exp(x) == doctest::Approx(0x1p-160));
}

TEST_CASE("elementary.softmax equals its definition, bit for bit, at every tail length") {
  const auto defined = [](std::vector<float> row) {
    float top = -kInf;
    bool odd = false;
    for (const float score : row) {
      top = std::max(top, score);
      odd = odd || score != score;
    }
    double sum = 0.0;
    for (float& x : row) {
      const double e = top == kInf ? x == top : elementary::brief_exp(double{x} - double{top});
      sum += e;
      x = static_cast<float>(e);
    }
    for (float& x : row) x = odd ? kNan : top == -kInf ? 0.0f : static_cast<float>(x / sum);
    return row;
  };
  for (std::size_t N = 0; N < 40; ++N) {
    for (const float scale : {0.0f, 1.0f, 30.0f, 700.0f, 1e30f}) {
      std::vector<float> row(N);
      for (std::size_t i = 0; i < N; ++i)
        row[i] = scale * (static_cast<float>(i * 7919 % 4099) / 2048.0f - 1.0f);
      for (const float special : {0.0f, -0.0f, -kInf, kInf, kNan, -FLT_MAX}) {
        if (N > 0) row[N * 2 / 3] = special;
        if (N > 5) row[2] = special;
        std::vector<float> weights(N);
        elementary::softmax(row, weights);
        const std::vector<float> want = defined(row);
        for (std::size_t i = 0; i < N; ++i) REQUIRE(bits(weights[i]) == bits(want[i]));
      }
    }
  }
}

TEST_CASE("elementary.softmax weights by exponentials and sums to 1") {
  const float ln3 = elementary::log(3.0f);
  CHECK(softmax_of({0.0f, ln3}, 0) == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(softmax_of({0.0f, ln3}, 1) == doctest::Approx(0.75).epsilon(1e-6));
  CHECK(softmax_of({-7.5f}, 0) == 1.0f);
  CHECK(softmax_of({1000.0f, 1000.0f}, 1) == 0.5f);
  CHECK(softmax_of({-FLT_MAX, FLT_MAX}, 0) == 0.0f);

  std::vector<float> row(4099), weights(row.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(i * 7919 % 4099) * 0.01f - 20.0f;
  const std::vector<float> before = row;
  elementary::softmax(row, weights);
  CHECK(row == before);
  double sum = 0.0;
  for (const float weight : weights) sum += weight;
  CHECK(std::fabs(sum - 1.0) <= 1.2e-7);
  for (std::size_t i = 1; i < row.size(); ++i) {
    const double ratio = elementary::exp_f64(double{row[i]} - double{row[0]});
    REQUIRE(std::fabs(weights[i] / (weights[0] * ratio) - 1.0) <=
            2.4e-7);  // two weights, each 1.2e-7
  }
  elementary::softmax(row, row);
  CHECK(row == weights);
}

TEST_CASE("elementary.softmax is defined for every row") {
  elementary::softmax({}, {});
  CHECK(softmax_of({-kInf, -kInf}, 0) == 0.0f);
  CHECK(softmax_of({-kInf, 3.0f}, 0) == 0.0f);
  CHECK(softmax_of({-kInf, 3.0f}, 1) == 1.0f);
  CHECK(softmax_of({kInf, 3.0f, kInf}, 0) == 0.5f);
  CHECK(softmax_of({kInf, 3.0f, kInf}, 1) == 0.0f);
  CHECK(bits(softmax_of({1.0f, kNan, kInf}, 0)) == kNanBits);
  CHECK(bits(softmax_of({-kNan, -kInf}, 1)) == kNanBits);
}

// The reference is the C library's 64-bit long double, which WebAssembly lacks; there the hashes
// above carry the accuracy over.
#if !defined(__EMSCRIPTEN__) && LDBL_MANT_DIG == 64

namespace {

// |got - exact| in spacings of the format at the exact value; overflow counts as the next power.
template <typename Real>
double ulps(Real got, long double exact) {
  using Limits = std::numeric_limits<Real>;
  if (exact != exact) return got != got ? 0.0 : HUGE_VAL;
  const long double beyond = std::ldexp(1.0L, Limits::max_exponent);
  const long double value =
      std::isinf(got) ? std::copysign(beyond, got) : static_cast<long double>(got);
  if (std::fabs(exact) >= beyond) return value == std::copysign(beyond, exact) ? 0.0 : HUGE_VAL;
  const int exponent =
      exact == 0.0L ? Limits::min_exponent : std::max(std::ilogb(exact) + 1, Limits::min_exponent);
  return static_cast<double>(std::ldexp(std::fabs(value - exact), Limits::digits - exponent));
}

template <typename Function, typename Exact>
double worst(std::uint32_t stride, Function function, Exact exact) {
  double result = 0.0;
  each_float(stride, [&](float x) { result = std::max(result, ulps(function(x), exact(x))); });
  return result;
}

// Every function of one argument at every stride-th float, pow at its own pairs.
void check_half_ulp(std::uint32_t stride) {
  using Exact = long double;
  CHECK(worst(stride, elementary::exp, [](Exact x) { return std::exp(x); }) <= 0.51);
  CHECK(worst(stride, elementary::log, [](Exact x) { return std::log(x); }) <= 0.51);
  CHECK(worst(stride, elementary::log1p, [](Exact x) { return std::log1p(x); }) <= 0.51);
  CHECK(worst(stride, elementary::tanh, [](Exact x) { return std::tanh(x); }) <= 0.51);
  CHECK(worst(stride, elementary::sigmoid, [](Exact x) { return 1 / (1 + std::exp(-x)); }) <= 0.51);

  double power = 0.0;
  each_power(stride, [&](float x, float y) {
    const Exact exact = std::pow(Exact{x}, Exact{y});
    power = std::max(power, ulps(elementary::pow(x, y), exact));
  });
  CHECK(power <= 0.51);
}

}  // namespace

TEST_CASE("elementary functions are within 0.51 ULP at every 39989th float, pow to its limits") {
  check_half_ulp(39989);  // a prime, as kStride
}

TEST_CASE("elementary functions are within 0.51 ULP at every 101st float (PHASOR_SWEEP=1)") {
  if (std::getenv("PHASOR_SWEEP") != nullptr) check_half_ulp(101);
}

TEST_CASE("elementary.exp_f64 and log_f64 are within 1.3 ULP of double") {
  double exp = 0.0, log = 0.0;
  for (int i = -100000; i <= 100000; ++i) {
    const double x = i * 0.00708;  // to +-708, where results are normal
    exp = std::max(exp, ulps(elementary::exp_f64(x), std::exp(static_cast<long double>(x))));
    const double y = 1.3 + i * 1e-5;
    log = std::max(log, ulps(elementary::log_f64(y), std::log(static_cast<long double>(y))));
  }
  CHECK(exp <= 1.3);
  CHECK(log <= 1.3);
}

TEST_CASE("elementary.cos_sin_turns is within 2.5 ULP of double") {
  double result = 0.0;
  for (int i = 0; i < 1 << 17; ++i) {
    // A dyadic fraction of an eighth of a turn: its angle is known to long double's last bits.
    const double turns = i * 0x1p-20;
    const long double angle = 2.0L * 0xc.90fdaa22168c235p-2L * turns;
    const auto [cos, sin] = elementary::cos_sin_turns(turns);
    result = std::max({result, ulps(cos, std::cos(angle)), ulps(sin, std::sin(angle))});
    const auto beside = elementary::cos_sin_turns(0.75 + turns);  // beside a zero of the cosine
    CHECK(beside.cos == sin);
    CHECK(beside.sin == -cos);
  }
  CHECK(result <= 2.5);
}

#endif
