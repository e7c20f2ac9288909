// Pointers in, status out. Nothing is decided, converted or allocated here.
#include "attention/attention/attention.h"

#include <emscripten/bind.h>

#include "math/heap.bind.h"

namespace {

using namespace phasor;

int head(Ptr in, Size T, Size H, Size D, Size h, Ptr out) {
  return static_cast<int>(attention::head(floats(in, T * H * D), T, H, D, h, floats(out, T * D)));
}

struct Tile {
  Ptr q, k, v, bias, weights, out;
};

/// A tile of queries of one head. Without values V is 0, and the weights are the scores.
struct Head {
  Tile at;
  Size biases, T, N, D, V;
  attention::Rule rule;
};

int scores(const Head& a) {
  return static_cast<int>(attention::scores(floats(a.at.q, a.T * a.D), floats(a.at.k, a.N * a.D),
                                            floats(a.at.bias, a.biases), a.T, a.N, a.D, a.rule,
                                            floats(a.at.weights, a.T * a.N)));
}

int softmax(Ptr in, Size rows, Size N, Ptr out) {
  return static_cast<int>(attention::softmax(floats(in, rows * N), rows, N, floats(out, rows * N)));
}

int scaled_dot_product(const Head& a) {
  return static_cast<int>(attention::scaled_dot_product(
      floats(a.at.q, a.T * a.D), floats(a.at.k, a.N * a.D), floats(a.at.v, a.N * a.V),
      floats(a.at.bias, a.biases), a.T, a.N, a.D, a.V, a.rule, floats(a.at.weights, a.T * a.N),
      floats(a.at.out, a.T * a.V)));
}

template <linear::Sums kSums>
int linear_layer(Ptr x, Ptr w, Ptr bias, Size biases, Size T, Size N, Size D, Ptr out) {
  return static_cast<int>(attention::linear_layer(floats(x, T * D), floats(w, N * D),
                                                  floats(bias, biases), T, N, D, kSums,
                                                  floats(out, T * N)));
}

int linear_layer_f32(Ptr x, Ptr w, Ptr bias, Size biases, Size T, Size N, Size D, Ptr out) {
  return linear_layer<linear::Sums::kFloat32>(x, w, bias, biases, T, N, D, out);
}

int linear_layer_f64(Ptr x, Ptr w, Ptr bias, Size biases, Size T, Size N, Size D, Ptr out) {
  return linear_layer<linear::Sums::kFloat64>(x, w, bias, biases, T, N, D, out);
}

}  // namespace

EMSCRIPTEN_BINDINGS(attention) {
  emscripten::function("attention_head", &head);
  emscripten::function("attention_scores", &scores);
  emscripten::function("attention_softmax", &softmax);
  emscripten::function("attention_scaled_dot_product", &scaled_dot_product);
  emscripten::function("attention_linear_layer_f32", &linear_layer_f32);
  emscripten::function("attention_linear_layer_f64", &linear_layer_f64);
}
