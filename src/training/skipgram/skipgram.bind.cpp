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

int train(Ptr tables, Size V, Size D, Ptr text, Size T, Size window, std::uint32_t seed_low,
          std::uint32_t seed_high, Ptr cumulative, double first, double count, double rate,
          Ptr targets, Ptr errors, Size targets_size, Ptr touched, Ptr loss) {
  return static_cast<int>(
      skipgram::train(floats(tables, 2 * V * D), D, ints(text, T),
                      {window, seed_of(seed_low, seed_high), ints(cumulative, V)},
                      static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), rate,
                      {ints(targets, targets_size), doubles(errors, targets_size)},
                      ints(touched, V), doubles(loss, 1).front()));
}

int loss(Ptr tables, Size V, Size D, Ptr text, Size T, Size window, Ptr cumulative, Size negatives,
         Ptr sums, Ptr out) {
  return static_cast<int>(skipgram::loss(floats(tables, 2 * V * D), D, ints(text, T),
                                         {window, 0, ints(cumulative, V)}, negatives,
                                         doubles(sums, V), doubles(out, 1).front()));
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
