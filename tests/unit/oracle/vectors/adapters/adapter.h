// A port of LLaMA 2 in float32: right, or with the slip that the variable SLIP names.
#include <cmath>
#include <cstdlib>

const char* const kGiven = std::getenv("SLIP");
const std::string kSlip = kGiven ? kGiven : "";

Floats rotate(const Floats& x, const Shape& shape, const Floats& positions, int) {
  const long D = shape[3], P = D / 2;
  Floats result = x;
  for (size_t row = 0; row < x.size() / D; ++row) {
    const float* from = &x[row * D];
    for (long i = 0; i < P; ++i) {
      const double base = kSlip == "base" ? 5e5 : 1e4;
      const double angle = positions[row % shape[2]] * std::pow(base, -2.0 * i / D);
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
