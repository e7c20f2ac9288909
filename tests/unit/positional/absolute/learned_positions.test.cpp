#include "positional/absolute/learned_positions/learned_positions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bad_shape.h"

namespace learned_positions = phasor::learned_positions;
using learned_positions::Method;
using learned_positions::Sampling;
using phasor::Status;

namespace {

constexpr Method kMethods[] = {Method::kLinear, Method::kCubic};
constexpr Sampling kSamplings[] = {Sampling::kHalfPixel, Sampling::kCorners,
                                   Sampling::kAntialiased};

struct Grid {
  std::size_t H, W, D;
  std::vector<float> data;
};

Grid wave(std::size_t H, std::size_t W, std::size_t D) {
  Grid grid{H, W, D, std::vector<float>(H * W * D)};
  for (std::size_t k = 0; k < grid.data.size(); ++k)
    grid.data[k] = static_cast<float>(std::sin(0.7 * static_cast<double>(k) + 1));
  return grid;
}

std::vector<float> resized(const Grid& grid, std::size_t H, std::size_t W, Method method,
                           Sampling sampling, std::size_t first, std::size_t n, double scale_H = 0,
                           double scale_W = 0) {
  std::vector<double> work(learned_positions::workspace_size(grid.H, grid.W, grid.D));
  std::vector<float> out(n * grid.D);
  REQUIRE(learned_positions::resize(grid.data, grid.H, grid.W, grid.D, H, W, method, sampling,
                                    -0.75, first, work, out, scale_H, scale_W) == Status::kOk);
  return out;
}

}  // namespace

TEST_CASE(
    "learnedPositions.interpolateGrid: the same size gives the same bits, with every method") {
  for (const Method method : kMethods) {
    for (const Sampling sampling : kSamplings) {
      for (const std::size_t H : {1u, 2u, 7u}) {
        Grid grid = wave(H, 5, 3);
        grid.data[4] = -0.0f;
        grid.data[5] = std::numeric_limits<float>::infinity();
        const std::vector<float> out = resized(grid, H, 5, method, sampling, 0, H * 5);
        CHECK(out == grid.data);
        CHECK(std::signbit(out[4]));
      }
    }
  }
}

TEST_CASE("learnedPositions.interpolateGrid: an entry is the same alone and among all") {
  const Grid grid = wave(5, 4, 3);
  for (const Method method : kMethods) {
    for (const Sampling sampling : kSamplings) {
      for (const auto& [H, W] : {std::pair<std::size_t, std::size_t>{7, 9}, {2, 3}, {1, 1}}) {
        const std::vector<float> all = resized(grid, H, W, method, sampling, 0, H * W);
        for (std::size_t k = 0; k < H * W; ++k) {
          const std::vector<float> one = resized(grid, H, W, method, sampling, k, 1);
          for (std::size_t d = 0; d < 3; ++d) CHECK(one[d] == all[k * 3 + d]);
        }
      }
    }
  }
}

TEST_CASE("learnedPositions.interpolate: midpoints are means, and ends stay ends") {
  const Grid line{2, 1, 1, {0, 4}};
  CHECK(resized(line, 5, 1, Method::kLinear, Sampling::kCorners, 0, 5) ==
        std::vector<float>{0, 1, 2, 3, 4});
  CHECK(resized(line, 4, 1, Method::kLinear, Sampling::kHalfPixel, 0, 4) ==
        std::vector<float>{0, 1, 3, 4});
  CHECK(resized(line, 1, 1, Method::kLinear, Sampling::kAntialiased, 0, 1) ==
        std::vector<float>{2});
}

TEST_CASE("learnedPositions.interpolateGrid: a scale says where entries lie, sizes where it is 0") {
  const Grid grid = wave(3, 4, 2);
  for (const Method method : kMethods) {
    for (const Sampling sampling : {Sampling::kHalfPixel, Sampling::kAntialiased}) {
      const std::vector<float> twice = resized(grid, 6, 2, method, sampling, 0, 12);
      CHECK(resized(grid, 6, 2, method, sampling, 0, 12, 2, 0.5) == twice);
      CHECK(resized(grid, 6, 2, method, sampling, 0, 12, 2, 0) == twice);
      CHECK(resized(grid, 6, 2, method, sampling, 0, 12, 2.25, 0.5) != twice);
    }
  }
  const Grid line{2, 1, 1, {0, 4}};  // x = (i + 1/2) / 2.5 - 1/2
  const std::vector<float> out =
      resized(line, 5, 1, Method::kLinear, Sampling::kHalfPixel, 0, 5, 2.5);
  const std::vector<float> expected{0, 0.4f, 2, 3.6f, 4};
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(out[i] - expected[i]) < 1e-6);
}

TEST_CASE("learnedPositions.interpolateGrid: rejects mismatched shapes and writes nothing") {
  const std::vector<float> in(12, 1.0f);
  std::vector<double> work(learned_positions::workspace_size(2, 3, 2));
  std::vector<float> out(4, 7.0f);
  const auto call = [&](std::size_t H, std::size_t W, std::size_t D, std::size_t new_H,
                        std::size_t new_W, double a, std::size_t first) {
    return learned_positions::resize(in, H, W, D, new_H, new_W, Method::kCubic, Sampling::kCorners,
                                     a, first, work, out);
  };
  CHECK_BAD_SHAPE(call(2, 3, 3, 2, 3, -0.5, 0));
  CHECK_BAD_SHAPE(call(0, 3, 2, 2, 3, -0.5, 0));
  CHECK_BAD_SHAPE(call(2, 3, 2, 0, 3, -0.5, 0));
  CHECK_BAD_SHAPE(call(2, 3, 2, 2, 0, -0.5, 0));
  CHECK_BAD_SHAPE(call(2, 3, 2, 2, 3, -0.5, 5));
  CHECK(call(2, 3, 2, 2, 3, std::nan(""), 0) == Status::kBadParam);
  work.pop_back();
  CHECK_BAD_SHAPE(call(2, 3, 2, 2, 3, -0.5, 0));
  CHECK(out == std::vector<float>(4, 7.0f));
}
