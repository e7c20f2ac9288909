// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "embedding/embedding/embedding.h"

#include <emscripten/bind.h>

#include "embedding/embedding/quantized.h"
#include "embedding/embedding/training.h"
#include "math/heap.bind.h"

namespace {

using namespace phasor;

std::uint64_t seed_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

struct Draw {
  Ptr rows, out;
  Size T, D;
  embedding::Distribution kind;
  std::uint32_t low, high;
  double a, b;
};

int draw(const Draw& a) {
  return static_cast<int>(embedding::draw(ints(a.rows, a.T), a.D, a.kind, a.a, a.b,
                                          seed_of(a.low, a.high), floats(a.out, a.T * a.D)));
}

int draw_all(Size V, Size D, int distribution, double a, double b, std::uint32_t seed_low,
             std::uint32_t seed_high, Ptr out) {
  return static_cast<int>(embedding::draw_all(D, static_cast<embedding::Distribution>(distribution),
                                              a, b, seed_of(seed_low, seed_high),
                                              floats(out, V * D)));
}

struct DrawTorch {
  Ptr before, out;
  Size tables, count;
  embedding::Distribution kind;
  std::uint32_t seed;
  double a, b;
};

int draw_torch(const DrawTorch& a) {
  return static_cast<int>(embedding::draw_torch(
      a.kind, a.a, a.b, a.seed, doubles(a.before, a.tables), floats(a.out, a.count)));
}

int lookup(Ptr table, Size V, Size D, Ptr ids, Size T, float scale, Ptr add, Size A, Ptr out) {
  return static_cast<int>(embedding::lookup(floats(table, V * D), V, D, ints(ids, T), scale,
                                            floats(add, A * D), floats(out, T * D)));
}

float rounded(float x, int dtype) { return half::rounded(x, static_cast<half::Dtype>(dtype)); }

int renormalize(Ptr table, Size V, Size D, Ptr rows, Size R, double max_norm, double p) {
  return static_cast<int>(
      embedding::renormalize(floats(table, V * D), V, D, ints(rows, R), max_norm, p));
}

int logits(Ptr table, Size V, Size D, Size first, Size N, Ptr x, Size T, Ptr out) {
  return static_cast<int>(embedding::logits(floats(table, V * D), V, D, first, N, floats(x, T * D),
                                            T, floats(out, T * N)));
}

int accumulate(Ptr gradients, Size N, Size D, Ptr slots, Ptr factors, Ptr sums, Size R) {
  return static_cast<int>(embedding::accumulate(floats(gradients, N * D), D, ints(slots, N),
                                                doubles(factors, N), doubles(sums, R * D)));
}

int round_sums(Ptr sums, Size N, Ptr out) {
  return static_cast<int>(embedding::round_sums(doubles(sums, N), floats(out, N)));
}

struct Step {
  Ptr table, rows, gradients, first, second;
  Size V, D, R, firsts, seconds;
  embedding::Rule rule;
};

int step(const Step& a) {
  return static_cast<int>(embedding::step(floats(a.table, a.V * a.D), a.V, a.D, ints(a.rows, a.R),
                                          floats(a.gradients, a.R * a.D), a.rule,
                                          floats(a.first, a.firsts), floats(a.second, a.seconds)));
}

int one_hot_product(Ptr table, Size V, Size D, Ptr ids, Size T, Ptr out) {
  return static_cast<int>(
      embedding::one_hot_product(floats(table, V * D), V, D, ints(ids, T), floats(out, T * D)));
}

packed::Rows packed_rows(int dtype, Ptr codes, Ptr scales, Size N, Size D) {
  const auto kept = static_cast<packed::Dtype>(dtype);
  return {kept, D, bytes(codes, N * D * packed::width_of(kept)), floats(scales, N)};
}

struct Pack {
  Ptr x, codes, scales, lengths, directions, squares, workspace;
  Size N, D;
  int dtype;
};

int pack(const Pack& a) {
  return static_cast<int>(
      packed::pack(floats(a.x, a.N * a.D), packed_rows(a.dtype, a.codes, a.scales, a.N, a.D),
                   {floats(a.lengths, a.N), floats(a.directions, a.N), doubles(a.squares, a.N)},
                   floats(a.workspace, a.D)));
}

int unpack(int dtype, Ptr codes, Ptr scales, Size N, Size D, Ptr out) {
  return static_cast<int>(
      packed::unpack(packed_rows(dtype, codes, scales, N, D), floats(out, N * D)));
}

int gather(int dtype, Ptr codes, Ptr scales, Size N, Size D, Ptr ids, Size T, Ptr out) {
  return static_cast<int>(
      packed::gather(packed_rows(dtype, codes, scales, N, D), ints(ids, T), floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(embedding) {
  emscripten::function("embedding_draw", &draw);
  emscripten::function("embedding_draw_all", &draw_all);
  emscripten::function("embedding_draw_torch", &draw_torch);
  emscripten::function("embedding_lookup", &lookup);
  emscripten::function("embedding_rounded", &rounded);
  emscripten::function("embedding_renormalize", &renormalize);
  emscripten::function("embedding_logits", &logits);
  emscripten::function("embedding_accumulate", &accumulate);
  emscripten::function("embedding_round_sums", &round_sums);
  emscripten::function("embedding_step", &step);
  emscripten::function("embedding_one_hot_product", &one_hot_product);
  emscripten::function("packed_pack", &pack);
  emscripten::function("packed_unpack", &unpack);
  emscripten::function("packed_gather", &gather);
}
