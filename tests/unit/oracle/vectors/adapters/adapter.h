// A port of LLaMA 2, Qwen2-VL, MPT and T5 in float32: right, or with the slip that the variable SLIP names.
#include <algorithm>
#include <cmath>
#include <cstdlib>

const char* const kGiven = std::getenv("SLIP");
const std::string kSlip = kGiven ? kGiven : "";

Floats rotate(const Floats& x, const Shape& shape, const Floats& positions, int) {
  const long T = shape[2], D = shape[3], P = D / 2;
  Floats result = x;
  for (size_t row = 0; row < x.size() / D; ++row) {
    const float* from = &x[row * D];
    for (long i = 0; i < P; ++i) {
      const double base = kSlip == "base" ? 5e5 : 1e4;
      const long axis = long(positions.size()) == T ? 0 : (i >= 2) + (i >= 5);  // sections 2, 3, 3
      const double angle = positions[axis * T + row % T] * std::pow(base, -2.0 * i / D);
      const double c = std::cos(angle), s = std::sin(kSlip == "sign" ? -angle : angle);
      const auto [a, b] = kSlip == "layout" ? std::pair(2 * i, 2 * i + 1) : std::pair(i, i + P);
      result[row * D + a] = float(from[a] * c - from[b] * s);
      result[row * D + b] = float(from[b] * c + from[a] * s);
    }
  }
  return result;
}

Floats position_ids(const Floats& mask, const Shape& shape) {
  Floats result(mask.size());
  for (size_t i = 0; i < mask.size(); ++i) {
    const bool is_first = i % shape[1] == 0;
    const float step = kSlip == "padding" ? 1 : mask[i];
    result[i] = (is_first ? -1 : result[i - 1]) + step;
  }
  return result;
}

Floats embed(const Floats& ids, const std::map<std::string, Floats>& weights) {
  const Floats& words = weights.at("words");
  const size_t E = words.size() / 64;
  Floats result;
  for (const float id : ids)
    result.insert(result.end(), words.begin() + id * E, words.begin() + (id + 1) * E);
  return result;
}

Floats position_ids_3d(const Floats& types, const Floats& images, const Floats& videos) {
  const size_t T = types.size();
  Floats result(3 * T);
  for (size_t i = 0; i < 3 * T; ++i) result[i] = float(i % T);
  float next = 0;
  for (size_t t = 0; t < T && kSlip != "flat"; ++next) {
    const Floats& grid = types[t] == 1 ? images : videos;
    const size_t count = types[t] == 0 ? 1 : size_t(grid[0] * grid[1] * grid[2]);
    const size_t columns = types[t] == 0 ? 1 : size_t(grid[2]),
                 area = types[t] == 0 ? 1 : columns * size_t(grid[1]);
    for (size_t n = 0; n < count; ++n, ++t) {
      result[t] = next + float(n / area);
      result[T + t] = next + float(n % area / columns);
      result[2 * T + t] = next + float(n % columns);
    }
    for (size_t axis = 0; axis < 3; ++axis) next = std::max(next, result[axis * T + t - 1]);
  }
  return result;
}

Floats bias(long queries, long keys) {
  Floats result;
  for (long row = 0; row < 4 * queries; ++row)
    for (long k = 0; k < keys; ++k)
      result.push_back(kSlip == "no bias" ? 0
                                          : float(k) * std::pow(4.0f, float(-1 - row / queries)));
  return result;
}

Floats buckets(long queries, long keys, bool causal) {
  Floats result;
  const long all = causal != (kSlip == "direction") ? 32 : 16, exact = all / 2;
  for (long q = 0; q < queries; ++q)
    for (long k = 0; k < keys; ++k) {
      const long place = k - q - (keys - queries),
                 far = all == 32 ? std::max(-place, 0L) : std::labs(place);
      const double share = std::log(double(std::max(far, 1L)) / exact) / std::log(128.0 / exact);
      const long bucket = far < exact ? far : std::min(exact + long(share * exact + 1e-9), all - 1);
      result.push_back(float(bucket + (all == 16 && place > 0 ? 16 : 0)));
    }
  return result;
}
