// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "positional/bias/kernel_bias/kernel_bias.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int kerple(Ptr a, Ptr p, Size H, double first, int kernel, bool causal, Ptr out, Size N) {
  return static_cast<int>(kernel_bias::kerple(doubles(a, H), doubles(p, H), first,
                                              static_cast<kernel_bias::Kernel>(kernel), causal,
                                              floats(out, H * N)));
}

int sandwich(double first, Size N, Size H, double base, bool causal, Ptr workspace, Size P,
             Ptr out) {
  return static_cast<int>(
      kernel_bias::sandwich(first, H, base, causal, doubles(workspace, P), floats(out, N * H)));
}

int fire(Ptr w1, Ptr b1, Ptr w2, Ptr b2, Size M, Size H, double c, double threshold, double first,
         Size row, Size Tq, Size Tk, bool causal, Ptr out, Size rows) {
  return static_cast<int>(kernel_bias::fire(
      {doubles(w1, M), doubles(b1, M), doubles(w2, H * M), doubles(b2, H), c, threshold}, first,
      row, Tq, Tk, causal, floats(out, rows * Tk)));
}

int fire_weights(std::uint32_t seed_low, std::uint32_t seed_high, Size H, Size M, Ptr out) {
  return static_cast<int>(
      kernel_bias::fire_weights(static_cast<std::uint64_t>(seed_high) << 32 | seed_low, H, M,
                                floats(out, 2 * M + H * M + H)));
}

int cope(Ptr logits, Ptr positions, double first, Size row, Size Tq, Size Tk, Size P, Ptr out,
         Size rows) {
  return static_cast<int>(kernel_bias::cope(floats(logits, rows * Tk), floats(positions, rows * P),
                                            first, row, Tq, Tk, P, floats(out, rows * Tk)));
}

}  // namespace

EMSCRIPTEN_BINDINGS(kernel_bias) {
  emscripten::function("kernel_bias_kerple", &kerple);
  emscripten::function("kernel_bias_sandwich", &sandwich);
  emscripten::function("kernel_bias_fire", &fire);
  emscripten::function("kernel_bias_fire_weights", &fire_weights);
  emscripten::function("kernel_bias_cope", &cope);
}
