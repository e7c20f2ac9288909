// Embind's own library also registers strings, classes and views, which the bindings do not have. The core is
// linked without it and is smaller: scripts/package/bind.js takes the functions as they are.
#include <emscripten/bind.h>

// The bindings have registered their functions when they call this; there is nothing to do again.
extern "C" void _embind_register_bindings(emscripten::internal::InitFunc*) {}
