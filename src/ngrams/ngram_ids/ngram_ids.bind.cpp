// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "ngrams/ngram_ids/ngram_ids.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"
#include "ngrams/ngram_ids/multipliers.h"

namespace {

using namespace phasor;

int primes(double from, Ptr out, Size count) {
  return static_cast<int>(ngram_ids::primes(from, ints(out, count)));
}

int multipliers(int generator, double vocabulary, double seed, Ptr out, Size n) {
  return static_cast<int>(ngram_ids::multipliers(static_cast<ngram_ids::Generator>(generator),
                                                 vocabulary, seed, ints(out, 2 * n)));
}

struct Tokens {
  Ptr ids, breaks;
  Size B, N, past, longest;
  int fill;
};

ngram_ids::Sequences sequences(const Tokens& of) {
  return {
      ints(of.ids, of.B * of.N), ints(of.breaks, of.B * of.N), of.N, of.past, of.longest, of.fill};
}

struct Mixed {
  Tokens of;
  Ptr multipliers, sizes, out;
  Size K;
};

int mixed(const Mixed& a) {
  return static_cast<int>(ngram_ids::mixed(sequences(a.of), ints(a.multipliers, 2 * a.of.longest),
                                           ints(a.sizes, a.K),
                                           ints(a.out, a.of.B * (a.of.N - a.of.past) * a.K)));
}

struct Powers {
  Tokens of;
  Ptr sizes, out;
  Size K;
  double vocabulary;
};

int powers(const Powers& a) {
  return static_cast<int>(ngram_ids::powers(sequences(a.of), a.vocabulary, ints(a.sizes, a.K),
                                            ints(a.out, a.of.B * (a.of.N - a.of.past) * a.K)));
}

struct Rolling {
  Ptr ids, groups, out;
  Size B, N, past, G, K;
  int buckets;
};

int rolling(const Rolling& a) {
  return static_cast<int>(ngram_ids::rolling(ints(a.ids, a.B * a.N), a.N, a.past,
                                             ints(a.groups, a.G), a.buckets,
                                             ints(a.out, a.B * (a.N - a.past) * a.K)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(ngram_ids) {
  emscripten::function("ngram_ids_primes", &primes);
  emscripten::function("ngram_ids_multipliers", &multipliers);
  emscripten::function("ngram_ids_mixed", &mixed);
  emscripten::function("ngram_ids_powers", &powers);
  emscripten::function("ngram_ids_rolling", &rolling);
}
