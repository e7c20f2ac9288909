// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "tokens/embedding/embedding.h"

#include <emscripten/bind.h>

#include "core/heap.bind.h"

namespace {

using namespace phasor;

std::uint64_t seed_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

int draw(Ptr rows, Size T, Size D, int distribution, double a, double b, std::uint32_t seed_low,
         std::uint32_t seed_high, Ptr out) {
  return static_cast<int>(embedding::draw(ints(rows, T), D,
                                          static_cast<embedding::Distribution>(distribution), a, b,
                                          seed_of(seed_low, seed_high), floats(out, T * D)));
}

int draw_all(Size V, Size D, int distribution, double a, double b, std::uint32_t seed_low,
             std::uint32_t seed_high, Ptr out) {
  return static_cast<int>(embedding::draw_all(D, static_cast<embedding::Distribution>(distribution),
                                              a, b, seed_of(seed_low, seed_high),
                                              floats(out, V * D)));
}

int draw_torch(Size V, Size D, int distribution, double a, double b, std::uint32_t seed, Ptr before,
               Size tables, Ptr out) {
  return static_cast<int>(embedding::draw_torch(static_cast<embedding::Distribution>(distribution),
                                                a, b, seed, doubles(before, tables),
                                                floats(out, V * D)));
}

int lookup(Ptr table, Size V, Size D, Ptr ids, Size T, float scale, Ptr add, Size A, Ptr out) {
  return static_cast<int>(embedding::lookup(floats(table, V * D), V, D, ints(ids, T), scale,
                                            floats(add, A * D), floats(out, T * D)));
}

int one_hot_product(Ptr table, Size V, Size D, Ptr ids, Size T, Ptr out) {
  return static_cast<int>(
      embedding::one_hot_product(floats(table, V * D), V, D, ints(ids, T), floats(out, T * D)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(embedding) {
  emscripten::function("embedding_draw", &draw);
  emscripten::function("embedding_draw_all", &draw_all);
  emscripten::function("embedding_draw_torch", &draw_torch);
  emscripten::function("embedding_lookup", &lookup);
  emscripten::function("embedding_one_hot_product", &one_hot_product);
}
