#include "__MODULE__/__NAME__.h"

#include "math/lanes.h"

namespace phasor::__NAME__ {
namespace {

// FILL IN the formula: this is the position itself.
float value(std::size_t t, std::size_t) { return static_cast<float>(t); }

bool shapes_agree(std::size_t T, std::size_t D, std::span<float> out) {
  return D > 0 && out.size() == T * D;
}

}  // namespace

Status table_scalar(std::size_t first, std::size_t T, std::size_t D,
                    std::span<float> out) noexcept {
  if (kChecked && !shapes_agree(T, D, out)) return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t d = 0; d < D; ++d) out[t * D + d] = value(first + t, d);
  return Status::kOk;
}

Status table(std::size_t first, std::size_t T, std::size_t D, std::span<float> out) noexcept {
  if (kChecked && !shapes_agree(T, D, out)) return Status::kBadShape;
  for (std::size_t t = 0; t < T; ++t) {
    float* row = out.data() + t * D;
    const v128_t values = wasm_f32x4_splat(value(first + t, 0));
    std::size_t d = 0;
    for (; d + 4 <= D; d += 4) wasm_v128_store(row + d, values);
    for (; d < D; ++d) row[d] = value(first + t, d);
  }
  return Status::kOk;
}

}  // namespace phasor::__NAME__
