// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/deberta/deberta.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int log_buckets(std::int32_t first, std::int32_t mid, std::int32_t last, int precision, Size count,
                Ptr out) {
  return static_cast<int>(deberta::log_buckets(
      first, mid, last, static_cast<deberta::Precision>(precision), ints(out, count)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(deberta) { emscripten::function("deberta_log_buckets", &log_buckets); }
