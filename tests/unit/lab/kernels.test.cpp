// The kernels of the lab, each against plain loops or double.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "lab/lab/adamw.h"
#include "lab/lab/functions.h"
#include "lab/lab/layers.h"
#include "lab/lab/products.h"
#include "math/elementary.h"
#include "math/random.h"
#include "sampled.h"

namespace lab = phasor::lab;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Floats drawn(std::size_t size, std::uint64_t seed, double std = 1) {
  Floats numbers(size);
  phasor::random::philox_normal(seed, 0, numbers, 0, std);
  return numbers;
}

Doubles doubles(const Floats& x) { return {x.begin(), x.end()}; }

bool same_bits(const Floats& a, const Floats& b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
      [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

/// The larger of two differences, or NaN.
double larger(double most, double x) { return std::isnan(most) || x <= most ? most : x; }

/// The derivative of f by x[i].
double slope(Doubles& x, std::size_t i, const std::function<double()>& f, double h = 1e-5) {
  const double was = x[i];
  x[i] = was + h;
  const double more = f();
  x[i] = was - h;
  const double less = f();
  x[i] = was;
  return (more - less) / (2 * h);
}

/// The four numbers of exp_f32x4.
std::array<float, 4> exp4(float a, float b, float c, float d) {
  const std::array<float, 4> x{a, b, c, d};
  std::array<float, 4> y{};
  wasm_v128_store(y.data(), lab::exp_f32x4(wasm_v128_load(x.data())));
  return y;
}

/// A product in one order, one sum after the other.
struct Product {
  std::size_t M, N, K;
  bool transposed, adds, has_bias;

  void check() const {
    const std::size_t gap = 3, a_row = transposed ? M + gap : K + gap, b_row = N + gap,
                      c_row = N + gap;
    const Floats a = drawn((transposed ? K : M) * a_row, M + 10 * K),
                 b = drawn(K * b_row, N + 7 * K), bias = drawn(N, 3);
    // Exactly what is read: the last row ends with its last number.
    const auto end = [&](std::size_t rows, std::size_t columns, std::size_t row) {
      return rows * columns == 0 ? 0 : (rows - 1) * row + columns;
    };
    const Floats of(
        a.begin(), a.begin() + static_cast<long>(transposed ? end(K, M, a_row) : end(M, K, a_row)));
    const Floats by(b.begin(), b.begin() + static_cast<long>(end(K, N, b_row)));
    Floats c = drawn(end(M, N, c_row), 5), expected = c;
    for (std::size_t i = 0; i < M; ++i) {
      for (std::size_t j = 0; j < N; ++j) {
        float sum = adds ? expected[i * c_row + j] : 0.0f;
        if (has_bias) sum += bias[j];
        for (std::size_t k = 0; k < K; ++k)
          sum += of[transposed ? k * a_row + i : i * a_row + k] * by[k * b_row + j];
        expected[i * c_row + j] = sum;
      }
    }
    const lab::Matrix left =
        transposed ? lab::Matrix{of.data(), 1, a_row} : lab::Matrix{of.data(), a_row};
    lab::multiply(M, N, K, left, by.data(), b_row, c.data(), c_row,
                  {adds, has_bias ? bias.data() : nullptr});
    INFO("M ", M, " N ", N, " K ", K, " transposed ", transposed, " adds ", adds, " bias ",
         has_bias);
    CHECK(same_bits(c, expected));  // and what is between the rows of c
  }
};

}  // namespace

TEST_CASE("lab.multiply: a plain loop, bit for bit, for all remainders, strides and starts") {
  for (const std::size_t M : {1u, 2u, 3u, 5u, 6u, 7u, 11u, 12u}) {
    for (const std::size_t N : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 12u, 15u, 17u}) {
      for (const std::size_t K : {0u, 1u, 2u, 5u}) {
        for (unsigned kind = 0; kind < 8; ++kind)
          Product{M, N, K, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0}.check();
      }
    }
  }
  for (const std::size_t K : {255u, 256u, 257u, 512u, 700u}) {
    for (unsigned kind = 0; kind < 8; ++kind)
      Product{7, 15, K, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0}.check();
  }
}

TEST_CASE("lab.multiply: a NaN or an infinity stays in its row and column") {
  Floats a = drawn(13 * 5, 1), b = drawn(5 * 11, 2), c(13 * 11);
  a[6 * 5 + 2] = kNaN;
  b[3 * 11 + 10] = kInf;
  lab::multiply(13, 11, 5, {a.data(), 5}, b.data(), 11, c.data(), 11);
  for (std::size_t i = 0; i < 13; ++i) {
    for (std::size_t j = 0; j < 11; ++j) {
      CHECK(std::isnan(c[i * 11 + j]) == (i == 6));
      CHECK(std::isinf(c[i * 11 + j]) == (i != 6 && j == 10));
    }
  }
}

TEST_CASE("lab.transpose: columns as rows, and nothing between them") {
  const Floats in = drawn(3 * 7, 1);
  Floats out(5 * 4, 9.0f);
  lab::transpose(in.data(), 3, 5, 7, out.data(), 4);
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(out[j * 4 + i] == in[i * 7 + j]);
    CHECK(out[j * 4 + 3] == 9);
  }
}

TEST_CASE("lab.exp_f32x4: within 1.1 ULP of e^x, and 0 from -87 down") {
  double most = 0;
  // Some floats from -87 to 88 away from 0 by 2^-24 at least. A sweep of all of them gave 1.03.
  const std::uint32_t step = phasor::test::is_whole() ? 97 : 997;
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    const std::uint32_t last = std::bit_cast<std::uint32_t>(sign != 0 ? 86.99999f : 88.0f);
    for (std::uint32_t bits = 0x33800000; bits + 3 * step <= last; bits += 4 * step) {
      const auto x = [&](std::uint32_t lane) {
        return std::bit_cast<float>((bits + lane * step) | sign);
      };
      const std::array<float, 4> y = exp4(x(0), x(1), x(2), x(3));
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        const double right = phasor::elementary::exp_f64(static_cast<double>(x(lane)));
        const double ulp = std::ldexp(1.0, std::ilogb(right) - 23);
        most = larger(most, std::fabs(static_cast<double>(y[lane]) - right) / ulp);
      }
    }
  }
  MESSAGE("exp_f32x4: ", most, " ULP");
  CHECK(most <= 1.1);
  CHECK(exp4(0, -0.0f, 1e-30f, -1e-45f) == std::array<float, 4>{1, 1, 1, 1});
  CHECK(exp4(-87, -87.1f, -1e30f, -kInf) == std::array<float, 4>{0, 0, 0, 0});
  CHECK(exp4(-0x1p127f, -std::numeric_limits<float>::max(), -200, -88) ==
        std::array<float, 4>{0, 0, 0, 0});
  for (const float y : exp4(kNaN, -kNaN, kNaN, kNaN)) CHECK(std::isnan(y));
}

TEST_CASE("lab.layer_norm: equals double, and its gradient central differences") {
  const std::size_t N = 3;
  for (const std::size_t E : {4u, 8u, 36u}) {
    const Floats x = drawn(N * E, 1), weight = drawn(E, 2), bias = drawn(E, 3),
                 dy = drawn(N * E, 4);
    Floats hat(N * E), inverse(N), y(N * E);
    lab::layer_norm(N, E, x.data(), weight.data(), bias.data(), hat.data(), inverse.data(),
                    y.data());
    Doubles X = doubles(x), W = doubles(weight), B = doubles(bias), Y(N * E);
    const auto loss = [&] {
      double sum = 0;
      for (std::size_t t = 0; t < N; ++t) {
        double mean = 0, square = 0;
        for (std::size_t e = 0; e < E; ++e) mean += X[t * E + e] / static_cast<double>(E);
        for (std::size_t e = 0; e < E; ++e)
          square += (X[t * E + e] - mean) * (X[t * E + e] - mean) / static_cast<double>(E);
        for (std::size_t e = 0; e < E; ++e) {
          Y[t * E + e] = (X[t * E + e] - mean) / std::sqrt(square + 1e-5) * W[e] + B[e];
          sum += Y[t * E + e] * static_cast<double>(dy[t * E + e]);
        }
      }
      return sum;
    };
    loss();
    for (std::size_t i = 0; i < N * E; ++i)
      CHECK(std::fabs(static_cast<double>(y[i]) - Y[i]) <= 1e-6);
    Floats dx(N * E, 0.5f), dweight(E, 0.25f), dbias(E, -0.5f);
    lab::layer_norm_gradient(N, E, hat.data(), inverse.data(), weight.data(), dy.data(), dx.data(),
                             dweight.data(), dbias.data());
    for (std::size_t i = 0; i < N * E; ++i)
      CHECK(std::fabs(static_cast<double>(dx[i]) - 0.5 - slope(X, i, loss)) <= 3e-6);
    for (std::size_t e = 0; e < E; ++e) {
      CHECK(std::fabs(static_cast<double>(dweight[e]) - 0.25 - slope(W, e, loss)) <= 1e-6);
      CHECK(std::fabs(static_cast<double>(dbias[e]) + 0.5 - slope(B, e, loss)) <= 1e-6);
    }
  }
  // Equal numbers have no variance: their hat is 0.
  Floats x(4, 3.0f), one(4, 1.0f), hat(4), inverse(1), y(4);
  lab::layer_norm(1, 4, x.data(), one.data(), one.data(), hat.data(), inverse.data(), y.data());
  CHECK(y == one);
  x[2] = kNaN;
  lab::layer_norm(1, 4, x.data(), one.data(), one.data(), hat.data(), inverse.data(), y.data());
  for (const float of : y) CHECK(std::isnan(of));
}

TEST_CASE("lab.gelu: the value within 4 ULP of |x|, and the derivative") {
  const auto right = [](double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  };
  Floats x;
  for (double at = -30; at < 30; at += 0.0137) x.push_back(static_cast<float>(at));
  for (const float at : {0.0f, -0.0f, 1e-30f, -1e-30f, 1e-8f, -1e-8f, 1e6f, -1e6f, 1e12f, -1e12f})
    x.push_back(at);
  x.resize(x.size() / 4 * 4);
  Floats by = x, y(x.size());
  lab::gelu(x.size(), by.data(), y.data());
  double most = 0, steepest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = static_cast<double>(x[i]);
    const double ulp =
        std::ldexp(1.0, std::max(std::ilogb(static_cast<double>(std::fabs(x[i]))), -126) - 23);
    if (at != 0) most = larger(most, std::fabs(static_cast<double>(y[i]) - right(at)) / ulp);
    const double h = 1e-5 * std::max(1.0, std::fabs(at));
    const double derivative = (right(at + h) - right(at - h)) / (2 * h);
    steepest = larger(steepest, std::fabs(static_cast<double>(by[i]) - derivative));
  }
  MESSAGE("gelu: ", most, " ULP of |x|, derivative within ", steepest);
  CHECK(most <= 4);
  CHECK(steepest <= 1e-6);
  Floats nan(4, kNaN), of(4);
  lab::gelu(4, nan.data(), of.data());
  for (std::size_t i = 0; i < 4; ++i) CHECK((std::isnan(nan[i]) && std::isnan(of[i])));
}

TEST_CASE(
    "lab.cross_entropy: equals double, ignores padding and targets below 0, writes the gradient") {
  for (const std::size_t V : {1u, 2u, 3u, 4u, 5u, 7u, 40u}) {
    const std::size_t N = 6, row = (V + 3) / 4 * 4;
    Floats logits = drawn(N * row, V, 3);
    for (std::size_t t = 0; t < N; ++t)
      for (std::size_t v = V; v < row; ++v) logits[t * row + v] = v % 2 == 0 ? kNaN : kInf;
    std::vector<std::int32_t> targets(N), hits(N, 7);
    for (std::size_t t = 0; t < N; ++t)
      targets[t] = t == 2 ? -1 : static_cast<std::int32_t>((5 * t + 1) % V);
    Floats losses(N, 7.0f), before = logits;
    Floats silent = logits, other = losses;
    const lab::Loss loss = lab::cross_entropy(N, V, row, targets.data(), true, logits.data(),
                                              losses.data(), hits.data());
    const lab::Loss again =
        lab::cross_entropy(N, V, row, targets.data(), false, silent.data(), nullptr, nullptr);
    CHECK(loss.counted == N - 1);
    CHECK(again.sum == loss.sum);
    double sum = 0;
    for (std::size_t t = 0; t < N; ++t) {
      const std::size_t target = static_cast<std::size_t>(std::max(targets[t], 0));
      const auto at = [&](std::size_t v) { return static_cast<double>(before[t * row + v]); };
      double most = at(0), total = 0;
      for (std::size_t v = 0; v < V; ++v) most = std::max(most, at(v));
      for (std::size_t v = 0; v < V; ++v) total += std::exp(at(v) - most);
      const double nats = std::log(total) + most - at(target);
      if (t != 2) sum += nats;
      CHECK(std::fabs(static_cast<double>(losses[t]) - (t == 2 ? 0 : nats)) <=
            3e-7 * (1 + std::fabs(most) + nats));
      CHECK(hits[t] == (t != 2 && at(target) == most));
      for (std::size_t v = 0; v < V; ++v) {
        CHECK(silent[t * row + v] == before[t * row + v]);
        const double g =
            (std::exp(at(v) - most) / total - (v == target ? 1 : 0)) / static_cast<double>(N - 1);
        CHECK(std::fabs(static_cast<double>(logits[t * row + v]) - (t == 2 ? 0 : g)) <= 1e-7);
      }
      for (std::size_t v = V; v < row; ++v) CHECK(logits[t * row + v] == 0);
    }
    CHECK(std::fabs(loss.sum - sum) <= 1e-6 * (1 + sum));
  }
}

TEST_CASE("lab.cross_entropy: ties, no targets, certain answers, NaN") {
  Floats logits{1, 2, 2, 0, 200, -200, 0, 0}, losses(2);
  std::vector<std::int32_t> targets{1, 0}, hits(2);
  lab::Loss loss =
      lab::cross_entropy(2, 4, 4, targets.data(), false, logits.data(), losses.data(), hits.data());
  CHECK(hits == std::vector<std::int32_t>{1, 1});
  CHECK(losses[1] == 0);
  targets = {2, 1};
  loss =
      lab::cross_entropy(2, 4, 4, targets.data(), false, logits.data(), losses.data(), hits.data());
  CHECK(hits == std::vector<std::int32_t>{0, 0});  // of equal ones the first counts
  CHECK(losses[1] == 400);
  targets = {-1, -1};
  loss =
      lab::cross_entropy(2, 4, 4, targets.data(), true, logits.data(), losses.data(), hits.data());
  CHECK(loss.counted == 0);
  CHECK(loss.sum == 0);
  CHECK(logits == Floats(8));
  for (const std::size_t where : {0u, 1u, 3u}) {  // a NaN among the logits is one of the loss
    for (const float bad : {kNaN, kInf}) {
      Floats one{0.5f, 1, 0.25f, 2};
      one[where] = bad;
      const std::vector<std::int32_t> third{2};
      CHECK(std::isnan(
          lab::cross_entropy(1, 4, 4, third.data(), true, one.data(), nullptr, nullptr).sum));
    }
  }
}

TEST_CASE("lab.add_rows: sums of columns in the order of rows, any width") {
  for (const std::size_t E : {1u, 3u, 4u, 6u, 9u}) {
    const Floats rows = drawn(2 * 11 + E, 3);
    Floats out(E, 0.5f), expected = out;
    lab::add_rows(3, E, rows.data(), 11, out.data());
    for (std::size_t t = 0; t < 3; ++t)
      for (std::size_t e = 0; e < E; ++e) expected[e] += rows[t * 11 + e];
    CHECK(same_bits(out, expected));
  }
}

TEST_CASE("lab.adamw: the formula in double, for several steps") {
  const std::size_t count = 16;
  for (const double decay : {0.0, 0.1}) {
    Floats w = drawn(count, 1), m(count), v(count);
    Doubles W = doubles(w), M(count), S(count);
    for (int step = 1; step <= 12; ++step) {
      const Floats g = drawn(count, static_cast<std::uint64_t>(step), step == 3 ? 0 : 0.1);
      const double rate = 0.01 * step, share = step % 2 == 0 ? 0.5 : 1, b1 = 0.9, b2 = 0.99;
      const Floats before = w;
      lab::adamw({b1, b2, 1e-8, static_cast<double>(step), share}, rate, decay, count, w.data(),
                 g.data(), m.data(), v.data());
      for (std::size_t i = 0; i < count; ++i) {
        const double of = static_cast<double>(g[i]) * share;
        M[i] = b1 * M[i] + (1 - b1) * of;
        S[i] = b2 * S[i] + (1 - b2) * of * of;
        const double by = rate / (1 - std::pow(b1, step)) * M[i] /
                          (std::sqrt(S[i]) / std::sqrt(1 - std::pow(b2, step)) + 1e-8);
        W[i] = W[i] * (1 - rate * decay) - by;
        CHECK(std::fabs(static_cast<double>(m[i]) - M[i]) <= 2e-8);
        CHECK(std::fabs(static_cast<double>(v[i]) - S[i]) <= 1e-6 * S[i]);
        // Of this step alone: a few roundings of what is subtracted, and one of w.
        const double alone = static_cast<double>(before[i]) * (1 - rate * decay) - by;
        const double ulp = 0x1p-23 * (std::fabs(by) + std::fabs(alone));
        CHECK(std::fabs(static_cast<double>(w[i]) - alone) <= 8 * ulp);
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      CHECK(std::fabs(static_cast<double>(w[i]) - W[i]) <= 2e-6);
  }
}

TEST_CASE("lab.norm and lab.rate: the formulas") {
  const Floats x = drawn(1001, 1);
  double sum = 0;
  for (const float of : x) sum += static_cast<double>(of) * static_cast<double>(of);
  CHECK(lab::norm(x.data(), x.size()) == std::sqrt(sum));
  CHECK(lab::norm(x.data(), 0) == 0);
  CHECK(std::isnan(lab::norm(&kNaN, 1)));
  for (const double N : {1.0, 3.0, 4.0, 200.0, 333.0}) {
    for (const double warmup : {1.0, 50.0}) {
      for (const double floor : {0.0, 0.1, 1.0}) {
        for (double n = 0; n < N; ++n) {
          const double warm = std::min(1.0, (n + 1) / std::min(warmup, std::floor(N / 4) + 1));
          const double half = (1 + std::cos(3.14159265358979323846 * n / N)) / 2;
          const double right = 6e-3 * warm * (floor + (1 - floor) * half);
          CHECK(lab::rate(6e-3, n, N, warmup, floor) == doctest::Approx(right).epsilon(1e-14));
        }
      }
    }
  }
}
