// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "training/skipgram/skipgram.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

std::uint64_t seed_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

double count(Ptr text, Size T, Size window) {
  return static_cast<double>(skipgram::count_pairs(ints(text, T), window));
}

int pairs(Ptr text, Size T, Size window, double first, Size N, Ptr out) {
  return static_cast<int>(
      skipgram::pairs(ints(text, T), window, static_cast<std::uint64_t>(first), ints(out, 2 * N)));
}

int init(Ptr tables, Size V, Size D, std::uint32_t seed_low, std::uint32_t seed_high) {
  return static_cast<int>(
      skipgram::init(floats(tables, 2 * V * D), D, seed_of(seed_low, seed_high)));
}

int noise(Ptr text, Size T, double power, Ptr cumulative, Size V) {
  return static_cast<int>(skipgram::noise(ints(text, T), power, ints(cumulative, V)));
}

struct Train {
  Ptr tables, text, cumulative, targets, errors, touched, loss;
  Size V, D, T, window, targets_size;
  std::uint32_t seed_low, seed_high;
  double first, count, rate;
};

int train(const Train& a) {
  return static_cast<int>(
      skipgram::train(floats(a.tables, 2 * a.V * a.D), a.D, ints(a.text, a.T),
                      {a.window, seed_of(a.seed_low, a.seed_high), ints(a.cumulative, a.V)},
                      static_cast<std::uint64_t>(a.first), static_cast<std::uint64_t>(a.count),
                      a.rate, {ints(a.targets, a.targets_size), doubles(a.errors, a.targets_size)},
                      ints(a.touched, a.V), doubles(a.loss, 1).front()));
}

struct Loss {
  Ptr tables, text, cumulative, sums, out;
  Size V, D, T, window, negatives;
};

int loss(const Loss& a) {
  return static_cast<int>(skipgram::loss(floats(a.tables, 2 * a.V * a.D), a.D, ints(a.text, a.T),
                                         {a.window, 0, ints(a.cumulative, a.V)}, a.negatives,
                                         doubles(a.sums, a.V), doubles(a.out, 1).front()));
}

}  // namespace

EMSCRIPTEN_BINDINGS(skipgram) {
  emscripten::function("skipgram_count", &count);
  emscripten::function("skipgram_pairs", &pairs);
  emscripten::function("skipgram_init", &init);
  emscripten::function("skipgram_noise", &noise);
  emscripten::function("skipgram_train", &train);
  emscripten::function("skipgram_loss", &loss);
}
