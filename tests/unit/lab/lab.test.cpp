// The decoder of the lab against one in double, whose gradient is by central differences.
#include "lab/lab/lab.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bits.h"
#include "lab/lab/adamw.h"
#include "math/phase.h"
#include "math/random.h"
#include "positional/bias/alibi/alibi.h"
#include "positional/rotary/rope/rope.h"
#include "sampled.h"

namespace lab = phasor::lab;
using lab::Kind;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ids = std::vector<std::int32_t>;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }

Floats drawn(std::size_t size, std::uint64_t seed, double std = 1) {
  Floats numbers(size);
  phasor::random::philox_normal(seed, 0, numbers, 0, std);
  return numbers;
}

bool same_bits(const float* a, const float* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  return true;
}

lab::Sizes sizes(std::size_t E, std::size_t H, std::size_t L, std::size_t B, std::size_t T) {
  lab::Sizes s{};
  s.V = 6;
  s.E = E;
  s.H = H;
  s.L = L;
  s.F = 12;
  s.B = B;
  s.T = T;
  return s;
}

/// The larger of two differences, or NaN.
double larger(double most, double x) { return std::isnan(most) || x <= most ? most : x; }

/// What a decoder of the tests has.
struct Case {
  const char* name;
  Kind kind = Kind::kNone;
  std::size_t size = 0;   // as lab::Scheme's
  std::size_t pairs = 0;  // as lab::Scheme's
  std::size_t R = 0;
  bool isAdded = false, isTied = false, isBiased = false, isUnread = false;
};

/// A scheme of each kind, and the other ways of the decoder.
const std::vector<Case> kCases{
    {"none"},
    {"rotation of all columns", Kind::kRotation, 0, 2},
    {"rotation of some columns", Kind::kRotation, 0, 1},
    {"line", Kind::kLine},
    {"T5", Kind::kT5, 5},
    {"KERPLE log", Kind::kKerpleLog},
    {"KERPLE power", Kind::kKerplePower},
    {"FIRE", Kind::kFire, 6},
    {"Shaw", Kind::kShaw, 4},
    {"CoPE", Kind::kCope, 5},
    {"CoPE of two positions", Kind::kCope, 2},
    {"learned rows", Kind::kNone, 0, 0, 60},
    {"learned rows that another scheme leaves", Kind::kLine, 0, 0, 9, false, false, false, true},
    {"sinusoids", Kind::kNone, 0, 0, 0, true},
    {"tied", Kind::kNone, 0, 0, 0, false, true},
    {"a bias of in_proj", Kind::kRotation, 0, 2, 0, false, false, true},
};

/// Where tokens stand.
enum class Where { kConsecutive, kShared, kOwn };

/// A decoder with all memory that it takes, each piece as long as its contract says and full of NaN.
struct Model {
  Model(const Case& of, std::size_t B, std::size_t T, Where where = Where::kConsecutive,
        std::size_t L = 1, std::size_t E = 8, std::size_t H = 2)
      : Model(of, sizes(E, H, L, B, T), where) {}

  Model(const Case& of, lab::Sizes given, Where where) : s(given) {
    s.R = of.R;
    reads = of.R > 0 && !of.isUnread;
    s.tied = of.isTied;
    s.biased = of.isBiased;
    const std::size_t D = s.E / s.H, texts = where == Where::kOwn ? s.B : 1;
    if (where != Where::kConsecutive) {
      for (std::size_t b = 0; b < texts; ++b)
        for (std::size_t t = 0; t < s.T; ++t)
          indices.push_back(static_cast<std::int32_t>(t + b + t * t / 7 + (t > 2 ? b : 0)));
      N = 1 + static_cast<std::size_t>(*std::ranges::max_element(indices));
    } else {
      N = s.T;
    }
    scheme.kind = of.kind;
    scheme.pairs = of.pairs;
    scheme.size = of.size;
    s.numbers = padded(lab::numbers_of(scheme, s.H, D));
    s.extra = of.kind == Kind::kShaw || of.kind == Kind::kCope ? of.size : 0;
    scheme.at = lab::weights_of(s) - s.numbers;
    if (of.kind == Kind::kRotation) tables = drawn(4 * texts * s.T * of.pairs, 9);
    if (of.kind == Kind::kFire) {
      tables = Floats(2 * N + 4, kNaN);
      lab::fire_tables(kC, kThreshold, N, tables);
    }
    if (of.kind == Kind::kLine) line = drawn(s.H * N + 4, 10);
    if (of.kind >= Kind::kT5 && of.kind <= Kind::kKerplePower) {
      line = Floats(s.H * N + 4, kNaN);
      sums = line;
    }
    if (of.kind == Kind::kT5) {
      for (std::size_t n = 0; n < N; ++n)
        index.push_back(static_cast<std::int32_t>(std::min(n < 3 ? n : 2 + n / 3, of.size - 1)));
    }
    if (of.isAdded) added = drawn(texts * s.T * s.E, 11);
    weights = drawn(lab::weights_of(s), 12, 0.6);
    gradients = Floats(weights.size(), kNaN);
    for (std::size_t i = 0; i < s.B * s.T; ++i) {
      ids.push_back(static_cast<std::int32_t>((i * i + 3 * i) % s.V));
      targets.push_back(i % 5 == 3 ? -1 : static_cast<std::int32_t>((2 * i + 1) % s.V));
    }
    if (where == Where::kConsecutive) CHECK(indices.empty());
  }

  lab::Decoder decoder(bool trains) {
    const auto at = [](auto& of) { return of.empty() ? nullptr : of.data(); };
    scheme.tables = at(tables);
    scheme.index = at(index);
    scheme.line = at(line);
    scheme.sums = at(sums);
    layers.assign(s.L, scheme.kind == Kind::kNone ? -1 : 0);
    const std::size_t texts = indices.size() > s.T ? s.B : 1;
    return {.sizes = s,
            .positions = {N, texts, at(indices)},
            .schemes = {&scheme, 1},
            .layers = layers,
            .weights = weights.data(),
            .added = at(added),
            .temperature = temperature,
            .learned = reads,
            .trains = trains};
  }

  /// The logits, [B * T, padded V], within the workspace.
  float* forward(bool trains) {
    workspace.assign(lab::workspace_of(s, trains), kNaN);
    return lab::forward(decoder(trains), ids.data(), workspace.data());
  }

  double backward() {
    const lab::Loss loss = lab::backward(decoder(true), ids.data(), targets.data(),
                                         workspace.data(), gradients.data());
    return loss.sum / static_cast<double>(loss.counted);
  }

  static constexpr double kC = 0.3, kThreshold = 5;
  lab::Sizes s;
  std::size_t N;
  lab::Scheme scheme{};
  Floats tables, line, sums, added, weights, gradients, workspace;
  Ids index, indices, ids, targets, layers;
  float temperature = 1.25f;
  bool reads;  // the learned rows
};

/// The decoder in double, as lab.h describes it.
struct Plain {
  explicit Plain(const Model& of) : m(of), s(of.s), D(s.E / s.H) {}

  /// A run of parameters, by its place.
  struct Run {
    std::string name;
    std::size_t at, count;
  };

  std::vector<Run> runs() const {
    std::vector<Run> all;
    std::size_t end = 0;
    const auto next = [&](const char* name, std::size_t count) {
      if (count > 0) all.push_back({name, end, count});
      end += padded(count);
    };
    next("tokens", s.V * s.E);
    next("positions", s.R * s.E);
    for (std::size_t l = 0; l < s.L; ++l) {
      next("norm1.weight", s.E);
      next("norm1.bias", s.E);
      next("in.weight", 3 * s.E * s.E);
      next("in.bias", s.biased * 3 * s.E);
      next("out.weight", s.E * s.E);
      next("out.bias", s.E);
      next("norm2.weight", s.E);
      next("norm2.bias", s.E);
      next("mlp.in.weight", s.F * s.E);
      next("mlp.in.bias", s.F);
      next("mlp.out.weight", s.E * s.F);
      next("mlp.out.bias", s.E);
    }
    next("norm.weight", s.E);
    next("norm.bias", s.E);
    if (s.tied == 0) next("head.weight", s.V * s.E);
    next("head.bias", s.V);
    next("numbers", lab::numbers_of(m.scheme, s.H, D));
    CHECK(end == lab::weights_of(s));
    return all;
  }

  static Doubles normed(const Doubles& x, std::size_t E, const double* weight, const double* bias) {
    Doubles y(x.size());
    for (std::size_t t = 0; t < x.size(); t += E) {
      double mean = 0, square = 0;
      for (std::size_t e = 0; e < E; ++e) mean += x[t + e] / static_cast<double>(E);
      for (std::size_t e = 0; e < E; ++e)
        square += (x[t + e] - mean) * (x[t + e] - mean) / static_cast<double>(E);
      for (std::size_t e = 0; e < E; ++e)
        y[t + e] = (x[t + e] - mean) / std::sqrt(square + 1e-5) * weight[e] + bias[e];
    }
    return y;
  }

  static Doubles projected(const Doubles& x, std::size_t in, const double* w, std::size_t out,
                           const double* bias) {
    Doubles y(x.size() / in * out);
    for (std::size_t t = 0; t < x.size() / in; ++t) {
      for (std::size_t o = 0; o < out; ++o) {
        double sum = bias == nullptr ? 0 : bias[o];
        for (std::size_t i = 0; i < in; ++i) sum += x[t * in + i] * w[o * in + i];
        y[t * out + o] = sum;
      }
    }
    return y;
  }

  std::size_t position(std::size_t b, std::size_t t) const {
    if (m.indices.empty()) return t;
    return static_cast<std::size_t>(m.indices[(m.indices.size() > s.T ? b * s.T : 0) + t]);
  }

  std::size_t own(std::size_t b, std::size_t t) const {
    return (m.indices.size() > s.T ? b * s.T : 0) + t;
  }

  void rotate(Doubles& qkv, std::size_t b, std::size_t t) const {
    const std::size_t P = m.scheme.pairs, run = m.tables.size() / 4;
    for (std::size_t side = 0; side < 2; ++side) {
      const float* cos = m.tables.data() + 2 * side * run + own(b, t) * P;
      for (std::size_t h = 0; h < s.H; ++h) {
        double* row = &qkv[(b * s.T + t) * 3 * s.E + side * s.E + h * D];
        for (std::size_t i = 0; i < P; ++i) {
          const double x = row[i], y = row[P + i], c = static_cast<double>(cos[i]),
                       n = static_cast<double>(cos[run + i]);
          row[i] = x * c - y * n;
          row[P + i] = y * c + x * n;
        }
      }
    }
  }

  /// What is added to the score of query i and key j: scores are those of the query before the scale.
  double term(const double* numbers, std::size_t b, std::size_t h, std::size_t i, std::size_t j,
              const double* q, const Doubles& scores) const {
    const std::size_t n = position(b, i) - position(b, j), C = m.scheme.size;
    const double r = static_cast<double>(n);
    const auto dot = [&](std::size_t c) {
      double sum = 0;
      for (std::size_t d = 0; d < D; ++d) sum += q[d] * numbers[c * D + d];
      return sum;
    };
    switch (m.scheme.kind) {
      case Kind::kLine:
        return static_cast<double>(m.line[h * m.N + m.N - 1 - n]);
      case Kind::kT5:
        return numbers[static_cast<std::size_t>(m.index[n]) * s.H + h];
      case Kind::kKerpleLog:
        return -std::fabs(numbers[h]) * std::log1p(std::fabs(numbers[s.H + h]) * r);
      case Kind::kKerplePower:
        return n == 0 ? 0 : -std::fabs(numbers[s.H + h]) * std::pow(r, std::fabs(numbers[h]));
      case Kind::kFire: {
        const double most = std::max(static_cast<double>(position(b, i)), Model::kThreshold);
        const double x = std::log1p(Model::kC * r) / (std::log1p(Model::kC * most) + 1e-6);
        double sum = numbers[2 * C + s.H * C + h];
        for (std::size_t u = 0; u < C; ++u)
          sum += numbers[2 * C + h * C + u] * std::max(0.0, numbers[u] * x + numbers[C + u]);
        return sum;
      }
      case Kind::kShaw:
        return dot(std::min(n, C - 1)) * scale();
      case Kind::kCope: {
        double at = 0;
        for (std::size_t k = j; k <= i; ++k)
          at += 1 / (1 + std::exp(-scores[k] / std::sqrt(static_cast<double>(D))));
        at = std::min(at, static_cast<double>(C - 1));
        const std::size_t below = std::min(static_cast<std::size_t>(at), C - 2);
        const double share = at - static_cast<double>(below);
        return (1 - share) * dot(below) + share * dot(below + 1);
      }
      default:
        return 0;
    }
  }

  double scale() const {
    return static_cast<double>(m.temperature) / std::sqrt(static_cast<double>(D));
  }

  /// The mean loss with weights W; fills logits [B * T, V] and attention [L, B, H, T, T].
  double loss(const Doubles& W) {
    const std::vector<Run> all = runs();
    std::size_t at = 0;
    const auto next = [&] { return W.data() + all[at++].at; };
    const std::size_t n = s.B * s.T, E = s.E;
    const double* tokens = next();
    const double* rows = s.R > 0 ? next() : nullptr;
    if (!m.reads) rows = nullptr;
    const double* numbers = W.data() + m.scheme.at;
    Doubles x(n * E);
    for (std::size_t b = 0; b < s.B; ++b) {
      for (std::size_t t = 0; t < s.T; ++t) {
        for (std::size_t e = 0; e < E; ++e) {
          double& to = x[(b * s.T + t) * E + e];
          to = tokens[static_cast<std::size_t>(m.ids[b * s.T + t]) * E + e];
          if (rows != nullptr) to += rows[position(b, t) * E + e];
          if (!m.added.empty()) to += static_cast<double>(m.added[own(b, t) * E + e]);
        }
      }
    }
    attention.assign(s.L * s.B * s.H * s.T * s.T, 0);
    double* shares = attention.data();
    for (std::size_t l = 0; l < s.L; ++l) {
      const double *weight = next(), *bias = next();
      Doubles y = normed(x, E, weight, bias);
      weight = next();
      bias = s.biased != 0 ? next() : nullptr;
      Doubles qkv = projected(y, E, weight, 3 * E, bias), mixed(n * E);
      for (std::size_t b = 0; b < s.B; ++b) {
        for (std::size_t t = 0; t < s.T && m.scheme.kind == Kind::kRotation; ++t) rotate(qkv, b, t);
        for (std::size_t h = 0; h < s.H; ++h) {
          for (std::size_t i = 0; i < s.T; ++i, shares += s.T) {
            const double* q = &qkv[(b * s.T + i) * 3 * E + h * D];
            Doubles scores(i + 1);
            for (std::size_t j = 0; j <= i; ++j) {
              const double* k = &qkv[(b * s.T + j) * 3 * E + E + h * D];
              for (std::size_t d = 0; d < D; ++d) scores[j] += q[d] * k[d];
            }
            double sum = 0;
            for (std::size_t j = 0; j <= i; ++j) {
              shares[j] = std::exp(scale() * scores[j] + term(numbers, b, h, i, j, q, scores));
              sum += shares[j];
            }
            for (std::size_t j = 0; j <= i; ++j) {
              shares[j] /= sum;
              const double* v = &qkv[(b * s.T + j) * 3 * E + 2 * E + h * D];
              for (std::size_t d = 0; d < D; ++d)
                mixed[(b * s.T + i) * E + h * D + d] += shares[j] * v[d];
            }
          }
        }
      }
      weight = next();
      bias = next();
      y = projected(mixed, E, weight, E, bias);
      for (std::size_t i = 0; i < n * E; ++i) x[i] += y[i];
      weight = next();
      bias = next();
      y = normed(x, E, weight, bias);
      weight = next();
      bias = next();
      Doubles z = projected(y, E, weight, s.F, bias);
      for (double& of : z) {
        const double u = std::sqrt(2 / 3.14159265358979323846) * (of + 0.044715 * of * of * of);
        of *= 0.5 * (1 + std::tanh(u));
      }
      weight = next();
      bias = next();
      y = projected(z, s.F, weight, E, bias);
      for (std::size_t i = 0; i < n * E; ++i) x[i] += y[i];
    }
    const double *weight = next(), *bias = next();
    const Doubles y = normed(x, E, weight, bias);
    weight = s.tied != 0 ? tokens : next();
    bias = next();
    logits = projected(y, E, weight, s.V, bias);
    double sum = 0, counted = 0;
    for (std::size_t t = 0; t < n; ++t) {
      if (m.targets[t] < 0) continue;
      double total = 0;
      for (std::size_t v = 0; v < s.V; ++v) total += std::exp(logits[t * s.V + v]);
      sum += std::log(total) - logits[t * s.V + static_cast<std::size_t>(m.targets[t])];
      ++counted;
    }
    return sum / counted;
  }

  const Model& m;
  const lab::Sizes& s;
  std::size_t D;
  Doubles logits, attention;
};

/// Compares a decoder with the plain one: logits, attention, loss, and the slope along a direction in each parameter.
void compare(Model& model) {
  Plain plain(model);
  const lab::Sizes& s = model.s;
  const Doubles start(model.weights.begin(), model.weights.end());
  const double loss = plain.loss(start);
  const float* logits = model.forward(true);
  double most = 0;
  for (std::size_t t = 0; t < s.B * s.T; ++t)
    for (std::size_t v = 0; v < s.V; ++v)
      most = larger(most, std::fabs(static_cast<double>(logits[t * padded(s.V) + v]) -
                                    plain.logits[t * s.V + v]));
  CHECK(most <= 1e-5);
  for (std::size_t l = 0, r = 0; l < s.L; ++l) {
    const float* shares = lab::attention_of(s, l, model.workspace.data());
    most = 0;
    for (std::size_t i = 0; i < s.B * s.H * s.T; ++i, ++r, shares += padded(s.T))
      for (std::size_t j = 0; j < s.T; ++j)
        most =
            larger(most, std::fabs(static_cast<double>(shares[j]) - plain.attention[r * s.T + j]));
    CHECK(most <= 2e-6);  // and 0 for keys after the query
  }
  CHECK(std::fabs(model.backward() - loss) <= 1e-6);
  std::vector<bool> isParameter(start.size());
  for (const auto& [name, at, count] : plain.runs()) {
    std::fill_n(isParameter.begin() + static_cast<long>(at), count, true);
    const auto check = [&](const Doubles& direction, std::size_t from) {
      const double h = 1e-5;
      Doubles more = start, less = start;
      double along = 0, size = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        more[from + i] += h * direction[i];
        less[from + i] -= h * direction[i];
        const double g = static_cast<double>(model.gradients[from + i]);
        along += direction[i] * g;
        size += std::fabs(direction[i]);
      }
      INFO(std::string(name));
      CHECK(std::fabs(along - (plain.loss(more) - plain.loss(less)) / (2 * h)) <=
            3e-7 * (1 + size));
    };
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Floats direction = drawn(count, 100 * seed + at);
      check({direction.begin(), direction.end()}, at);
    }
    if (name == "numbers")
      for (std::size_t i = 0; i < count; ++i) check({1}, at + i);
  }
  for (std::size_t i = 0; i < start.size(); ++i)
    if (!isParameter[i]) CHECK(model.gradients[i] == 0);
}

}  // namespace

TEST_CASE("lab.decoder: logits, attention, loss and gradients equal double, for each kind") {
  auto is_taken = phasor::test::every_nth(5);  // of 6 lengths at least one
  for (const Case& of : kCases) {
    INFO(std::string(of.name));
    for (const std::size_t T : {1u, 2u, 3u, 5u, 12u, 26u}) {
      if (!is_taken()) continue;
      INFO("T ", T);
      Model model(of, T == 26 ? 1 : 2, T);
      compare(model);
    }
  }
}

TEST_CASE("lab.decoder: the same with positions that are given, for all texts or for each") {
  auto is_taken = phasor::test::every_nth(3);
  for (const Case& of : kCases) {
    INFO(std::string(of.name));
    for (const Where where : {Where::kShared, Where::kOwn}) {
      for (const std::size_t T : {3u, 14u}) {
        if (!is_taken()) continue;
        Model model(of, 2, T, where);
        compare(model);
      }
    }
  }
}

TEST_CASE("lab.decoder: the same in two layers, with heads of one column, and with one head") {
  for (const Case& of : kCases) {
    INFO(std::string(of.name));
    Model two(of, 1, 5, Where::kConsecutive, 2);
    compare(two);
    Model one(of, 1, 5, Where::kConsecutive, 1, 4, 1);
    compare(one);
    if (of.kind == Kind::kRotation) continue;
    Model thin(of, 1, 13, Where::kConsecutive, 1, 4, 4);
    compare(thin);
  }
}

TEST_CASE("lab.decoder: the same bits with what training keeps and without, and for texts alone") {
  for (const Case& of : kCases) {
    for (const Where where : {Where::kConsecutive, Where::kShared, Where::kOwn}) {
      Model all(of, 3, 17, where, 2);
      const std::size_t row = padded(all.s.V), T = all.s.T;
      const Floats kept(all.forward(true), all.forward(true) + 3 * T * row);
      const float* logits = all.forward(false);
      for (std::size_t t = 0; t < 3 * T; ++t) {
        INFO(std::string(of.name), " token ", t);
        CHECK(same_bits(logits + t * row, &kept[t * row], all.s.V));
      }
      if (where == Where::kOwn) continue;
      for (std::size_t b = 0; b < 3; ++b) {  // a text does not see the others
        Model alone(of, 1, 17, where, 2);
        alone.weights = all.weights;
        alone.ids.assign(all.ids.begin() + static_cast<long>(b * T),
                         all.ids.begin() + static_cast<long>((b + 1) * T));
        const float* its = alone.forward(false);
        for (std::size_t t = 0; t < T; ++t)
          CHECK(same_bits(its + t * row, &kept[(b * T + t) * row], all.s.V));
      }
    }
  }
}

TEST_CASE("lab.decoder: what comes later changes no bit") {
  for (const Case& of : kCases) {
    if (of.isAdded || of.kind == Kind::kRotation || of.kind == Kind::kLine)
      continue;  // other tables
    INFO(std::string(of.name));
    Model longer(of, 1, 30), shorter(of, 1, 11);
    shorter.weights = longer.weights;
    const float *a = longer.forward(false), *b = shorter.forward(false);
    const std::size_t row = padded(longer.s.V);
    for (std::size_t t = 0; t < 11; ++t) CHECK(same_bits(a + t * row, b + t * row, longer.s.V));
  }
}

TEST_CASE("lab.decoder: a NaN among the weights is one of the loss") {
  for (const Case& of : kCases) {
    if (of.R > 0) continue;  // rows that no token reads
    const std::size_t numbers = lab::weights_of(Model(of, 1, 14).s);
    for (std::size_t at = 0; at < numbers; at += 7) {
      Model model(of, 1, 14);
      model.weights[at] = kNaN;
      const std::vector<Plain::Run> runs = Plain(model).runs();
      // A row of tokens, of the T5 table or of positions that nobody reads does not count.
      const bool isParameter = std::ranges::any_of(runs, [&](const Plain::Run& run) {
        return at >= run.at && at < run.at + run.count && run.name != "tokens" &&
               (run.name != "numbers" || of.kind != Kind::kCope);
      });
      model.forward(true);
      INFO(std::string(of.name), " ", at);
      if (isParameter) CHECK(std::isnan(model.backward()));
    }
  }
}

TEST_CASE("lab.decoder: without a target that counts there is no gradient") {
  Model model(kCases[4], 2, 5);
  std::ranges::fill(model.targets, -1);
  model.forward(true);
  CHECK(std::isnan(model.backward()));
  CHECK(model.gradients == Floats(model.gradients.size()));
}

TEST_CASE("lab.workspace_of: says so where no address reaches") {
  lab::Sizes s = sizes(8, 2, 3, 1, std::size_t{1} << 16);
  if constexpr (sizeof(std::size_t) == 8) s.T <<= 16;
  CHECK(lab::workspace_of(s, true) == SIZE_MAX);
  CHECK(lab::workspace_of(s, false) < SIZE_MAX);
}

TEST_CASE(
    "lab.update: decays the matrices of layers and the head's alone, schemes at their own rate") {
  for (const Case& of : {kCases[4], kCases[7], kCases[11], kCases[14], kCases[15]}) {
    Model model(of, 1, 1, Where::kConsecutive, 2);
    const std::vector<Plain::Run> runs = Plain(model).runs();
    std::ranges::fill(model.weights, 1.0f);
    Floats g(model.weights.size(), 0.0f), m = g, v = g;
    for (const auto& [name, at, count] : runs)
      std::fill_n(g.begin() + static_cast<long>(at), count, 1e-3f);
    const lab::Update with{.rate = 0.125,
                           .bias_rate = 0.5,
                           .beta1 = 0.9,
                           .beta2 = 0.99,
                           .epsilon = 1e-12,
                           .decay = 0.25,
                           .clip = 1,
                           .step = 1};
    const double size = lab::norm(g.data(), g.size());
    Floats w = model.weights;
    CHECK(lab::update(model.s, with, w.data(), g.data(), m.data(), v.data()) == size);
    for (const auto& [name, at, count] : runs) {
      const bool isMatrix = name.ends_with(".weight") && !name.starts_with("norm");
      // The first step of AdamW is the rate, whatever the gradient.
      const double to = 1 - (isMatrix ? 0.25 * 0.125 : 0) - (name == "numbers" ? 0.5 : 0.125);
      for (std::size_t i = at; i < at + count; ++i) {
        INFO(std::string(of.name), " ", name);
        CHECK(static_cast<double>(w[i]) == doctest::Approx(to).epsilon(1e-6));
        CHECK(static_cast<double>(m[i]) == doctest::Approx(1e-4).epsilon(1e-6));
      }
    }
    // Clipped, the moments are those of smaller gradients.
    lab::Update clipped = with;
    clipped.clip = size / 4;
    m.assign(m.size(), 0);
    lab::update(model.s, clipped, w.data(), g.data(), m.data(), v.data());
    CHECK(static_cast<double>(m[0]) == doctest::Approx(2.5e-5).epsilon(1e-6));
    // Nothing is left of a step whose gradients are no numbers.
    for (const float bad : {kNaN, std::numeric_limits<float>::infinity()}) {
      Floats spoiled = g, w2 = w, m2 = m, v2 = v;
      spoiled[5] = bad;
      CHECK(!std::isfinite(
          lab::update(model.s, with, w2.data(), spoiled.data(), m2.data(), v2.data())));
      CHECK((w2 == w && m2 == m && v2 == v));
    }
  }
}

namespace {

/// Trains on the task needle (src/lab/tasks/needle.js), from the weights and the texts that `lab.decoder` with seed 1
/// draws: K of the lab, 40 ids, width 32, 2 heads, 16 texts of 32 tokens.
struct Training {
  static constexpr std::uint64_t kSeed = 1, kRun = std::uint64_t{1} << 28,
                                 kTexts = std::uint64_t{1} << 60;
  static constexpr std::size_t kKeys = 8, kValues = 4;

  Training(Kind kind, std::size_t rows) {
    s.V = 40;
    s.E = 32;
    s.H = 2;
    s.L = 1;
    s.F = 128;
    s.B = 16;
    s.T = 32;
    s.R = rows;
    scheme.kind = kind;
    if (kind == Kind::kT5) scheme.size = 16;
    s.numbers = lab::numbers_of(scheme, s.H, 16);
    weights = Floats(lab::weights_of(s));
    scheme.at = weights.size() - s.numbers;
    gradients = means = squares = Floats(weights.size());
    workspace = Floats(lab::workspace_of(s, true));
    start();
    tabulate();
  }

  void start() {
    const double E = 32, F = 128;
    std::size_t at = 0;
    std::uint64_t parameter = 0;
    const auto normal = [&](std::size_t count, double std) {
      phasor::random::philox_normal(kSeed, parameter++ * kRun,
                                    std::span(weights).subspan(at, count), 0, std);
      at += count;
    };
    const auto all = [&](std::size_t count, float value) {
      std::fill_n(weights.begin() + static_cast<long>(at), count, value);
      at += count;
      ++parameter;
    };
    normal(s.V * s.E, 0.5);
    if (s.R > 0) normal(s.R * s.E, 0.5);
    for (int norm = 0; norm < 2; ++norm) {
      all(s.E, 1);
      all(s.E, 0);
      if (norm == 0) {
        normal(3 * s.E * s.E, std::sqrt(1 / E));
        normal(s.E * s.E, std::sqrt(1 / (2 * E)));
        all(s.E, 0);
      } else {
        normal(s.F * s.E, std::sqrt(1 / E));
        all(s.F, 0);
        normal(s.E * s.F, std::sqrt(1 / (2 * F)));
        all(s.E, 0);
      }
    }
    all(s.E, 1);
    all(s.E, 0);
    normal(s.V * s.E, std::sqrt(1 / E));
    all(s.V, 0);
    REQUIRE(at == scheme.at);
    if (scheme.kind != Kind::kKerpleLog) return;
    for (std::size_t end = at + s.H; end <= weights.size(); end += s.H, ++parameter) {
      phasor::random::philox_uniform(kSeed, parameter * kRun, std::span(weights).subspan(at, s.H),
                                     0, 1);
      for (; at < end; ++at)
        weights[at] = static_cast<float>((2 * static_cast<double>(weights[at]) - 1) * 0.5 + 1);
    }
  }

  void tabulate() {
    const std::size_t P = 8, run = s.T * P;
    if (scheme.kind == Kind::kRotation) {
      scheme.pairs = P;
      tables = Floats(4 * run);
      Doubles positions(s.T), frequencies(phasor::phase::workspace_size(P, true));
      for (std::size_t t = 0; t < s.T; ++t) positions[t] = static_cast<double>(t);
      const auto exact = phasor::phase::Precision::kExact;
      REQUIRE(phasor::phase::frequencies(10000, static_cast<double>(P), exact, P, frequencies) ==
              phasor::Status::kOk);
      REQUIRE(phasor::rope::table(positions, P, exact, 1, frequencies,
                                  std::span(tables).first(2 * run), run) == phasor::Status::kOk);
      std::copy_n(tables.begin(), 2 * run, tables.begin() + static_cast<long>(2 * run));
      scheme.tables = tables.data();
    }
    line = sums = Floats(s.H * s.T + 4);
    if (scheme.kind == Kind::kLine) {
      Floats slopes(s.H);
      REQUIRE(phasor::alibi::slopes(8, phasor::half::Dtype::kFloat32, slopes) ==
              phasor::Status::kOk);
      for (std::size_t h = 0; h < s.H; ++h)
        for (std::size_t n = 0; n < s.T; ++n)
          line[h * s.T + s.T - 1 - n] = -slopes[h] * static_cast<float>(n);
    }
    if (scheme.kind == Kind::kT5) {
      // 8 distances by themselves, then 8 + floor(8 log(n / 8) / log(32 / 8)).
      for (std::uint64_t n = 0; n < s.T; ++n) {
        std::uint64_t bucket = std::min<std::uint64_t>(n, 8), least = 0x1000000;
        const std::uint64_t fourth = n * n * n * n;
        while (n >= 8 && fourth * fourth >= (least *= 4)) ++bucket;
        index.push_back(static_cast<std::int32_t>(bucket));
      }
      scheme.index = index.data();
    }
    if (scheme.kind == Kind::kT5 || scheme.kind == Kind::kKerpleLog) scheme.sums = sums.data();
    if (scheme.kind != Kind::kNone) scheme.line = line.data();
  }

  void fill(std::uint64_t text, std::int32_t* id, std::int32_t* target) const {
    std::uint64_t drawn_so_far = 0;
    const auto below = [&](std::size_t n) {
      float number = 0;
      phasor::random::philox_uniform(kSeed, kTexts + text * kRun + drawn_so_far++, {&number, 1}, 0,
                                     1);
      return static_cast<std::size_t>(static_cast<double>(number) * static_cast<double>(n));
    };
    std::array<std::size_t, kKeys> value{}, order{};
    for (std::size_t k = 0; k < kKeys; ++k) value[k] = below(kValues);
    for (std::size_t k = 0; k < kKeys; ++k) order[k] = k;
    for (std::size_t i = 0; i < kKeys; ++i) std::swap(order[i], order[i + below(kKeys - i)]);
    for (std::size_t t = 0; t < s.T; ++t) {
      const std::size_t k = t < kKeys ? order[t] : below(kKeys);
      id[t] = static_cast<std::int32_t>(t < kKeys ? k * kValues + value[k] : kKeys * kValues + k);
      target[t] = t < kKeys ? -1 : static_cast<std::int32_t>(value[k]);
    }
  }

  /// A step of 200; returns its loss.
  double step(std::size_t n) {
    Ids ids(s.B * s.T), targets(s.B * s.T);
    for (std::size_t b = 0; b < s.B; ++b) fill(n * s.B + b, &ids[b * s.T], &targets[b * s.T]);
    const Ids layers{scheme.kind == Kind::kNone ? -1 : 0};
    const lab::Decoder decoder{.sizes = s,
                               .positions = {s.T, 1, nullptr},
                               .schemes = {&scheme, 1},
                               .layers = layers,
                               .weights = weights.data(),
                               .added = nullptr,
                               .temperature = 1,
                               .learned = s.R > 0,
                               .trains = true};
    lab::forward(decoder, ids.data(), workspace.data());
    const lab::Loss loss =
        lab::backward(decoder, ids.data(), targets.data(), workspace.data(), gradients.data());
    const double rate = lab::rate(6e-3, static_cast<double>(n), 200, 50, 0.1);
    lab::update(s, {rate, rate * 30, 0.9, 0.99, 1e-8, 0.01, 1, static_cast<double>(n + 1)},
                weights.data(), gradients.data(), means.data(), squares.data());
    return loss.sum / static_cast<double>(loss.counted);
  }

  lab::Sizes s{};
  lab::Scheme scheme{};
  Floats weights, gradients, means, squares, workspace, tables, line, sums;
  Ids index;
};

}  // namespace

TEST_CASE("lab.decoder: trains to the same bits as in JavaScript (200 steps: PHASOR_SWEEP=1)") {
  // "SCHEME 20" and "SCHEME 200" of lab in tests/truth/bits/recorded.json
  struct Trained {
    Kind kind;
    std::size_t rows;
    std::uint64_t hash20, hash200;
  };
  auto is_taken = phasor::test::every_nth(7);  // natively the scheme that is trained
  for (const auto& [kind, rows, hash20, hash200] :
       {Trained{Kind::kT5, 0, 0xc6d462337bebac97u, 0xe1341b1de55c0f32u},
        {Kind::kNone, 0, 0x512fb582623cec08u, 0xf855bccb3f83aca5u},
        {Kind::kNone, 512, 0x7aa232495d3a28ecu, 0x4dfba7417a7705dbu},
        {Kind::kRotation, 0, 0x445a1a83faf90442u, 0x196d6b804de0ba4au},
        {Kind::kLine, 0, 0x720a83fa960654feu, 0x67d6d47ea81f8401u},
        {Kind::kKerpleLog, 0, 0x4cc6e3b2f2c1fb7cu, 0x0bbdaf7f47c5e90du}}) {
    if (!is_taken()) continue;
    Training training(kind, rows);
    const std::size_t steps = std::getenv("PHASOR_SWEEP") != nullptr ? 200 : 20;
    double loss = 0;
    for (std::size_t n = 0; n < steps; ++n) loss = training.step(n);
    CHECK(loss < 3);
    phasor::test::Fingerprint bits;
    bits.add(training.weights);
    CHECK(bits.value() == (steps == 20 ? hash20 : hash200));
  }
}
