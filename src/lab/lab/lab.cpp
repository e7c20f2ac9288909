#include "lab/lab/lab.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/lab/adamw.h"
#include "lab/lab/functions.h"
#include "lab/lab/products.h"

namespace phasor::lab {
namespace {

/// Queries in a block: of the keys that come after all of them, nothing is computed.
constexpr std::size_t kBlock = 12;

constexpr std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }

/// Places one after the other, each for a product of sizes.
struct Places {
  std::size_t end = 0;
  bool overflows = false;

  template <class... Factors>
  std::size_t next(Factors... factors) {
    const std::size_t here = end;
    std::size_t count = 1;
    ((overflows |= __builtin_mul_overflow(count, factors, &count)), ...);
    overflows |= count > SIZE_MAX / 2 || __builtin_add_overflow(end, padded(count), &end);
    return here;
  }
};

/// Where the parameters of a layer begin.
struct LayerAt {
  LayerAt(const Sizes& s, Places& at)
      : norm1(at.next(2 * s.E)),
        in(at.next(3 * s.E * s.E)),
        in_bias(at.next(s.biased * 3 * s.E)),
        out(at.next(s.E * s.E)),
        out_bias(at.next(s.E)),
        norm2(at.next(2 * s.E)),
        up(at.next(s.F * s.E)),
        up_bias(at.next(s.F)),
        down(at.next(s.E * s.F)),
        down_bias(at.next(s.E)) {}

  std::size_t norm1, in, in_bias, out, out_bias, norm2, up, up_bias, down, down_bias;
};

/// Where the other parameters begin.
struct WeightsAt {
  explicit WeightsAt(const Sizes& s) {
    Places at;
    tokens = at.next(s.V * s.E);
    rows = at.next(s.R * s.E);
    first = at.end;
    for (std::size_t l = 0; l < s.L; ++l) (void)LayerAt(s, at);
    norm = at.next(2 * s.E);
    head = s.tied != 0 ? tokens : at.next(s.V * s.E);
    head_bias = at.next(s.V);
    schemes = at.next(s.numbers);
    end = at.end;
  }

  /// A layer's; all layers have the same sizes.
  LayerAt layer(const Sizes& s, std::size_t l) const {
    Places at{first};
    LayerAt of(s, at);
    Places there{first + l * (at.end - first)};
    return LayerAt(s, there);
  }

  std::size_t tokens, rows, first, norm, head, head_bias, schemes, end;
};

/// The parts of a workspace. Without training all layers share the places of the first.
struct Room {
  Room(const Sizes& s, bool trains) : n(s.B * s.T), T(padded(s.T)), V(padded(s.V)) {
    Places at;
    x = at.next(n, s.E);
    hat = at.next(n, s.E);
    y = at.next(n, s.E);
    inverse = at.next(n);
    logits = at.next(n, V);
    transposed = at.next(s.E, std::max({3 * s.E, s.F, V}));
    keys = at.next(s.E / s.H * T + 4);
    row = at.next(T + 4);
    extra = at.next(s.T, s.extra);
    if (trains) {
      dx = at.next(n, s.E);
      dy = at.next(n, std::max(3 * s.E, s.F));
      dz = at.next(n, s.E);
      d = at.next(s.T, T);
      scores = at.next(kBlock, T);
      dextra = at.next(s.T, s.extra);
    }
    layers = at.end;
    hat1 = at.next(n, s.E);
    y1 = at.next(n, s.E);
    inverse1 = at.next(n);
    qkv = at.next(n, 3 * s.E);
    shares = trains ? at.next(s.B, s.H, s.T, T) : at.next(kBlock, T);
    mixed = at.next(n, s.E);
    hat2 = at.next(n, s.E);
    y2 = at.next(n, s.E);
    inverse2 = at.next(n);
    slope = at.next(n, s.F);
    active = at.next(n, s.F);
    step = trains ? at.end - layers : 0;
    for (std::size_t l = 1; trains && l < s.L; ++l) (void)at.next(step);
    size = at.overflows ? SIZE_MAX : at.end;
  }

  std::size_t n, T, V;
  std::size_t x, hat, y, inverse, logits, transposed, keys, row, extra;
  std::size_t dx = 0, dy = 0, dz = 0, d = 0, scores = 0, dextra = 0;
  std::size_t layers, hat1, y1, inverse1, qkv, shares, mixed, hat2, y2, inverse2, slope, active;
  std::size_t step, size;
};

/// What the passes of a call share.
struct Pass {
  Pass(const Decoder& of, float* workspace)
      : decoder(of),
        s(of.sizes),
        at(of.sizes),
        room(of.sizes, of.trains),
        start(workspace),
        D(s.E / s.H),
        scale(of.temperature / std::sqrt(static_cast<float>(D))) {}

  const float* weight(std::size_t place) const { return decoder.weights + place; }

  float* in(std::size_t place, std::size_t layer = 0) const {
    return start + place + layer * room.step;
  }

  /// y = x w^T + bias, of w [out, in]
  void project(const float* x, std::size_t in, const float* w, std::size_t out, const float* bias,
               float* y, std::size_t row, bool adds = false) const {
    float* columns = start + room.transposed;
    const std::size_t wide = padded(out);
    transpose(w, out, in, in, columns, wide);
    multiply(room.n, out, in, {x, in}, columns, wide, y, row, {adds, bias});
  }

  /// The gradients of `project`: dw += dy^T x, dbias += rows of dy, dx = dy w
  void project_gradient(const float* x, std::size_t in, const float* w, std::size_t out,
                        const float* dy, std::size_t row, float* dw, float* dbias,
                        float* dx) const {
    multiply(out, in, room.n, {dy, 1, row}, x, in, dw, in, {.adds = true});
    if (dbias != nullptr) add_rows(room.n, out, dy, row, dbias);
    multiply(room.n, in, out, {dy, row}, w, in, dx, in);
  }

  const Scheme* scheme(std::size_t layer) const {
    const std::int32_t index = decoder.layers[layer];
    return index < 0 ? nullptr : &decoder.schemes[static_cast<std::size_t>(index)];
  }

  Head head(const Scheme* scheme, std::size_t b, std::size_t h) const {
    const Positions& p = decoder.positions;
    const bool own = p.texts > 1;
    return {.scheme = scheme,
            .positions = &p,
            .indices = p.indices == nullptr ? nullptr : p.indices + (own ? b * s.T : 0),
            .H = s.H,
            .D = D,
            .T = s.T,
            .h = h,
            .scale = scale,
            .numbers = scheme == nullptr ? nullptr : decoder.weights + scheme->at,
            .extra = start + room.extra};
  }

  /// Rotates queries and keys of all texts, or their gradients back.
  void rotate_all(const Scheme& scheme, float* qkv, bool back) const {
    const std::size_t run = decoder.positions.texts * s.T * scheme.pairs;
    for (std::size_t b = 0; b < s.B; ++b) {
      const float* tables =
          scheme.tables + (decoder.positions.texts > 1 ? b * s.T * scheme.pairs : 0);
      for (std::size_t side = 0; side < 2; ++side, tables += 2 * run)
        rotate(qkv + b * s.T * 3 * s.E + side * s.E, s.T, 3 * s.E, s.H, D, scheme.pairs, tables,
               tables + run, back);
    }
  }

  /// extra = q numbers^T, of a head
  void dot_numbers(const Head& head, const float* q) const {
    const std::size_t C = head.scheme->size;
    float* out = start + room.extra;
    for (std::size_t t = 0; t < s.T; ++t, q += 3 * s.E, out += C) {
      for (std::size_t c = 0; c < C; ++c) {
        float sum = 0;
        for (std::size_t d = 0; d < D; ++d) sum += q[d] * head.numbers[c * D + d];
        out[c] = sum;
      }
    }
  }

  const Decoder& decoder;
  const Sizes& s;
  WeightsAt at;
  Room room;
  float* start;
  std::size_t D;
  float scale;
};

bool uses_numbers_of_queries(const Scheme* scheme) {
  return scheme != nullptr && (scheme->kind == Kind::kShaw || scheme->kind == Kind::kCope);
}

/// softmax(scale row + term) of the first `seen` of `all` scores; 0 for the others.
void softmax(float* row, const float* term, float scale, std::size_t seen, std::size_t all) {
  const v128_t by = wasm_f32x4_splat(scale);
  v128_t most = wasm_f32x4_splat(-0x1p127f);
  const std::size_t end = padded(seen);
  // What the query does not see must not be larger than what it does.
  for (std::size_t j = seen; j < end; ++j) row[j] = 0;
  for (std::size_t j = 0; j < end; j += 4) {
    v128_t x = wasm_f32x4_mul(wasm_v128_load(row + j), by);
    if (term != nullptr) x = wasm_f32x4_add(x, wasm_v128_load(term + j));
    wasm_v128_store(row + j, x);
  }
  for (std::size_t j = seen; j < end; ++j) row[j] = -0x1p127f;
  for (std::size_t j = 0; j < end; j += 4) most = wasm_f32x4_pmax(most, wasm_v128_load(row + j));
  float largest = wasm_f32x4_extract_lane(most, 0);
  largest = std::max(largest, wasm_f32x4_extract_lane(most, 1));
  largest = std::max(largest, wasm_f32x4_extract_lane(most, 2));
  largest = std::max(largest, wasm_f32x4_extract_lane(most, 3));
  v128_t sum = wasm_f32x4_splat(0);
  for (std::size_t j = 0; j < end; j += 4) {
    const v128_t off = wasm_f32x4_sub(wasm_v128_load(row + j), wasm_f32x4_splat(largest));
    const v128_t e = exp_f32x4(off);
    wasm_v128_store(row + j, e);
    sum = wasm_f32x4_add(sum, e);
  }
  const v128_t share = wasm_f32x4_splat(1.0f / sum_of(sum));
  for (std::size_t j = 0; j < end; j += 4)
    wasm_v128_store(row + j, wasm_f32x4_mul(wasm_v128_load(row + j), share));
  for (std::size_t j = end; j < padded(all); j += 4) wasm_v128_store(row + j, wasm_f32x4_splat(0));
}

/// mixed = softmax(scale q k + term) v, of one head of one text.
void attend(const Pass& pass, const Head& head, std::size_t b, std::size_t layer) {
  const auto& [decoder, s, at, room, start, D, scale] = pass;
  const std::size_t row = 3 * s.E, T = room.T;
  const float* q = pass.in(room.qkv, layer) + b * s.T * row + head.h * D;
  const float *k = q + s.E, *v = k + s.E;
  float* mixed = pass.in(room.mixed, layer) + b * s.T * s.E + head.h * D;
  float* shares = pass.in(room.shares, layer);
  if (decoder.trains) shares += (b * s.H + head.h) * s.T * T;
  float* keys = pass.in(room.keys);
  transpose(k, s.T, D, row, keys, T);
  if (uses_numbers_of_queries(head.scheme)) pass.dot_numbers(head, q);
  for (std::size_t from = 0; from < s.T; from += kBlock) {
    const std::size_t rows = std::min(kBlock, s.T - from), seen = from + rows;
    float* block = decoder.trains ? shares + from * T : shares;
    multiply(rows, seen, D, {q + from * row, row}, keys, T, block, T);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = from + r;
      float* of = block + r * T;
      const float* add = head.scheme == nullptr ? nullptr : term(head, i, of, pass.in(room.row));
      softmax(of, add, scale, i + 1, seen);
    }
    multiply(rows, D, seen, {block, T}, v, row, mixed + from * s.E, s.E);
  }
}

/// The gradients of `attend`: dqkv of this head, from dmixed.
void attend_gradient(const Pass& pass, const Head& head, std::size_t b, std::size_t layer,
                     const float* dmixed, float* dqkv, float* gradients) {
  const auto& [decoder, s, at, room, start, D, scale] = pass;
  const std::size_t row = 3 * s.E, T = room.T;
  const std::size_t first = b * s.T * row + head.h * D;
  const float* q = pass.in(room.qkv, layer) + first;
  const float *k = q + s.E, *v = k + s.E;
  float *dq = dqkv + first, *dk = dq + s.E, *dv = dk + s.E;
  const float* dout = dmixed + b * s.T * s.E + head.h * D;
  const float* shares = pass.in(room.shares, layer) + (b * s.H + head.h) * s.T * T;
  float* d = pass.in(room.d);  // of shares, then of q . k before the scale
  const bool isCope = head.scheme != nullptr && head.scheme->kind == Kind::kCope;
  const bool hasNumbers = uses_numbers_of_queries(head.scheme);
  float *keys = pass.in(room.keys), *scores = pass.in(room.scores), *dextra = pass.in(room.dextra);
  float* dnumbers = head.scheme == nullptr ? nullptr : gradients + head.scheme->at;
  if (hasNumbers) {
    pass.dot_numbers(head, q);
    std::fill_n(dextra, s.T * head.scheme->size, 0.0f);
  }
  for (std::size_t from = 0; from < s.T; from += kBlock) {
    const std::size_t rows = std::min(kBlock, s.T - from), seen = from + rows;
    if (isCope) {
      transpose(k, seen, D, row, keys, T);
      multiply(rows, seen, D, {q + from * row, row}, keys, T, scores, T);
    }
    if (isCope || from == 0) transpose(v, s.T, D, row, keys, T);
    multiply(rows, seen, D, {dout + from * s.E, s.E}, keys, T, d + from * T, T);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = from + r, end = padded(i + 1);
      const float* share = shares + i * T;
      float* of = d + i * T;
      std::fill(of + i + 1, of + padded(seen), 0.0f);
      v128_t sum = wasm_f32x4_splat(0);
      for (std::size_t j = 0; j < end; j += 4)
        sum =
            wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(share + j), wasm_v128_load(of + j)));
      const v128_t mean = wasm_f32x4_splat(sum_of(sum));
      for (std::size_t j = 0; j < end; j += 4) {
        const v128_t off = wasm_f32x4_sub(wasm_v128_load(of + j), mean);
        wasm_v128_store(of + j, wasm_f32x4_mul(wasm_v128_load(share + j), off));
      }
      float* of_term = pass.in(room.row);
      if (head.scheme != nullptr) std::copy_n(of, end, of_term);
      for (std::size_t j = 0; j < end; j += 4)
        wasm_v128_store(of + j, wasm_f32x4_mul(wasm_v128_load(of + j), wasm_f32x4_splat(scale)));
      if (head.scheme != nullptr)
        term_gradient(head, i, of_term, scores + r * T, keys, of, dextra, dnumbers);
    }
    multiply(rows, D, seen, {d + from * T, T}, k, row, dq + from * row, row);
  }
  for (std::size_t from = 0; from < s.T; from += kBlock) {
    const std::size_t rows = std::min(kBlock, s.T - from), left = s.T - from;
    const std::size_t corner = from * T + from;
    multiply(rows, D, left, {d + corner, 1, T}, q + from * row, row, dk + from * row, row);
    multiply(rows, D, left, {shares + corner, 1, T}, dout + from * s.E, s.E, dv + from * row, row);
  }
  if (!hasNumbers) return;
  const std::size_t C = head.scheme->size;
  multiply(s.T, D, C, {dextra, C}, head.numbers, D, dq, row, {.adds = true});
  multiply(C, D, s.T, {dextra, 1, C}, q, row, dnumbers, D, {.adds = true});
}

/// x = tokens + rows of positions + what is added.
void embed(const Pass& pass, const std::int32_t* ids) {
  const Sizes& s = pass.s;
  const Positions& p = pass.decoder.positions;
  float* x = pass.in(pass.room.x);
  for (std::size_t t = 0; t < pass.room.n; ++t, x += s.E) {
    std::copy_n(pass.weight(pass.at.tokens) + static_cast<std::size_t>(ids[t]) * s.E, s.E, x);
    const std::size_t own = p.texts > 1 ? t : t % s.T;
    if (s.R > 0 && pass.decoder.learned) {
      const std::size_t index =
          p.indices == nullptr ? own : static_cast<std::size_t>(p.indices[own]);
      add_rows(1, s.E, pass.weight(pass.at.rows) + index * s.E, s.E, x);
    }
    if (pass.decoder.added != nullptr) add_rows(1, s.E, pass.decoder.added + own * s.E, s.E, x);
  }
}

void embed_gradient(const Pass& pass, const std::int32_t* ids, const float* dx, float* gradients) {
  const Sizes& s = pass.s;
  const Positions& p = pass.decoder.positions;
  for (std::size_t t = 0; t < pass.room.n; ++t, dx += s.E) {
    add_rows(1, s.E, dx, s.E, gradients + pass.at.tokens + static_cast<std::size_t>(ids[t]) * s.E);
    if (s.R == 0 || !pass.decoder.learned) continue;
    const std::size_t own = p.texts > 1 ? t : t % s.T;
    const std::size_t index = p.indices == nullptr ? own : static_cast<std::size_t>(p.indices[own]);
    add_rows(1, s.E, dx, s.E, gradients + pass.at.rows + index * s.E);
  }
}

}  // namespace

std::size_t weights_of(const Sizes& sizes) noexcept { return WeightsAt(sizes).end; }

std::size_t workspace_of(const Sizes& sizes, bool trains) noexcept {
  return Room(sizes, trains).size;
}

const float* attention_of(const Sizes& s, std::size_t layer, float* workspace) noexcept {
  const Room room(s, true);
  float* shares = workspace + room.shares + layer * room.step;
  for (std::size_t r = 0; r < s.B * s.H * s.T; ++r)
    std::fill(shares + r * room.T + r % s.T + 1, shares + (r + 1) * room.T, 0.0f);
  return shares;
}

float* forward(const Decoder& decoder, const std::int32_t* ids, float* workspace) noexcept {
  const Pass pass(decoder, workspace);
  const Sizes& s = decoder.sizes;
  const Room& room = pass.room;
  float* x = pass.in(room.x);
  for (const Scheme& scheme : decoder.schemes)
    prepare(scheme, decoder.weights, s.H, decoder.positions.N);
  embed(pass, ids);
  for (std::size_t l = 0; l < s.L; ++l) {
    const LayerAt at = pass.at.layer(s, l);
    const Scheme* scheme = pass.scheme(l);
    const float* norm = pass.weight(at.norm1);
    float *y1 = pass.in(room.y1, l), *qkv = pass.in(room.qkv, l), *y2 = pass.in(room.y2, l);
    layer_norm(room.n, s.E, x, norm, norm + s.E, pass.in(room.hat1, l), pass.in(room.inverse1, l),
               y1);
    pass.project(y1, s.E, pass.weight(at.in), 3 * s.E,
                 s.biased != 0 ? pass.weight(at.in_bias) : nullptr, qkv, 3 * s.E);
    if (scheme != nullptr && scheme->kind == Kind::kRotation) pass.rotate_all(*scheme, qkv, false);
    for (std::size_t b = 0; b < s.B; ++b) {
      for (std::size_t h = 0; h < s.H; ++h) attend(pass, pass.head(scheme, b, h), b, l);
    }
    pass.project(pass.in(room.mixed, l), s.E, pass.weight(at.out), s.E, pass.weight(at.out_bias), x,
                 s.E, true);
    norm = pass.weight(at.norm2);
    float *slope = pass.in(room.slope, l), *active = pass.in(room.active, l);
    layer_norm(room.n, s.E, x, norm, norm + s.E, pass.in(room.hat2, l), pass.in(room.inverse2, l),
               y2);
    pass.project(y2, s.E, pass.weight(at.up), s.F, pass.weight(at.up_bias), slope, s.F);
    gelu(room.n * s.F, slope, active);
    pass.project(active, s.F, pass.weight(at.down), s.E, pass.weight(at.down_bias), x, s.E, true);
  }
  const float* norm = pass.weight(pass.at.norm);
  float *y = pass.in(room.y), *logits = pass.in(room.logits);
  layer_norm(room.n, s.E, x, norm, norm + s.E, pass.in(room.hat), pass.in(room.inverse), y);
  pass.project(y, s.E, pass.weight(pass.at.head), s.V, pass.weight(pass.at.head_bias), logits,
               room.V);
  return logits;
}

Loss backward(const Decoder& decoder, const std::int32_t* ids, const std::int32_t* targets,
              float* workspace, float* gradients) noexcept {
  const Pass pass(decoder, workspace);
  const Sizes& s = decoder.sizes;
  const Room& room = pass.room;
  const WeightsAt& places = pass.at;
  float *dx = pass.in(room.dx), *dy = pass.in(room.dy), *dz = pass.in(room.dz);
  float* logits = pass.in(room.logits);
  std::fill_n(gradients, places.end, 0.0f);
  const Loss loss = cross_entropy(room.n, s.V, room.V, targets, true, logits, nullptr, nullptr);
  if (loss.counted == 0) return loss;
  for (const Scheme& scheme : decoder.schemes)
    if (scheme.sums != nullptr) std::fill_n(scheme.sums, s.H * decoder.positions.N + 4, 0.0f);

  const auto norm_gradient = [&](std::size_t hat, std::size_t inverse, std::size_t l,
                                 std::size_t place, const float* of) {
    float* to = gradients + place;
    layer_norm_gradient(room.n, s.E, pass.in(hat, l), pass.in(inverse, l), pass.weight(place), of,
                        dx, to, to + s.E);
  };
  std::fill_n(dx, room.n * s.E, 0.0f);
  pass.project_gradient(pass.in(room.y), s.E, pass.weight(places.head), s.V, logits, room.V,
                        gradients + places.head, gradients + places.head_bias, dz);
  norm_gradient(room.hat, room.inverse, 0, places.norm, dz);
  for (std::size_t l = s.L; l-- > 0;) {
    const LayerAt at = places.layer(s, l);
    const Scheme* scheme = pass.scheme(l);
    pass.project_gradient(pass.in(room.active, l), s.F, pass.weight(at.down), s.E, dx, s.E,
                          gradients + at.down, gradients + at.down_bias, dy);
    const float* slope = pass.in(room.slope, l);
    for (std::size_t i = 0; i < room.n * s.F; i += 4)
      wasm_v128_store(dy + i, wasm_f32x4_mul(wasm_v128_load(dy + i), wasm_v128_load(slope + i)));
    pass.project_gradient(pass.in(room.y2, l), s.E, pass.weight(at.up), s.F, dy, s.F,
                          gradients + at.up, gradients + at.up_bias, dz);
    norm_gradient(room.hat2, room.inverse2, l, at.norm2, dz);
    pass.project_gradient(pass.in(room.mixed, l), s.E, pass.weight(at.out), s.E, dx, s.E,
                          gradients + at.out, gradients + at.out_bias, dz);
    for (std::size_t b = 0; b < s.B; ++b) {
      for (std::size_t h = 0; h < s.H; ++h)
        attend_gradient(pass, pass.head(scheme, b, h), b, l, dz, dy, gradients);
    }
    if (scheme != nullptr && scheme->kind == Kind::kRotation) pass.rotate_all(*scheme, dy, true);
    pass.project_gradient(pass.in(room.y1, l), s.E, pass.weight(at.in), 3 * s.E, dy, 3 * s.E,
                          gradients + at.in, s.biased != 0 ? gradients + at.in_bias : nullptr, dz);
    norm_gradient(room.hat1, room.inverse1, l, at.norm1, dz);
  }
  for (const Scheme& scheme : decoder.schemes)
    if (scheme.sums != nullptr && scheme.kind != Kind::kLine)
      finish(scheme, decoder.weights, s.H, decoder.positions.N, gradients);
  embed_gradient(pass, ids, dx, gradients);
  return loss;
}

double update(const Sizes& s, const Update& with, float* w, const float* g, float* m,
              float* v) noexcept {
  const WeightsAt at(s);
  const double size = norm(g, at.end);
  if (!(size <= std::numeric_limits<double>::max())) return size;
  const double share = with.clip > 0 && size > with.clip ? with.clip / size : 1;
  const Adam adam{with.beta1, with.beta2, with.epsilon, with.step, share};
  const auto step = [&](std::size_t from, std::size_t to, double rate, double decay) {
    adamw(adam, rate, decay, to - from, w + from, g + from, m + from, v + from);
  };
  step(0, at.first, with.rate, 0);
  for (std::size_t l = 0; l < s.L; ++l) {
    const LayerAt of = at.layer(s, l);
    step(of.norm1, of.in, with.rate, 0);
    step(of.in, of.in_bias, with.rate, with.decay);
    step(of.in_bias, of.out, with.rate, 0);
    step(of.out, of.out_bias, with.rate, with.decay);
    step(of.out_bias, of.up, with.rate, 0);
    step(of.up, of.up_bias, with.rate, with.decay);
    step(of.up_bias, of.down, with.rate, 0);
    step(of.down, of.down_bias, with.rate, with.decay);
    step(of.down_bias, of.down_bias + padded(s.E), with.rate, 0);
  }
  step(at.norm, at.norm + 2 * s.E, with.rate, 0);
  if (s.tied == 0) step(at.head, at.head_bias, with.rate, with.decay);
  step(at.head_bias, at.schemes, with.rate, 0);
  step(at.schemes, at.end, with.bias_rate, 0);
  return size;
}

}  // namespace phasor::lab
