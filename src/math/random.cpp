#include "math/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "math/elementary.h"

namespace phasor::random {
namespace {

// Multipliers and key increments (golden ratio, sqrt(3) - 1) of Salmon et al. 2011.
constexpr std::uint32_t kM0 = 0xd2511f53u;
constexpr std::uint32_t kM1 = 0xcd9e8d57u;
constexpr std::uint32_t kW0 = 0x9e3779b9u;
constexpr std::uint32_t kW1 = 0xbb67ae85u;

// From 300-bit arithmetic, rounded.
constexpr double kInverseTwoPi = 0x1.45f306dc9c883p-3;
constexpr float kTwoPi = 0x1.921fb6p+2f;

// PyTorch draws tables from 16 elements on in rounds of 16.
constexpr std::size_t kRound = 16;

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x & 0xffffffffu); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// Elements first, first + 1, ... of a stream that `elements` makes from blocks of four words.
template <typename Elements>
void fill_from_blocks(std::uint64_t seed, std::uint64_t first, std::span<float> out,
                      Elements elements) {
  const PhiloxKey key = {low_word(seed), high_word(seed)};
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t n = first + i;
    const std::uint64_t block = n / 4;
    const std::array<double, 4> four =
        elements(philox4x32({low_word(block), high_word(block), 0, 0}, key));
    for (std::size_t lane = n % 4; lane < 4 && i < out.size(); ++lane, ++i)
      out[i] = static_cast<float>(four[lane]);
  }
}

elementary::CosSin normal_pair(double u, double turns) {
  const double radius = std::sqrt(-2.0 * elementary::log_f64(u));
  const auto [cos, sin] = elementary::cos_sin_turns(turns);
  return {radius * cos, radius * sin};
}

// The least float32 that is not below x, for x within float32.
float float_at_least(double x) {
  const float nearest = static_cast<float>(x);
  return nearest >= x ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
}

float torch_uniform_24(std::mt19937& words) {
  return static_cast<float>(words() & 0xffffffu) * 0x1p-24f;
}

// PyTorch's kernels fuse this multiply and add; in double the product is exact.
float fused(float x, float scale, float offset) {
  return static_cast<float>(static_cast<double>(x) * scale + offset);
}

double torch_uniform_53(std::mt19937& words) {
  const std::uint64_t high = words();
  const std::uint64_t low = words();
  return static_cast<double>((high << 32 | low) & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

// 16 normals in PyTorch's float32 steps. 2 pi and the angle are float32 there: an exact angle moves
// some results by 1.7e-6.
void torch_normal_round(std::mt19937& words, std::span<float, kRound> out, float mean, float std) {
  for (float& value : out) value = torch_uniform_24(words);
  for (std::size_t j = 0; j < kRound / 2; ++j) {
    const float radius = std::sqrt(-2.0f * elementary::log(1.0f - out[j]));
    const float angle = kTwoPi * out[j + kRound / 2];
    const auto [cos, sin] = elementary::cos_sin_turns(angle * kInverseTwoPi);
    out[j] = fused(radius * static_cast<float>(cos), std, mean);
    out[j + kRound / 2] = fused(radius * static_cast<float>(sin), std, mean);
  }
}

double torch_next_normal(TorchGenerator& generator) {
  if (generator.waiting_normal) {
    const double normal = *generator.waiting_normal;
    generator.waiting_normal.reset();
    return normal;
  }
  const double turns = torch_uniform_53(generator.words);
  const double v = torch_uniform_53(generator.words);
  const auto [cos, sin] = normal_pair(1.0 - v, turns);  // 1 - v is exact
  generator.waiting_normal = sin;
  return cos;
}

}  // namespace

PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) noexcept {
  auto [a, b, c, d] = counter;
  auto [k0, k1] = key;
  for (int round = 0; round < 10; ++round, k0 += kW0, k1 += kW1) {
    const std::uint64_t pa = std::uint64_t{kM0} * a;
    const std::uint64_t pc = std::uint64_t{kM1} * c;
    a = high_word(pc) ^ b ^ k0;
    b = low_word(pc);
    c = high_word(pa) ^ d ^ k1;
    d = low_word(pa);
  }
  return {a, b, c, d};
}

void philox_uniform(std::uint64_t seed, std::uint64_t first, std::span<float> out, double low,
                    double high) noexcept {
  // Rounding to float32 may leave [low, high) at either end; these are its outermost floats.
  const double least = float_at_least(low);
  const double greatest =
      std::nextafter(float_at_least(high), -std::numeric_limits<float>::infinity());
  fill_from_blocks(seed, first, out, [=](const PhiloxCounter& words) {
    std::array<double, 4> four{};
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double x = low + (high - low) * (words[lane] * 0x1p-32);
      four[lane] = std::min(std::max(x, least), greatest);
    }
    return four;
  });
}

void philox_normal(std::uint64_t seed, std::uint64_t first, std::span<float> out, double mean,
                   double std) noexcept {
  fill_from_blocks(seed, first, out, [=](const PhiloxCounter& words) {
    std::array<double, 4> four{};
    for (std::size_t lane = 0; lane < 4; lane += 2) {
      const auto z = normal_pair((words[lane] + 0.5) * 0x1p-32, words[lane + 1] * 0x1p-32);
      four[lane] = mean + std * z.cos;
      four[lane + 1] = mean + std * z.sin;
    }
    return four;
  });
}

void torch_uniform(TorchGenerator& generator, std::span<float> out, double low,
                   double high) noexcept {
  const float from = static_cast<float>(low);
  const float width = static_cast<float>(high) - from;
  for (float& value : out) value = fused(torch_uniform_24(generator.words), width, from);
}

void torch_normal(TorchGenerator& generator, std::span<float> out, double mean,
                  double std) noexcept {
  if (out.size() < kRound) {
    for (float& value : out) value = static_cast<float>(torch_next_normal(generator) * std + mean);
    return;
  }
  const std::size_t left_over = out.size() % kRound;
  const auto draw_round = [&](std::size_t at) {
    torch_normal_round(generator.words, out.subspan(at).first<kRound>(), static_cast<float>(mean),
                       static_cast<float>(std));
  };
  for (std::size_t at = 0; at + kRound <= out.size(); at += kRound) draw_round(at);
  if (left_over > 0) {
    generator.words.discard(left_over);
    draw_round(out.size() - kRound);
  }
}

void torch_skip_normal(TorchGenerator& generator, std::uint64_t size) noexcept {
  if (size < kRound) {
    for (std::uint64_t i = 0; i < size; ++i) torch_next_normal(generator);
    return;
  }
  generator.words.discard(size + (size % kRound > 0 ? kRound : 0));
}

}  // namespace phasor::random
