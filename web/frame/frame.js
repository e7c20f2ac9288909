// Runs one program of a reader, in a frame that can reach nothing. A classic script that imports
// nothing: in a sandbox no module can be loaded from the page's own folder.

(() => {
  if (parent === window || origin !== "null") return; // not in a sandbox: nothing is run

  // No Content-Security-Policy restricts WebRTC. A program cannot get it back from a frame that it adds: the policy
  // `ALONE` lets no script run there.
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/RTC/.test(name)) Reflect.deleteProperty(globalThis, name);
  }

  /** From the program's start on, no inline script runs, here and in frames within, which inherit this. */
  const ALONE = "script-src 'unsafe-eval' 'wasm-unsafe-eval' blob:";

  /** Things shown, more characters than those shown of one, and levels of what it holds: more would be a circle. */
  const MOST = 1000;
  const LONG = /^(?=[^]{20001})([^]{0,20000})(?![\p{M}\p{EMod}\u200d])[^]+$/u; // between characters
  const DEEPEST = 5;

  /**
   * @typedef {object} Program
   * @property {string} code
   * @property {Record<string, Blob>} modules  by the name that imports them
   * @property {Record<string, Blob>} files  by the address that fetches them
   */

  /** @typedef {{scheme: string, colors: Record<string, string>}} Theme */

  /** The code's address, once it runs. */
  let program = "";
  let shown = 0;

  /** @param {object} message */
  const tell = (message) => parent.postMessage(message, "*");

  addEventListener("message", ({ data, source }) => {
    if (source !== parent) return;
    if (data?.theme) dress(data.theme);
    if (data?.program && !program) run(data.program);
  });

  /** @param {Theme} theme */
  function dress({ scheme, colors }) {
    const { style } = document.documentElement;
    style.colorScheme = scheme;
    for (const [name, color] of Object.entries(colors)) style.setProperty(name, color);
  }

  /** @param {Program} program */
  function run({ code, modules, files }) {
    program = address(code);
    const network = fetch;
    globalThis.fetch = async (input, init) => {
      const file = files[input instanceof Request ? input.url : String(input)];
      return file ? new Response(file) : network(input, init);
    };
    const imports = Object.fromEntries(
      Object.entries(modules).map(([name, blob]) => [name, URL.createObjectURL(blob)]),
    );
    script("importmap", { textContent: JSON.stringify({ imports }) });
    const policy = { httpEquiv: "Content-Security-Policy", content: ALONE };
    document.head.append(Object.assign(document.createElement("meta"), policy));
    // A separate module reports the end of the program: after all of it, awaits too.
    const ended = `import ${JSON.stringify(program)}; dispatchEvent(new Event("ended"));`;
    script("module", { src: address(ended) });
  }

  /** @param {string} text */
  function address(text) {
    return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  }

  /** @param {string} type @param {Partial<HTMLScriptElement>} rest */
  function script(type, rest) {
    document.head.append(Object.assign(document.createElement("script"), { type, ...rest }));
  }

  // --- what a program shows ----------------------------------------------------------------------

  /** Show a value: an element as it is, anything else as text. @param {unknown} value */
  function display(value) {
    if (value instanceof Node) show(value);
    else write([value]);
    return value;
  }
  Object.assign(globalThis, { display });

  for (const kind of /** @type {const} */ (["log", "info", "debug", "warn", "error"])) {
    const native = console[kind];
    console[kind] = (...values) => {
      native(...values);
      write(values, kind);
    };
  }

  /** @param {unknown[]} values @param {string} [kind] */
  function write(values, kind = "log") {
    const line = document.createElement("pre");
    const words = values.map((value) => text(value)).join(" ");
    line.textContent = words.replace(LONG, "$1 …");
    line.className = kind;
    line.tabIndex = 0; // a long line is scrolled by key
    show(line);
  }

  /** @param {Node} node */
  function show(node) {
    const output = document.querySelector("main");
    shown += 1;
    if (shown < MOST) output?.append(node);
    if (shown === MOST) output?.append(`More than ${MOST - 1} things are not shown.`);
  }

  /**
   * A value as text; nested values as literals.
   *
   * @param {unknown} value @param {number} [depth]
   * @returns {string}
   */
  function text(value, depth = 0) {
    if (Object.is(value, -0)) return "-0";
    if (typeof value === "string" && depth > 0) return JSON.stringify(value);
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (depth > DEEPEST) return "…";
    try {
      return parts(value, depth + 1);
    } catch {
      return Object.prototype.toString.call(value); // a getter that throws, or no own text
    }
  }

  /** @param {object} value @param {number} depth */
  function parts(value, depth) {
    const list = (/** @type {Iterable<unknown>} */ of) =>
      `[${Array.from(of, (each) => text(each, depth)).join(", ")}]`;
    if (Array.isArray(value)) return list(value);
    if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) {
      return `${value.constructor.name} ${list(/** @type {Float32Array} */ (value))}`;
    }
    // An own toString, such as that of a tensor, is better.
    if (value.toString !== Object.prototype.toString) return String(value);
    const named = Object.entries(value).map(([name, each]) => `${name}: ${text(each, depth)}`);
    return named.length > 0 ? `{ ${named.join(", ")} }` : "{}";
  }

  // --- how it went -------------------------------------------------------------------------------

  addEventListener("ended", () => tell({ state: "ended" }));

  addEventListener("error", ({ error, message, filename, lineno }) => {
    if (message.startsWith("ResizeObserver loop")) return; // only put off to the next frame
    const words = error == null ? message : text(error);
    fail(words, filename === program ? lineno : 0);
  });

  addEventListener("unhandledrejection", ({ reason }) => {
    const stack = reason instanceof Error ? String(reason.stack) : "";
    const [, line = 0] =
      stack.slice(stack.indexOf(program) + program.length).match(/^:(\d+)/) ?? [];
    fail(text(reason), stack.includes(program) ? Number(line) : 0);
  });

  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective === "connect-src") {
      write([`A program here has no network; ${blockedURI} was not asked for.`], "warn");
    }
  });

  /** @param {string} words @param {number} line  0: not known */
  function fail(words, line) {
    tell({ state: "failed", words: words.replace(LONG, "$1"), line });
  }

  addEventListener("DOMContentLoaded", () => {
    const output = /** @type {HTMLElement} */ (document.querySelector("main"));
    new ResizeObserver(() => tell({ height: output.offsetHeight })).observe(output);
    tell({ state: "ready" });
  });
})();
