// The decoders of number formats under libFuzzer: any bytes, any length, any alignment. The kernel gives the
// bits of the scalar definition, reads and writes nothing beside its arrays, and refuses a wrong length
// without writing. scripts/test/fuzz-native.js compiles this with AddressSanitizer and UndefinedBehaviorSanitizer.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "embedding/dtypes/dtypes.h"
#include "math/half.h"

namespace dtypes = phasor::dtypes;
namespace half = phasor::half;
using dtypes::Format;
using phasor::Status;

namespace {

constexpr int kFormats = 26;
constexpr float kUntouched = -12345.5f;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_nan(float x) { return x != x; }

/// An array of exactly this size, so that AddressSanitizer sees the first byte behind it.
template <typename T>
std::unique_ptr<T[]> filled(std::size_t size, T value) {
  auto array = std::make_unique<T[]>(size);
  for (std::size_t i = 0; i < size; ++i) array[i] = value;
  return array;
}

void check_halves(float x) {
  const float f16 = half::from_f16(half::to_f16(x)), bf16 = half::from_bf16(half::to_bf16(x));
  require(is_nan(f16) == is_nan(x) && is_nan(bf16) == is_nan(x));
  if (is_nan(x)) return;
  require(half::to_f16(f16) == half::to_f16(x));
  require(half::to_bf16(bf16) == half::to_bf16(x));
  require(std::signbit(f16) == std::signbit(x) && std::signbit(bf16) == std::signbit(x));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto format = static_cast<Format>(data[0] % (kFormats + 1));  // one beyond the last
  const std::size_t shift = data[1] % 16;
  const bool is_short = data[2] % 16 == 0;
  data += 3;
  size -= 3;
  const auto [numbers, width] = dtypes::block_of(format);
  const std::size_t blocks = width == 0 ? 0 : size / width;
  const std::size_t length = is_short && size > 0 ? size : blocks * width;
  const auto memory = filled<std::uint8_t>(shift + length, 0);
  std::memcpy(memory.get() + shift, data, length);
  const std::span<const std::uint8_t> bytes(memory.get() + shift, length);

  const std::size_t count = blocks * numbers;
  const auto kernel = filled(count, kUntouched), scalar = filled(count, kUntouched);
  const std::span<float> out(kernel.get(), count), expected(scalar.get(), count);
  const Status status = dtypes::decode(bytes, format, out);
  require(dtypes::decode_scalar(bytes, format, expected) == status);
  require(std::memcmp(kernel.get(), scalar.get(), count * sizeof(float)) == 0);
  if (status != Status::kOk) {
    for (float x : out) require(x == kUntouched);
    return 0;
  }
  require(length == blocks * width);
  for (float x : out) check_halves(x);

  // What a format can hold comes back as the same bits, but for NaN.
  const auto again = filled<std::uint8_t>(length, 0);
  if (dtypes::encode(out, format, {again.get(), length}) != Status::kOk) return 0;
  const auto twice = filled(count, kUntouched);
  require(dtypes::decode({again.get(), length}, format, {twice.get(), count}) == Status::kOk);
  for (std::size_t i = 0; i < count; ++i) {
    const bool same =
        std::bit_cast<std::uint32_t>(twice[i]) == std::bit_cast<std::uint32_t>(kernel[i]);
    require(same || (is_nan(twice[i]) && is_nan(kernel[i])));
  }
  return 0;
}
