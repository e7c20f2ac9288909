// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "analysis/pca/pca.h"

#include <emscripten/bind.h>

#include "analysis/pca/krylov.h"
#include "math/heap.bind.h"

namespace {

using namespace phasor;

int add_columns(Ptr x, Size N, Size D, Ptr sums) {
  return static_cast<int>(pca::add_columns(floats(x, N * D), doubles(sums, D)));
}

int add_moments(Ptr x, Size N, Size D, Ptr center, Ptr sums, Ptr squares) {
  return static_cast<int>(pca::add_moments(floats(x, N * D), doubles(center, D), doubles(sums, D),
                                           doubles(squares, 1)[0]));
}

int add_products(Ptr x, Size N, Size D, Ptr mean, int side, Ptr workspace, Ptr matrix, Size n) {
  const auto of = static_cast<pca::Side>(side);
  return static_cast<int>(pca::add_products(floats(x, N * D), N, D, doubles(mean, D), of,
                                            doubles(workspace, pca::workspace_size(N, D, of)),
                                            doubles(matrix, n * n)));
}

int decompose(Ptr matrix, Size n, bool vectors, double noise, Ptr values, Ptr workspace) {
  return static_cast<int>(pca::decompose(doubles(matrix, n * n), n, vectors, noise,
                                         doubles(values, n), doubles(workspace, 2 * n)));
}

struct Combine {
  Ptr x, mean, weights, workspace, out;
  Size first, T, N, D, k;
};

int combine(const Combine& a) {
  return static_cast<int>(pca::combine(floats(a.x, a.T * a.D), a.first, a.N, doubles(a.mean, a.D),
                                       doubles(a.weights, a.k * a.N), doubles(a.workspace, a.D),
                                       doubles(a.out, a.k * a.D)));
}

int finish(Ptr components, Size k, Size D, Size known, Ptr workspace) {
  return static_cast<int>(pca::finish(doubles(components, k * D), D, known, doubles(workspace, D)));
}

int project(Ptr x, Size N, Size D, Ptr mean, Ptr components, Size k, Ptr out) {
  return static_cast<int>(pca::project(floats(x, N * D), doubles(mean, D),
                                       doubles(components, k * D), floats(out, N * k)));
}

/// basis [most + b, D], matrix [most, most], corner [b, b] and workspace [most * (most + 3)], one
/// after the other.
krylov::Basis basis_of(Ptr at, Size D, Size b, Size most) {
  const Size matrix = (most + b) * D, corner = matrix + most * most, workspace = corner + b * b;
  const auto all = doubles(at, workspace + most * (most + 3));
  return {D,
          b,
          most,
          all.first(matrix),
          all.subspan(matrix, most * most),
          all.subspan(corner, b * b),
          all.subspan(workspace)};
}

int mix(Ptr x, Size N, Size D, int key) {
  return static_cast<int>(krylov::mix(floats(x, N * D), D, static_cast<std::uint32_t>(key)));
}

int add_trace(Ptr x, Size N, Size D, Ptr mean, Ptr trace) {
  return static_cast<int>(
      krylov::add_trace(floats(x, N * D), doubles(mean, D), doubles(trace, 1)[0]));
}

int start(Ptr basis, Size D, Size b, Size most, int key, double share) {
  return static_cast<int>(
      krylov::start(basis_of(basis, D, b, most), static_cast<std::uint32_t>(key), share));
}

int last_block(Ptr basis, Size D, Size b, Size most, Size m, Ptr out) {
  return static_cast<int>(krylov::last_block(basis_of(basis, D, b, most), m, doubles(out, b * D)));
}

int multiply(Ptr x, Size N, Size D, Ptr mean, Ptr block, Size b, Ptr workspace, Ptr out) {
  return static_cast<int>(
      krylov::multiply(floats(x, N * D), N, D, doubles(mean, D), doubles(block, b * D), b,
                       doubles(workspace, krylov::workspace_size(D, b)), doubles(out, b * D)));
}

/// sums [narrow_sums(D, b)] and floats [narrow_floats(D, b)], one after the other.
krylov::Narrow narrow_of(Ptr at, Size D, Size b) {
  const Size sums = krylov::narrow_sums(D, b);
  const auto from = static_cast<Ptr>(at + sums * sizeof(double));
  return {D, b, floats(from, krylov::narrow_floats(D, b)), doubles(at, sums)};
}

int begin_f32(Ptr narrow, Size D, Size b, Ptr mean, Ptr block) {
  return static_cast<int>(
      krylov::begin_f32(narrow_of(narrow, D, b), doubles(mean, D), doubles(block, b * D)));
}

int multiply_f32(Ptr narrow, Size D, Size b, Ptr x, Size N) {
  return static_cast<int>(krylov::multiply_f32(narrow_of(narrow, D, b), floats(x, N * D)));
}

int end_f32(Ptr narrow, Size D, Size b, Ptr out) {
  return static_cast<int>(krylov::end_f32(narrow_of(narrow, D, b), doubles(out, b * D)));
}

int extend(Ptr basis, Size D, Size b, Size most, Size m, Ptr products) {
  return static_cast<int>(krylov::extend(basis_of(basis, D, b, most), m, doubles(products, b * D)));
}

struct Ritz {
  Ptr basis, values, worst;
  Size D, b, most, m, k;
  double noise, settled;
};

int ritz(const Ritz& a) {
  return static_cast<int>(krylov::ritz(basis_of(a.basis, a.D, a.b, a.most), a.m, a.noise, a.settled,
                                       doubles(a.values, a.k), doubles(a.worst, 1)[0]));
}

int restart(Ptr basis, Size D, Size b, Size most, Size m) {
  return static_cast<int>(krylov::restart(basis_of(basis, D, b, most), m));
}

int assemble(Ptr basis, Size D, Size b, Size most, Size m, Ptr out, Size k) {
  return static_cast<int>(krylov::assemble(basis_of(basis, D, b, most), m, doubles(out, k * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(pca) {
  emscripten::function("pca_add_columns", &add_columns);
  emscripten::function("pca_add_moments", &add_moments);
  emscripten::function("pca_add_products", &add_products);
  emscripten::function("pca_decompose", &decompose);
  emscripten::function("pca_combine", &combine);
  emscripten::function("pca_finish", &finish);
  emscripten::function("pca_project", &project);
  emscripten::function("pca_mix", &mix);
  emscripten::function("pca_add_trace", &add_trace);
  emscripten::function("pca_start", &start);
  emscripten::function("pca_last_block", &last_block);
  emscripten::function("pca_multiply", &multiply);
  emscripten::function("pca_begin_f32", &begin_f32);
  emscripten::function("pca_multiply_f32", &multiply_f32);
  emscripten::function("pca_end_f32", &end_f32);
  emscripten::function("pca_extend", &extend);
  emscripten::function("pca_ritz", &ritz);
  emscripten::function("pca_restart", &restart);
  emscripten::function("pca_assemble", &assemble);
}
