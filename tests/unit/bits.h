// A fingerprint of results, bit for bit: the same constant natively and in wasm.
#pragma once
#include <bit>
#include <cstdint>
#include <span>

namespace phasor::test {

/// FNV-1a over the bits of floats, in order.
class Fingerprint {
 public:
  void add(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (int shift = 0; shift < 32; shift += 8)
      hash_ = (hash_ ^ ((bits >> shift) & 0xff)) * 0x100000001b3u;
  }
  void add(std::span<const float> values) {
    for (const float x : values) add(x);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace phasor::test
