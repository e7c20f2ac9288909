// Makes the cores that ship from the one that Emscripten links (src/README.md, How a core is bound).

import binaryen from "binaryen";

binaryen.setOptimizeLevel(3); // as the linker does
binaryen.setShrinkLevel(0);

/**
 * A function that a *.bind.cpp file registers.
 * @typedef {object} Registered
 * @property {number} at  its index in the table of functions
 * @property {[from: number, to: number][]} memory  what its registration alone reads: name, types, signature
 */

/**
 * Runs the static initializers of a core, as Embind's own JavaScript would.
 * @param {Uint8Array<ArrayBuffer>} linked
 * @returns {Map<string, Registered>} by name
 */
function registrations(linked) {
  /** @type {Map<string, Registered>} */
  const found = new Map();
  /** @param {number} at  of a text that a zero ends @returns {[number, number]} */
  const text = (at) => [at, new Uint8Array(core.memory.buffer).indexOf(0, at)];
  /** @type {Record<string, Function>} */
  const known = {
    /**
     * @param {number} name @param {number} count @param {number} types @param {number} signature
     * @param {number} invoker @param {number} at
     */
    _embind_register_function(name, count, types, signature, invoker, at) {
      const bytes = new Uint8Array(core.memory.buffer).slice(...text(name));
      const memory = [text(name), text(signature)];
      memory.push([types, types + 4 * count]);
      found.set(new TextDecoder().decode(bytes), { at, memory });
    },
  };
  const module = new WebAssembly.Module(linked);
  /** @type {Record<string, Record<string, Function>>} */
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = known[name] ?? (() => {});
  }
  const instance = new WebAssembly.Instance(module, /** @type {any} */ (imports));
  const core = /** @type {any} */ (instance.exports);
  startStack(core);
  core._initialize();
  return found;
}

/** Of a core that checks its stack. @param {any} core  its exports */
function startStack(core) {
  core.emscripten_stack_init?.();
  core.__set_stack_limits?.(core.emscripten_stack_get_base(), core.emscripten_stack_get_end());
}

/** What src/runtime/wasm.js uses of a core, apart from the registered functions. */
const ALWAYS =
  /^(memory|malloc|free|_initialize|emscripten_stack_(init|get_base|get_end)|__set_stack_limits)$/;

/**
 * @param {Uint8Array<ArrayBuffer>} linked  a core as Emscripten links it
 * @param {ReadonlyMap<string, string>} used  what the functions that are used are called, by the names that they have
 * @returns {Uint8Array} the core that exports them
 */
export function bind(linked, used) {
  const functions = registrations(linked);
  const module = binaryen.readBinary(linked);
  const table = module.getElementSegmentByIndex(0);
  const { name: tableName, offset, data } = binaryen.getElementSegmentInfo(table);
  const first = /** @type {binaryen.ConstInfo} */ (binaryen.getExpressionInfo(Number(offset)))
    .value;
  for (const name of exported(module)) {
    if (!ALWAYS.test(name)) module.removeExport(name);
  }
  for (const [name, short] of used) {
    const { at } = functions.get(name) ?? {};
    if (at === undefined) throw new Error(`A core must have ${name}.`);
    module.addFunctionExport(data[at - Number(first)], short);
  }
  module.removeElementSegment(tableName); // no kernel is called through a pointer: see below
  const isChecked = exported(module).includes("emscripten_stack_init");
  forget(
    module,
    [...functions.values()].flatMap(({ memory }) => memory),
  );
  unregister(module);
  // Functions with one remaining caller are inlined, which removes branches that their arguments rule out.
  module.runPasses(["remove-unused-module-elements"]);
  module.optimize();
  // Emscripten's own checks print, through pointers, before they stop the core; without a table it just stops.
  if (!isChecked && /call_indirect/.test(module.emitText())) {
    throw new Error("A kernel must not be called through a pointer; bind.js drops the table.");
  }
  const bound = module.emitBinary();
  module.dispose();
  return bound;
}

/** The names of what a core exports. @param {binaryen.Module} module */
function exported(module) {
  return Array.from(
    { length: module.getNumExports() },
    (_, i) => binaryen.getExportInfo(module.getExportByIndex(i)).name,
  );
}

/**
 * Replaces Embind's function by an empty one: the static initializers stay, since malloc has one, too.
 * @param {binaryen.Module} module
 */
function unregister(module) {
  const registers = Array.from({ length: module.getNumFunctions() }, (_, i) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(i)),
  ).find(({ base }) => base === "_embind_register_function");
  if (!registers) throw new Error("A core must register its functions with Embind.");
  const { name, params, results } = registers;
  module.removeFunction(name);
  module.addFunction(name, params, results, [], module.nop());
}

/**
 * Clears parts of the memory that a core starts with.
 * @param {binaryen.Module} module @param {[from: number, to: number][]} parts
 */
function forget(module, parts) {
  const { initial, max } = module.getMemoryInfo();
  const segments = Array.from({ length: module.getNumMemorySegments() }, (_, i) => {
    // Its declarations have another name for the function, and another type for `offset`.
    const { offset, data, passive } = /** @type {any} */ (module).getMemorySegmentInfo(String(i));
    const bytes = new Uint8Array(data);
    for (const [from, to] of parts) {
      bytes.fill(0, Math.max(from - offset, 0), Math.max(to - offset, 0));
    }
    return { offset: module.i32.const(offset), data: bytes, passive };
  });
  module.setMemory(initial, Number(max), null, segments); // which is exported already
}
