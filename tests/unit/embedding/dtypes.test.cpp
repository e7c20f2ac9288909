#include "embedding/dtypes/dtypes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bad_shape.h"
#include "bits.h"
#include "embedding/dtypes/blocks.h"
#include "math/half.h"

namespace dtypes = phasor::dtypes;
using dtypes::Format;
using phasor::Status;
using phasor::test::Fingerprint;

namespace {

constexpr int kFormats = 26;

Format format_of(int k) { return static_cast<Format>(k); }

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return bits_of(x) == bits_of(y); });
}

/// Bytes with no pattern.
std::vector<std::uint8_t> noise(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::uint32_t state = 12345;
  for (auto& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

/// A small float by its definition: sign, then exponent and fraction of the given numbers of bits.
double small_float(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const double fraction =
      std::ldexp(static_cast<double>(bits & ((1u << fraction_bits) - 1)), -fraction_bits);
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                       : sign * std::ldexp(1 + fraction, exponent - bias);
}

/// All patterns of a format of 8 or 16 bits.
std::vector<float> all_patterns(Format format) {
  const std::size_t width = dtypes::block_of(format).bytes;
  const std::size_t count = width == 1 ? 256 : 65536;
  std::vector<std::uint8_t> bytes(count * width);
  for (std::size_t k = 0; k < count; ++k) {
    bytes[k * width] = static_cast<std::uint8_t>(k);
    if (width == 2) bytes[2 * k + 1] = static_cast<std::uint8_t>(k >> 8);
  }
  std::vector<float> out(count);
  REQUIRE(dtypes::decode(bytes, format, out) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE("dtypes: all 65,536 patterns of 16 bits have their formats' values") {
  const auto f16 = all_patterns(Format::kF16), bf16 = all_patterns(Format::kBF16);
  const auto i16 = all_patterns(Format::kI16), u16 = all_patterns(Format::kU16);
  int wrong = 0;
  for (std::uint32_t k = 0; k < 65536; ++k) {
    const std::uint32_t sign = (k & 0x8000) << 16;
    if ((k & 0x7fff) < 0x7c00)
      wrong += bits_of(f16[k]) != bits_of(static_cast<float>(small_float(k, 5, 10)));
    else  // infinity and NaN, with sign and payload
      wrong += bits_of(f16[k]) != (sign | 0x7f800000 | (k & 0x3ff) << 13);
    wrong += bits_of(bf16[k]) != k << 16;
    wrong +=
        i16[k] != static_cast<float>(k < 32768 ? static_cast<int>(k) : static_cast<int>(k) - 65536);
    wrong += u16[k] != static_cast<float>(k);
  }
  CHECK(wrong == 0);
}

TEST_CASE("dtypes: all 256 patterns of 8 bits have their formats' values") {
  const auto e4m3 = all_patterns(Format::kF8E4M3), e5m2 = all_patterns(Format::kF8E5M2);
  const auto i8 = all_patterns(Format::kI8), u8 = all_patterns(Format::kU8);
  const auto truth = all_patterns(Format::kBool);
  for (std::uint32_t k = 0; k < 256; ++k) {
    CAPTURE(k);
    const std::uint32_t sign = (k & 0x80) << 24;
    if ((k & 0x7f) == 0x7f)
      CHECK((std::isnan(e4m3[k]) && (bits_of(e4m3[k]) & 0x80000000) == sign));
    else
      CHECK(bits_of(e4m3[k]) == bits_of(static_cast<float>(small_float(k, 4, 3))));
    if ((k & 0x7f) > 0x7c)
      CHECK((std::isnan(e5m2[k]) && (bits_of(e5m2[k]) & 0x80000000) == sign));
    else if ((k & 0x7f) == 0x7c)
      CHECK(bits_of(e5m2[k]) == (sign | 0x7f800000));
    else
      CHECK(bits_of(e5m2[k]) == bits_of(static_cast<float>(small_float(k, 5, 2))));
    CHECK(i8[k] == static_cast<float>(k < 128 ? static_cast<int>(k) : static_cast<int>(k) - 256));
    CHECK(u8[k] == static_cast<float>(k));
    CHECK(truth[k] == (k == 0 ? 0.0f : 1.0f));
  }
  CHECK(e4m3[0x7e] == 448.0f);
  CHECK(e5m2[0x7b] == 57344.0f);
}

TEST_CASE("dtypes: wide numbers are rounded once, ties to even") {
  const auto decoded = [](auto x, Format format) {
    std::vector<std::uint8_t> bytes(sizeof x);
    std::memcpy(bytes.data(), &x, sizeof x);
    float out = 0;
    REQUIRE(dtypes::decode(bytes, format, {&out, 1}) == Status::kOk);
    return out;
  };
  CHECK(decoded(std::int32_t{16777217}, Format::kI32) == 16777216.0f);
  CHECK(decoded(std::int32_t{16777219}, Format::kI32) == 16777220.0f);
  CHECK(decoded(std::int32_t{-2147483647}, Format::kI32) == -0x1p31f);
  CHECK(decoded(std::uint32_t{4294967295u}, Format::kU32) == 0x1p32f);
  // Half way in float32 only after a rounding to double: 2^60 + 2^36 + 1 lies above the middle.
  CHECK(decoded(std::int64_t{(1LL << 60) + (1LL << 36) + 1}, Format::kI64) == 0x1.000002p60f);
  CHECK(decoded(std::int64_t{(1LL << 60) + (1LL << 36)}, Format::kI64) == 0x1p60f);
  CHECK(decoded(std::int64_t{-1}, Format::kI64) == -1.0f);
  CHECK(decoded(std::uint64_t{~0ULL}, Format::kU64) == 0x1p64f);
  CHECK(decoded((1ULL << 63) + (1ULL << 39) + 1, Format::kU64) == 0x1.000002p63f);
  CHECK(decoded(1 + 0x1p-24, Format::kF64) == 1.0f);
  CHECK(decoded(1 + 3 * 0x1p-24, Format::kF64) == 1 + 0x1p-22f);
  CHECK(decoded(0x1p-150, Format::kF64) == 0.0f);
  CHECK(decoded(0x1.8p-149, Format::kF64) == 0x1p-148f);
  CHECK(decoded(1e300, Format::kF64) == HUGE_VALF);
  CHECK(bits_of(decoded(-0.0, Format::kF64)) == 0x80000000);
  CHECK(bits_of(decoded(-std::nan("7"), Format::kF64)) == 0x7fc00000);
  CHECK(bits_of(decoded(std::uint32_t{0xff812345}, Format::kF32)) == 0xff812345);
}

TEST_CASE("dtypes: SIMD equals the scalar definition, bit for bit, for any bytes and tail") {
  const auto bytes = noise(1 << 17);
  for (int k = 0; k < kFormats; ++k) {
    CAPTURE(k);
    const auto block = dtypes::block_of(format_of(k));
    for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 17u, 200u}) {
      const std::span<const std::uint8_t> some(bytes.data() + 1, count * block.bytes);  // unaligned
      std::vector<float> fast(count * block.numbers, 7.0f), slow(fast);
      REQUIRE(dtypes::decode(some, format_of(k), fast) == Status::kOk);
      REQUIRE(dtypes::decode_scalar(some, format_of(k), slow) == Status::kOk);
      CHECK(same(fast, slow));
    }
  }
}

TEST_CASE("dtypes: a block with a non-finite scale gives the canonical NaN, and infinities") {
  std::vector<std::uint8_t> block(34);
  block[1] = 0x7c;  // d = infinity
  block[2] = 1;
  block[3] = 0xff;
  std::vector<float> fast(32), slow(32);
  REQUIRE(dtypes::decode(block, Format::kQ8_0, fast) == Status::kOk);
  REQUIRE(dtypes::decode_scalar(block, Format::kQ8_0, slow) == Status::kOk);
  CHECK(fast[0] == HUGE_VALF);
  CHECK(fast[1] == -HUGE_VALF);
  CHECK(bits_of(fast[2]) == 0x7fc00000);
  CHECK(same(fast, slow));
}

TEST_CASE("dtypes: decoding an encoded value gives it rounded to the nearest") {
  const std::vector<float> x = {0, -0.0f, 1, 65504, 65520, 1e-8f, 257, 3.4e38f, HUGE_VALF};
  for (const Format format : {Format::kF32, Format::kF16, Format::kBF16}) {
    std::vector<std::uint8_t> bytes(x.size() * dtypes::block_of(format).bytes);
    std::vector<float> back(x.size());
    REQUIRE(dtypes::encode(x, format, bytes) == Status::kOk);
    REQUIRE(dtypes::decode(bytes, format, back) == Status::kOk);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto kept = format == Format::kF32   ? phasor::half::Dtype::kFloat32
                        : format == Format::kF16 ? phasor::half::Dtype::kFloat16
                                                 : phasor::half::Dtype::kBfloat16;
      CHECK(bits_of(back[i]) == bits_of(phasor::half::rounded(x[i], kept)));
    }
  }
}

TEST_CASE("dtypes: scaled codes are products, at every tail length") {
  const auto codes = noise(50);
  for (std::size_t count = 0; count <= 50; ++count) {
    std::vector<float> out(count);
    dtypes::blocks::scale_codes(reinterpret_cast<const std::int8_t*>(codes.data()), count, 0.37f,
                                out.data());
    for (std::size_t i = 0; i < count; ++i)
      CHECK(out[i] == 0.37f * static_cast<float>(static_cast<std::int8_t>(codes[i])));
  }
}

TEST_CASE("dtypes: rejects wrong sizes and unknown formats, and writes nothing") {
  std::vector<std::uint8_t> bytes(68);
  std::vector<float> out(64, 7.0f);
  const auto refused = [&](std::size_t size, int format, std::size_t count) {
    return dtypes::decode({bytes.data(), size}, format_of(format), {out.data(), count});
  };
  CHECK_BAD_SHAPE(refused(34, 15, 64));
  CHECK_BAD_SHAPE(refused(68, 15, 63));
  CHECK_BAD_SHAPE(refused(33, 15, 32));
  CHECK_BAD_SHAPE(refused(63, 0, 16));
  CHECK(refused(64, -1, 16) == Status::kBadParam);
  CHECK(refused(64, kFormats, 16) == Status::kBadParam);
  CHECK_BAD_SHAPE(dtypes::decode_scalar({bytes.data(), 33}, Format::kQ8_0, {out.data(), 32}));
  CHECK_BAD_SHAPE(dtypes::encode({out.data(), 2}, Format::kF16, {bytes.data(), 5}));
  CHECK(dtypes::encode({out.data(), 2}, Format::kI8, {bytes.data(), 2}) == Status::kBadParam);
  CHECK(out == std::vector<float>(64, 7.0f));
}

TEST_CASE("dtypes: the same bits natively and in wasm") {
  const auto bytes = noise(1 << 14);
  Fingerprint all;
  for (int k = 0; k < kFormats; ++k) {
    const auto block = dtypes::block_of(format_of(k));
    std::vector<float> out(50 * block.numbers);
    REQUIRE(dtypes::decode({bytes.data(), 50 * block.bytes}, format_of(k), out) == Status::kOk);
    all.add(out);
  }
  CHECK(all.value() == 0xcd6b210bc5697e3cu);
}
