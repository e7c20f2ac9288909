#include "positional/absolute/sinusoidal/sinusoidal.h"

namespace phasor::sinusoidal {
namespace {

phase::Columns columns(std::size_t D, Layout layout, Odd odd) {
  const std::size_t sines = pairs(D, odd);
  const std::size_t cosines = D / 2;
  switch (layout) {
    case Layout::kInterleaved:
      return {.sin = 0, .cos = 1, .step = 2, .row = D, .cosines = cosines};
    case Layout::kHalves:
      return {.sin = 0, .cos = sines, .step = 1, .row = D, .cosines = cosines};
    case Layout::kFlipped:
      return {.sin = cosines, .cos = 0, .step = 1, .row = D, .cosines = cosines};
  }
  return {};
}

void zero_last(std::size_t D, Odd odd, std::span<float> out) {
  if (D % 2 == 0 || odd != Odd::kZeroLast) return;
  for (std::size_t last = D - 1; last < out.size(); last += D) out[last] = 0.0f;
}

}  // namespace

Status table_scalar(std::span<const double> positions, std::size_t D, Layout layout, Odd odd,
                    phase::Precision precision, double amplitude, std::span<const double> workspace,
                    std::span<float> out) noexcept {
  if (kChecked && (D == 0 || out.size() != positions.size() * D)) return Status::kBadShape;
  const Status status = phase::rows_scalar(positions, precision, pairs(D, odd), amplitude,
                                           workspace, out, columns(D, layout, odd));
  if (status == Status::kOk) zero_last(D, odd, out);
  return status;
}

Status table(std::span<const double> positions, std::size_t D, Layout layout, Odd odd,
             phase::Precision precision, double amplitude, std::span<double> workspace,
             std::span<float> out) noexcept {
  if (kChecked && (D == 0 || out.size() != positions.size() * D)) return Status::kBadShape;
  const Status status = phase::rows(positions, precision, pairs(D, odd), amplitude, workspace, out,
                                    columns(D, layout, odd));
  if (status == Status::kOk) zero_last(D, odd, out);
  return status;
}

}  // namespace phasor::sinusoidal
