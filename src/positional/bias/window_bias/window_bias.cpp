#include "positional/bias/window_bias/window_bias.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/nan.h"

namespace phasor::window_bias {
namespace {

float rounded(double x) { return canonical(static_cast<float>(x)); }

bool spans(std::size_t size, std::size_t pretrained) {
  return size > 0 && pretrained > 0 && (size == 1 || pretrained > 1);
}

[[gnu::noinline]] double log_coordinate(std::size_t i, std::size_t size, std::size_t pretrained) {
  if (size == 1) return 0;
  const double steps = static_cast<double>(i) - static_cast<double>(size - 1);
  const double a = 8 * steps / static_cast<double>(pretrained - 1);
  const double log2 = elementary::log_f64(1 + std::fabs(a)) / elementary::log_f64(8);
  return std::copysign(log2, a);
}

/// Where the rows of one axis are set, [2 size - 1], so that they span `wanted` patches.
[[gnu::noinline]] void place(std::size_t size, std::size_t wanted, std::span<double> places) {
  const std::size_t side = size - 1;
  double low = 1.01, high = 1.5, q = 1;
  while (high - low > 1e-6) {
    q = (low + high) / 2;
    double power = 1;
    for (std::size_t n = 0; n < side; ++n) power *= q;
    const bool beyond = (1 - power) / (1 - q) > static_cast<double>(wanted - 1);
    (beyond ? high : low) = q;
  }
  double distance = 1, step = 1;
  places[side] = 0;
  for (std::size_t n = 1; n <= side; ++n) {
    places[side + n] = distance;
    places[side - n] = -distance;
    step *= q;
    distance += step;
  }
}

/// Between which rows a distance lies, and how far along.
struct Between {
  std::size_t left;
  std::size_t right;
  double part;
};

[[gnu::noinline]] Between between(double distance, std::span<const double> places) {
  const auto at = std::ranges::lower_bound(places, distance) - places.begin();
  const std::size_t right = std::min(static_cast<std::size_t>(at), places.size() - 1);
  const std::size_t left = right == 0 ? 0 : right - 1;
  const double gap = places[right] - places[left];
  const double part = gap > 0 ? (distance - places[left]) / gap : 0;
  return {left, right, std::clamp(part, 0.0, 1.0)};
}

}  // namespace

Status log_coordinates(std::size_t h, std::size_t w, std::size_t ph, std::size_t pw,
                       std::span<float> out) noexcept {
  if (!spans(h, ph) || !spans(w, pw)) return Status::kBadParam;
  if (kChecked && out.size() != (2 * h - 1) * (2 * w - 1) * 2) return Status::kBadShape;
  for (std::size_t y = 0, at = 0; y < 2 * h - 1; ++y) {
    for (std::size_t x = 0; x < 2 * w - 1; ++x) {
      out[at++] = static_cast<float>(log_coordinate(y, h, ph));
      out[at++] = static_cast<float>(log_coordinate(x, w, pw));
    }
  }
  return Status::kOk;
}

Status continuous_table(std::size_t h, std::size_t w, std::size_t ph, std::size_t pw,
                        std::span<const float> w1, std::span<const float> b1,
                        std::span<const float> w2, std::size_t M, std::size_t H,
                        std::span<float> table) noexcept {
  if (!spans(h, ph) || !spans(w, pw)) return Status::kBadParam;
  if (kChecked && table.size() != (2 * h - 1) * (2 * w - 1) * H) return Status::kBadShape;
  if (kChecked && (w1.size() != 2 * M || w2.size() != H * M || b1.size() != M))
    return Status::kBadShape;
  for (std::size_t y = 0, at = 0; y < 2 * h - 1; ++y) {
    for (std::size_t x = 0; x < 2 * w - 1; ++x) {
      const double a = log_coordinate(y, h, ph), b = log_coordinate(x, w, pw);
      for (std::size_t n = 0; n < H; ++n) {
        double sum = 0;
        for (std::size_t m = 0; m < M; ++m) {
          const double hidden = w1[2 * m] * a + w1[2 * m + 1] * b + b1[m];
          sum += w2[n * M + m] * (hidden < 0 ? 0 : hidden);  // NaN stays
        }
        table[at++] = rounded(16 / (1 + elementary::exp_f64(-sum)));
      }
    }
  }
  return Status::kOk;
}

Status resize(std::span<const float> table, std::size_t h, std::size_t w, std::size_t nh,
              std::size_t nw, std::size_t H, std::span<double> places,
              std::span<float> out) noexcept {
  if (kChecked && (h == 0 || w == 0 || nh == 0 || nw == 0)) return Status::kBadShape;
  const std::size_t rows = 2 * h - 1, columns = 2 * w - 1;
  if (kChecked && (table.size() != rows * columns * H || places.size() != rows + columns ||
                   out.size() != (2 * nh - 1) * (2 * nw - 1) * H))
    return Status::kBadShape;
  if (h == nh && w == nw) {
    std::ranges::copy(table, out.begin());
    return Status::kOk;
  }
  const auto ys = places.first(rows), xs = places.subspan(rows);
  place(h, nh, ys);
  place(w, nw, xs);
  for (std::size_t y = 0, at = 0; y < 2 * nh - 1; ++y) {
    const Between v = between(static_cast<double>(y) - static_cast<double>(nh - 1), ys);
    for (std::size_t x = 0; x < 2 * nw - 1; ++x) {
      const Between u = between(static_cast<double>(x) - static_cast<double>(nw - 1), xs);
      for (std::size_t n = 0; n < H; ++n, ++at) {
        const auto value = [&](std::size_t row, std::size_t column) {
          return static_cast<double>(table[(row * columns + column) * H + n]);
        };
        const double above = value(v.left, u.left) * (1 - u.part) + value(v.left, u.right) * u.part;
        const double below =
            value(v.right, u.left) * (1 - u.part) + value(v.right, u.right) * u.part;
        out[at] = rounded(above * (1 - v.part) + below * v.part);
      }
    }
  }
  return Status::kOk;
}

}  // namespace phasor::window_bias
