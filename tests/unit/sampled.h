// What a change's run takes natively, under sanitizers, of what the night (PHASOR_SWEEP=1) takes whole, as
// tests/sample.js does. In WebAssembly, which takes a fraction of the time, all is whole by day.
#pragma once
#include <cstdlib>

namespace phasor::test {

inline bool is_whole() {
#ifdef __EMSCRIPTEN__
  return true;
#else
  return std::getenv("PHASOR_SWEEP") != nullptr;
#endif
}

// Says of each case whether it is tested: of the first and of every n-th after it, or of all. Where n has
// no factor in common with the lengths of loops, all values of each loop's variable come up.
inline auto every_nth(int n) {
  return [n, whole = is_whole(), cases = 0]() mutable { return cases++ % n == 0 || whole; };
}

}  // namespace phasor::test
