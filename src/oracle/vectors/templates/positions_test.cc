// Whether a port has the positions of its model. MADE BY PHASOR
//
// adapter.h beside this file has these functions. Arrays are rows of floats; a function that the port does not have
// returns {} and is skipped. x is [B, H, T, D], positions are [T], or [3, T] of pictures, mask is [B, T]. types are
// [1, T]: 0 text, 1 picture, 2 video; grids are [n, 3] in tokens. bias is ALiBi's, [H, queries, keys], whose last query
// sees the last key; buckets are T5's, [queries, keys].
//
//   Floats rotate(const Floats& x, const Shape& shape, const Floats& positions, int layer);
//   Floats position_ids(const Floats& mask, const Shape& shape);
//   Floats position_ids_3d(const Floats& types, const Floats& images, const Floats& videos);
//   Floats embed(const Floats& ids, const std::map<std::string, Floats>& weights);
//   Floats bias(long queries, long keys);
//   Floats buckets(long queries, long keys, bool causal);
//
// c++ -std=c++17 positions_test.cc -o positions_test && ./positions_test
//
// If all pass, positions.svg beside this file is a badge for a README, and the line of Markdown is printed.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using Floats = std::vector<float>;
using Shape = std::vector<long>;

#include "adapter.h"

const float kLooser = 1;  // times the tolerance of float32: 2^13 for float16, 2^16 for bfloat16

struct Array {
  Floats data;
  Shape shape;
};
using Arrays = std::map<std::string, Array>;

Shape list(const std::string& text, size_t at) {
  Shape numbers;
  at = text.find('[', at);
  do numbers.push_back(std::strtol(&text[at + 1], nullptr, 10));
  while (text[at = text.find_first_of(",]", at + 1)] == ',');
  return numbers;
}

template <class T>
void append(Floats& to, const char* from, const char* end) {
  for (T x; from < end; from += sizeof x) std::memcpy(&x, from, sizeof x), to.push_back(float(x));
}

Arrays load(const std::string& name) {
  std::ifstream file(name + ".safetensors", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {}), mark = "\":{\"dtype\":\"";
  if (bytes.empty()) return {};
  uint64_t size;
  std::memcpy(&size, bytes.data(), 8);
  const std::string head = bytes.substr(8, size);
  Arrays arrays;
  for (size_t at = 0; (at = head.find(mark, at)) != std::string::npos; at += mark.size()) {
    const size_t begin = head.rfind('"', at - 1) + 1;
    const std::string type = head.substr(at + mark.size(), 3);
    const Shape span = list(head, head.find("\"data_offsets\"", at));
    const char* data = bytes.data() + 8 + size;
    Array& array = arrays[head.substr(begin, at - begin)];
    array.shape = list(head, head.find("\"shape\"", at));
    auto add = type == "F64" ? append<double> : type == "I32" ? append<int32_t> : append<float>;
    add(array.data, data + span[0], data + span[1]);
  }
  return arrays;
}

const Arrays kSlips = load("slips");

enum class Said { kSkipped, kRight, kWrong };
int all = 0, passed = 0, failed = 0;

void count(Said said) {
  ++all;
  passed += said == Said::kRight;
  failed += said == Said::kWrong;
}

bool fits(const Floats& got, const Floats& want, const Floats& tolerance, bool is_slip) {
  const size_t first = got.size() - want.size();  // a slip has the last rows of the last head
  for (size_t i = 0; i < want.size(); ++i) {
    float allowed = tolerance[(first + i) % tolerance.size()];
    if (is_slip) allowed += std::ldexp(std::abs(want[i]), -22);
    if (!(std::abs(got[first + i] - want[i]) <= kLooser * allowed)) return false;
  }
  return true;
}

Said compare(const std::string& what, const Floats& got, const Array& want, const Floats& tolerance,
             const std::string& slips) {
  if (got.empty()) return Said::kSkipped;
  const bool is_whole = got.size() == want.data.size();
  if (is_whole && fits(got, want.data, tolerance, false)) return Said::kRight;
  std::string names;
  for (const auto& [name, slip] : kSlips)
    if (is_whole && name.rfind(slips + "/", 0) == 0 && fits(got, slip.data, tolerance, true))
      names += (names.empty() ? "" : ", or ") + name.substr(slips.size() + 1);
  const std::string why = !is_whole       ? "it has another size"
                          : names.empty() ? "no known slip explains it"
                                          : "likely slip: " + names;
  std::printf("%s is wrong; %s\n", what.c_str(), why.c_str());
  return Said::kWrong;
}

// Softmax does not see what a row has in common: the bias of the last key that a query sees becomes 0.
Floats centered(Floats bias, long queries, long keys) {
  for (size_t row = 0; row < bias.size() / keys; ++row) {
    const float last = bias[row * keys + row % queries + keys - queries];
    for (long k = 0; k < keys; ++k) bias[row * keys + k] -= last;
  }
  return bias;
}

// Writes the badge, or removes that of another run.
void badge() {
  std::remove("positions.svg");
  if (failed > 0 || passed == 0) return;
  char looser[32] = "";
  if (kLooser != 1) std::snprintf(looser, sizeof looser, ", tolerance x %g", double(kLooser));
  const std::string words = "checked with phasor PHASOR VERSION: " + std::to_string(passed) + " of " +
                            std::to_string(all) + looser;
  const size_t width = 76 + 7 * words.size();
  std::ofstream("positions.svg")
      << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"20\" role=\"img\">\n"
      << "<title>positions " << words << "</title><desc>MADE BY PHASOR ./positions_test</desc>\n"
      << "<rect width=\"" << width << "\" height=\"20\" rx=\"3\" fill=\"#2a6b3c\"/>"
      << "<rect width=\"68\" height=\"20\" rx=\"3\" fill=\"#444\"/>\n"
      << "<g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\">"
      << "<text x=\"6\" y=\"14\" textLength=\"56\">positions</text>\n"
      << "<text x=\"72\" y=\"14\" textLength=\"" << width - 78 << "\">" << words << "</text></g></svg>\n";
  std::printf("[![positions %s](positions.svg)](positions_test.cc \"./positions_test\")\n", words.c_str());
}

int main() {
  const Arrays rotary = load("rotary"), ids = load("ids"), rows = load("embedding"), biases = load("bias");
  for (const auto& [name, q] : rotary) {
    if (name.size() < 2 || name.substr(name.size() - 2) != "/q") continue;
    const std::string of = name.substr(0, name.size() - 2), kind = of.substr(0, of.rfind('/'));
    const Floats& layers = rotary.at(kind + "/layers").data;
    const size_t layers_asked = of == kind + "/cached" ? layers.size() : 1;
    Said said = Said::kRight;
    for (size_t n = 0; n < layers_asked; ++n)
      for (const std::string x : {"/q", "/k"}) {
        if (said != Said::kRight) break;
        const Array& given = rotary.at(of + x);
        const int layer = int(layers[n]);
        const Floats got = rotate(given.data, given.shape, rotary.at(of + "/positions").data, layer);
        const std::string what = of + ": " + x[1] + " of layer " + std::to_string(layer);
        const Floats& tolerance = rotary.at(of + "/tolerance").data;
        said = compare(what, got, rotary.at(of + x + "_rotated"), tolerance, of);
      }
    count(said);
  }
  if (ids.count("ids/mask")) {
    const Array& mask = ids.at("ids/mask");
    const Floats got = position_ids(mask.data, mask.shape);
    count(compare("position_ids", got, ids.at("ids/position_ids"), ids.at("ids/tolerance").data, "ids"));
  }
  if (ids.count("picture/position_ids")) {
    const Floats &types = ids.at("picture/token_types").data, &tolerance = ids.at("picture/tolerance").data;
    const Floats got = position_ids_3d(types, ids.at("picture/image_grid").data, ids.at("picture/video_grid").data);
    count(compare("position_ids_3d", got, ids.at("picture/position_ids"), tolerance, "picture"));
  }
  if (!rows.empty()) {
    const std::string in = "embedding/weights/";
    std::map<std::string, Floats> weights;
    for (const auto& [name, x] : rows)
      if (name.rfind(in, 0) == 0) weights[name.substr(in.size())] = x.data;
    const Floats got = embed(rows.at("embedding/ids").data, weights);
    const Floats& tolerance = rows.at("embedding/tolerance").data;
    count(compare("embed", got, rows.at("embedding/output"), tolerance, "embedding"));
  }
  for (const auto& [name, tolerance] : biases) {
    const size_t end = name.rfind("/tolerance");
    if (end == std::string::npos) continue;
    const std::string of = name.substr(0, end);
    const bool is_t5 = biases.count(of + "/buckets") > 0, causal = of.find("/causal/") != std::string::npos;
    const Array& want = biases.at(of + (is_t5 ? "/buckets" : "/bias"));
    const long queries = want.shape.rbegin()[1], keys = want.shape.back();
    const Floats got = is_t5 ? buckets(queries, keys, causal) : centered(bias(queries, keys), queries, keys);
    count(compare(of, got, want, tolerance.data, of));
  }
  std::printf("positions: %d of %d passed, %d failed\n", passed, all, failed);
  badge();
  return failed > 0;
}
