#include "math/random.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

namespace random = phasor::random;  // not at global scope, where POSIX has a function random()
using random::TorchGenerator;

std::vector<float> uniform(std::uint64_t seed, std::uint64_t first, std::size_t count, double low,
                           double high) {
  std::vector<float> out(count);
  random::philox_uniform(seed, first, out, low, high);
  return out;
}

std::vector<float> normal(std::uint64_t seed, std::uint64_t first, std::size_t count,
                          double mean = 0.0, double std = 1.0) {
  std::vector<float> out(count);
  random::philox_normal(seed, first, out, mean, std);
  return out;
}

std::vector<float> torch_uniform(TorchGenerator& generator, std::size_t count, double low,
                                 double high) {
  std::vector<float> out(count);
  random::torch_uniform(generator, out, low, high);
  return out;
}

std::vector<float> torch_normal(TorchGenerator& generator, std::size_t count, double mean = 0.0,
                                double std = 1.0) {
  std::vector<float> out(count);
  random::torch_normal(generator, out, mean, std);
  return out;
}

// FNV-1a in 64 bits, over words.
std::uint64_t hash_of(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const float x : values) hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x100000001b3u;
  return hash;
}

// PyTorch's own log and cosine differ in the last bit from processor to processor, hence 1e-6.
void check_near(std::span<const float> got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - expected[i]) <= 1e-6);
}

}  // namespace

TEST_CASE("random.philox4x32 gives Random123's known answers") {
  using Words = random::PhiloxCounter;
  CHECK(random::philox4x32({0, 0, 0, 0}, {0, 0}) ==
        Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(random::philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                           {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(random::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                           {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random gives the same bits under every compiler") {
  CHECK(hash_of(uniform(42, 0, 20000, -0.1, 0.3)) == 0xa50462438d081e3fu);
  CHECK(hash_of(normal(42, 0, 20000, 0.5, 0.02)) == 0xb5671dc2de6a74eeu);
  TorchGenerator generator(42);
  CHECK(hash_of(torch_uniform(generator, 20000, -0.1, 0.3)) == 0x7cf4d3d615a42ebeu);
  CHECK(hash_of(torch_normal(generator, 20001, 0.5, 0.02)) == 0x6db0d4e26cd20047u);
  CHECK(hash_of(torch_normal(generator, 15)) == 0xbbcfa0d2f38dae83u);
}

TEST_CASE("random.philox fills a slice with the elements of the longer fill") {
  const auto all_uniform = uniform(7, 0, 40, -2.0, 5.0);
  const auto all_normal = normal(7, 0, 40, 1.0, 3.0);
  for (std::size_t first = 0; first <= 9; ++first) {
    for (std::size_t count = 0; count <= 9; ++count) {
      const auto from = static_cast<std::ptrdiff_t>(first);
      const auto to = static_cast<std::ptrdiff_t>(first + count);
      CHECK(uniform(7, first, count, -2.0, 5.0) ==
            std::vector<float>(all_uniform.begin() + from, all_uniform.begin() + to));
      CHECK(normal(7, first, count, 1.0, 3.0) ==
            std::vector<float>(all_normal.begin() + from, all_normal.begin() + to));
    }
  }
}

TEST_CASE("random.philox counts blocks and seeds in 64 bits") {
  const std::uint64_t seed = 0x0123456789abcdefu;
  const auto words = random::philox4x32({0, 1, 0, 0}, {0x89abcdef, 0x01234567});
  const auto across = uniform(seed, (std::uint64_t{1} << 34) - 1, 3, 0.0, 1.0);
  CHECK(across[1] == static_cast<float>(words[0] * 0x1p-32));
  CHECK(across[2] == static_cast<float>(words[1] * 0x1p-32));
  CHECK(across[0] == uniform(seed, (std::uint64_t{1} << 34) - 4, 4, 0.0, 1.0)[3]);
  CHECK(uniform(seed, ~std::uint64_t{0}, 2, 0.0, 1.0)[1] == uniform(seed, 0, 1, 0.0, 1.0)[0]);
}

TEST_CASE("random.philox_uniform stays in [low, high) after rounding to float") {
  // Five floats, of which the last is high: a fifth of the values would round to it.
  std::array<int, 4> seen{};
  for (const float x : uniform(1, 0, 1000, 1.0, 1.0 + 0x1p-21)) {
    const auto step = static_cast<int>((x - 1.0f) * 0x1p23f);
    REQUIRE(step >= 0);
    REQUIRE(step < 4);
    ++seen[static_cast<std::size_t>(step)];
  }
  for (const int count : seen) CHECK(count > 0);
  // Bounds that are not floats: the nearest float to 0.7 lies below it.
  for (const float x : uniform(1, 0, 1000, 0.7, 0.7000002)) {
    REQUIRE(x >= 0.7);
    REQUIRE(x < 0.7000002);
  }
  for (const float x : uniform(1, 0, 1000, -FLT_MAX, FLT_MAX)) REQUIRE(std::isfinite(x));
}

TEST_CASE("random.philox has the moments of its distributions") {
  constexpr std::size_t N = 100000;
  const double root = std::sqrt(static_cast<double>(N));
  double sum = 0.0, squares = 0.0, fourths = 0.0, neighbors = 0.0, before = 0.0;
  for (const double z : normal(2024, 0, N)) {
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
    neighbors += z * before;
    before = z;
  }
  // Five standard errors: 1, sqrt(2), sqrt(96) and 1, over sqrt(N).
  CHECK(std::fabs(sum / N) <= 5.0 / root);
  CHECK(std::fabs(squares / N - 1.0) <= 5.0 * std::sqrt(2.0) / root);
  CHECK(std::fabs(fourths / N - 3.0) <= 5.0 * std::sqrt(96.0) / root);
  CHECK(std::fabs(neighbors / N) <= 5.0 / root);

  sum = squares = 0.0;
  for (const double u : uniform(2024, 0, N, 0.0, 1.0)) {
    sum += u;
    squares += u * u;
  }
  CHECK(std::fabs(sum / N - 0.5) <= 5.0 * std::sqrt(1.0 / 12.0) / root);
  CHECK(std::fabs(squares / N - 1.0 / 3.0) <= 5.0 * std::sqrt(4.0 / 45.0) / root);
}

TEST_CASE("random.philox_normal scales and shifts the standard normals") {
  const auto z = normal(3, 0, 64);
  const auto scaled = normal(3, 0, 64, 0.0, 0.5);
  for (std::size_t i = 0; i < z.size(); ++i) CHECK(scaled[i] == 0.5f * z[i]);
  for (const float x : normal(3, 0, 64, 1.5, 0.0)) CHECK(x == 1.5f);
}

TEST_CASE("random.torch_normal gives PyTorch's tables of 16 or more elements") {
  // torch.manual_seed(42); nn.Embedding(10, 4): two rounds, then the last 16 of 40 drawn anew.
  TorchGenerator generator(42);
  const auto table = torch_normal(generator, 40);
  check_near(std::span(table).first(4), {1.92691529, 1.48728406, 0.900717199, -2.10552096});
  check_near(std::span(table).last(3), {-0.434454411, -1.38636553, -1.28621554});
}

TEST_CASE("random.torch_normal gives PyTorch's tables of fewer than 16 elements") {
  // torch.manual_seed(0); nn.Embedding(3, 4)
  TorchGenerator generator(0);
  const auto table = torch_normal(generator, 12);
  check_near(std::span(table).first(4), {1.54099607, -0.293428898, -2.17878938, 0.568431258});
  check_near(std::span(table).last(3), {-0.403343529, -0.596635342, 0.182036489});
}

TEST_CASE("random.torch_uniform gives PyTorch's values, bit for bit") {
  // torch.manual_seed(42); nn.init.xavier_uniform_(torch.empty(20, 8))
  TorchGenerator generator(42);
  const double bound = std::sqrt(3.0) * std::sqrt(2.0 / (20 + 8));
  const auto table = torch_uniform(generator, 160, -bound, bound);
  CHECK(table[0] == 0.353912562f);
  CHECK(table[1] == 0.384219021f);
  CHECK(table[2] == -0.10844709f);
  CHECK(table[3] == 0.425234407f);
  CHECK(table[159] == -0.250270575f);
}

TEST_CASE("random.torch_skip_normal advances to PyTorch's second table") {
  // torch.manual_seed(42); nn.Embedding(100, 64); nn.Embedding(128, 64)
  TorchGenerator generator(42);
  random::torch_skip_normal(generator, 100 * 64);
  const auto table = torch_normal(generator, 128 * 64);
  check_near(std::span(table).first(4), {-0.427839726, -0.527760923, -1.79873657, -0.0767778903});
  check_near(std::span(table).last(3), {0.239382803, 1.02033794, 0.484934926});
}

TEST_CASE("random.torch_skip_normal leaves the generator in the state that drawing leaves") {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 31u, 32u, 33u}) {
    CAPTURE(size);
    TorchGenerator drawn(9), skipped(9);
    torch_normal(drawn, 1);  // a sine waits
    torch_normal(skipped, 1);
    torch_normal(drawn, size);
    random::torch_skip_normal(skipped, size);
    CHECK((drawn.words == skipped.words));
    CHECK((drawn.waiting_normal == skipped.waiting_normal));
  }
}

TEST_CASE("random.torch_normal keeps the second of a pair for the next small table") {
  TorchGenerator whole(5), parts(5);
  const auto six = torch_normal(whole, 6);
  auto joined = torch_normal(parts, 3);
  for (const float x : torch_normal(parts, 3)) joined.push_back(x);
  CHECK(joined == six);
}

TEST_CASE("random.TorchGenerator uses the low 32 bits of the seed") {
  TorchGenerator low(42), high((std::uint64_t{1} << 32) + 42);
  CHECK((low.words == high.words));
}

// The reference is the C library's 64-bit long double, which WebAssembly lacks; there the hashes
// above carry the accuracy over.
#if !defined(__EMSCRIPTEN__) && LDBL_MANT_DIG == 64

TEST_CASE("random.philox_normal is within 0.51 ULP of Box and Muller's formula") {
  const auto z = normal(0, 0, 200000);
  const auto check = [](float got, long double exact) {
    const long double spacing = std::ldexp(1.0L, std::ilogb(exact) - 23);
    REQUIRE(std::fabs(got - exact) <= 0.51L * spacing);
  };
  for (std::size_t n = 0; n < z.size(); n += 4) {
    const auto words = random::philox4x32({static_cast<std::uint32_t>(n / 4), 0, 0, 0}, {0, 0});
    for (std::size_t lane = 0; lane < 4; lane += 2) {
      const long double radius = std::sqrt(-2 * std::log((words[lane] + 0.5L) * 0x1p-32L));
      const long double angle = 2 * 0xc.90fdaa22168c235p-2L * words[lane + 1] * 0x1p-32L;
      check(z[n + lane], radius * std::cos(angle));
      check(z[n + lane + 1], radius * std::sin(angle));
    }
  }
}

#endif
