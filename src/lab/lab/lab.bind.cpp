// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "lab/lab/lab.h"

#include <emscripten/bind.h>

#include "lab/lab/adamw.h"
#include "lab/lab/draws.h"
#include "math/heap.bind.h"

namespace {

using namespace phasor;

// JavaScript writes schemes as runs of eight numbers.
static_assert(sizeof(lab::Scheme) == 8 * sizeof(std::uint32_t));

struct Call {
  lab::Sizes sizes;
  Size distances, texts, schemes_count, layer;
  Ptr indices, schemes, layers, weights, added, ids, targets, workspace, gradients;
  double temperature;
  Flag learned, trains;
};

lab::Decoder decoder_of(const Call& a) {
  return {a.sizes,
          {a.distances, a.texts, reinterpret_cast<const std::int32_t*>(a.indices)},
          {reinterpret_cast<const lab::Scheme*>(a.schemes), a.schemes_count},
          ints(a.layers, a.sizes.L),
          reinterpret_cast<const float*>(a.weights),
          reinterpret_cast<const float*>(a.added),
          static_cast<float>(a.temperature),
          a.learned != 0,
          a.trains != 0};
}

// JavaScript takes numbers of 32 bits as signed: from 2 GiB on they come as doubles.
double workspace(const Call& a) {
  return static_cast<double>(lab::workspace_of(a.sizes, a.trains != 0));
}

double address(const float* at) { return static_cast<double>(reinterpret_cast<Ptr>(at)); }

double forward(const Call& a) {
  return address(lab::forward(decoder_of(a), reinterpret_cast<const std::int32_t*>(a.ids),
                              reinterpret_cast<float*>(a.workspace)));
}

double backward(const Call& a) {
  const lab::Loss loss =
      lab::backward(decoder_of(a), reinterpret_cast<const std::int32_t*>(a.ids),
                    reinterpret_cast<const std::int32_t*>(a.targets),
                    reinterpret_cast<float*>(a.workspace), reinterpret_cast<float*>(a.gradients));
  return loss.sum / static_cast<double>(loss.counted);
}

double attention(const Call& a) {
  return address(lab::attention_of(a.sizes, a.layer, reinterpret_cast<float*>(a.workspace)));
}

void score(Size N, Size V, Size row, Ptr targets, Ptr logits, Ptr losses, Ptr hits) {
  (void)lab::cross_entropy(N, V, row, ints(targets, N).data(), false,
                           floats(logits, N * row).data(), floats(losses, N).data(),
                           ints(hits, N).data());
}

struct Step {
  lab::Sizes sizes;
  lab::Update with;
  Ptr weights;
};

/// The weights, their gradients, and AdamW's two moments, one after the other.
double update(const Step& a) {
  const Size count = lab::weights_of(a.sizes);
  float* w = reinterpret_cast<float*>(a.weights);
  return lab::update(a.sizes, a.with, w, w + count, w + 2 * count, w + 3 * count);
}

double rate(double peak, double n, double N, double warmup, double floor) {
  return lab::rate(peak, n, N, warmup, floor);
}

void fire_tables(double c, double threshold, Size N, Ptr out) {
  lab::fire_tables(c, threshold, N, floats(out, 2 * N + 4));
}

struct Draw {
  std::uint32_t seed_low, seed_high, first_low, first_high;
  Size count;
  Ptr out;
  double std;
};

void draw(const Draw& a) {
  const auto seed = static_cast<std::uint64_t>(a.seed_high) << 32 | a.seed_low;
  const auto first = static_cast<std::uint64_t>(a.first_high) << 32 | a.first_low;
  lab::draw(seed, first, a.std, floats(a.out, a.count));
}

}  // namespace

EMSCRIPTEN_BINDINGS(lab) {
  emscripten::function("lab_workspace", &workspace);
  emscripten::function("lab_forward", &forward);
  emscripten::function("lab_backward", &backward);
  emscripten::function("lab_attention", &attention);
  emscripten::function("lab_score", &score);
  emscripten::function("lab_update", &update);
  emscripten::function("lab_rate", &rate);
  emscripten::function("lab_fire_tables", &fire_tables);
  emscripten::function("lab_draw", &draw);
}
