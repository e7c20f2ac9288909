#include "embedding/embedding/quantized.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "embedding/dtypes/blocks.h"
#include "embedding/dtypes/dtypes.h"
#include "math/linear.h"
#include "math/nan.h"

namespace phasor::packed {
namespace {

using dtypes::Format;

Format format_of(Dtype dtype) {
  if (dtype == Dtype::kFloat32) return Format::kF32;
  return dtype == Dtype::kFloat16 ? Format::kF16 : Format::kBF16;
}

bool fits(const Rows& rows, std::size_t N) {
  return rows.D > 0 && rows.codes.size() == N * rows.D * width_of(rows.dtype) &&
         (rows.dtype != Dtype::kInt8 || rows.scales.size() == N);
}

/// A view of row n.
Rows row_of(const Rows& rows, std::size_t n) {
  const std::size_t bytes = rows.D * width_of(rows.dtype);
  const bool scaled = rows.dtype == Dtype::kInt8;
  return {rows.dtype, rows.D, rows.codes.subspan(n * bytes, bytes),
          scaled ? rows.scales.subspan(n, 1) : rows.scales};
}

void unpack_row(const Rows& row, float* out) {
  if (row.dtype != Dtype::kInt8) {
    static_cast<void>(dtypes::decode(row.codes, format_of(row.dtype), {out, row.D}));
    return;
  }
  dtypes::blocks::scale_codes(reinterpret_cast<const std::int8_t*>(row.codes.data()), row.D,
                              row.scales[0], out);
}

/// Rounds a row to multiples of a scale. Returns false if a number is not finite.
bool pack_int8(std::span<const float> x, const Rows& row) {
  float largest = 0, sum = 0;
  for (const float value : x) {
    largest = std::max(largest, std::fabs(value));
    sum += value - value;  // becomes NaN when a number is not finite
  }
  if (sum != 0) return false;
  const float scale = row.scales[0] = largest / 127;
  for (std::size_t d = 0; d < x.size(); ++d) {
    // A subnormal scale has few bits, and may be 0.
    const double code =
        scale > 0 ? std::rint(static_cast<double>(x[d]) / static_cast<double>(scale)) : 0;
    row.codes[d] =
        static_cast<std::uint8_t>(static_cast<std::int8_t>(std::clamp(code, -127.0, 127.0)));
  }
  return true;
}

/// Rounds up to float32.
float rounded_up(double x) {
  const float near = static_cast<float>(x);
  if (!(near < std::numeric_limits<float>::infinity())) {
    return std::numeric_limits<float>::infinity();  // also for NaN: there is no bound
  }
  const bool below = static_cast<double>(near) < x;
  return below ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) + 1) : near;
}

/// Computes the error bounds of a row.
void measure(std::span<const float> x, std::span<const float> kept, const Errors& errors,
             std::size_t n) {
  const double square = linear::dot(kept, kept), own = linear::dot(x, x);
  const double length = std::sqrt(own), kept_length = std::sqrt(square);
  const double unit = length > 0 ? 1 / length : 0,
               kept_unit = kept_length > 0 ? 1 / kept_length : 0;
  errors.squares[n] = square;
  double gaps = 0, turns = 0;
  bool same = true;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double a = static_cast<double>(x[d]), b = static_cast<double>(kept[d]);
    const bool equal = a == b || (a != a && b != b);
    same = same && equal;
    const double gap = equal ? 0 : a - b;
    const double turn = a * unit - b * kept_unit;
    gaps += gap * gap;
    turns += turn * turn;
  }
  // Four times the rounding error of a sum of D products in double, see quantized.h.
  const double slack = static_cast<double>(x.size() + 16) * 0x1p-50;
  errors.lengths[n] =
      same ? 0 : rounded_up(std::sqrt(gaps) * (1 + slack) + slack * (length + kept_length));
  errors.directions[n] = same ? 0 : rounded_up(std::sqrt(turns) * (1 + slack) + slack);
}

}  // namespace

std::size_t width_of(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::kFloat32:
      return 4;
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      return 2;
    case Dtype::kInt8:
      return 1;
  }
  return 0;
}

Status pack(std::span<const float> x, Rows rows, Errors errors,
            std::span<float> workspace) noexcept {
  const std::size_t D = rows.D;
  if (width_of(rows.dtype) == 0) return Status::kBadParam;
  if (kChecked && (D == 0 || x.size() % D != 0 || workspace.size() != D)) return Status::kBadShape;
  const std::size_t N = x.size() / D;
  if (kChecked && (!fits(rows, N) || errors.lengths.size() != N || errors.directions.size() != N ||
                   errors.squares.size() != N))
    return Status::kBadShape;
  for (std::size_t n = 0; n < N; ++n) {
    const auto given = x.subspan(n * D, D);
    const Rows row = row_of(rows, n);
    if (rows.dtype != Dtype::kInt8)
      static_cast<void>(dtypes::encode(given, format_of(rows.dtype), row.codes));
    else if (!pack_int8(given, row))
      return Status::kBadParam;
    unpack_row(row, workspace.data());
    measure(given, workspace, errors, n);
  }
  return Status::kOk;
}

Status unpack(Rows rows, std::span<float> out) noexcept {
  if (width_of(rows.dtype) == 0) return Status::kBadParam;
  if (kChecked && (rows.D == 0 || out.size() % rows.D != 0 || !fits(rows, out.size() / rows.D)))
    return Status::kBadShape;
  for (std::size_t n = 0; n < out.size() / rows.D; ++n)
    unpack_row(row_of(rows, n), out.data() + n * rows.D);
  return Status::kOk;
}

Status gather(Rows rows, std::span<const std::int32_t> ids, std::span<float> out) noexcept {
  const std::size_t width = width_of(rows.dtype);
  if (width == 0) return Status::kBadParam;
  const std::size_t N = rows.D == 0 ? 0 : rows.codes.size() / (rows.D * width);
  if (kChecked && (!fits(rows, N) || out.size() != ids.size() * rows.D)) return Status::kBadShape;
  for (const std::int32_t id : ids)
    if (id < 0 || static_cast<std::size_t>(id) >= N) return Status::kBadIndex;
  for (std::size_t t = 0; t < ids.size(); ++t)
    unpack_row(row_of(rows, static_cast<std::size_t>(ids[t])), out.data() + t * rows.D);
  return Status::kOk;
}

}  // namespace phasor::packed
