import { DisposedError } from "./errors.js";
import { nameFunctions } from "./named.js";

/** Frees the memory of objects that were garbage collected without dispose(). */
const forgotten =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry(/** @param {() => void} free */ (free) => free())
    : undefined;

/**
 * Tracks an object that holds WASM memory. All its methods keep a reference to this: while one of them can
 * be called, the memory stays.
 * @template Freed
 * @param {string} what  for the message of `DisposedError`
 * @param {() => Freed} free  frees the memory; called once, and must not reference the methods
 */
export function beginLife(what, free) {
  const life = { over: false };
  forgotten?.register(life, free, life);
  return {
    /** Throws `DisposedError` after dispose(). */
    live() {
      if (life.over) throw new DisposedError(what);
    },

    /** Frees the memory. A second call does nothing. */
    dispose() {
      if (life.over) return undefined;
      life.over = true;
      forgotten?.unregister(life);
      return free();
    },
  };
}

/**
 * Freezes an object with a `dispose` method, and lets `using` call it where the host supports that. The declarations
 * say so of every `dispose` (`usable` in scripts/package/declare.js).
 * @template {{dispose: () => void}} Owner
 * @param {string} type  names its functions in the messages of their errors; "" if they have names @param {Owner} owner
 * @returns {Readonly<Owner>}
 */
export function disposable(type, owner) {
  if (type) nameFunctions(type, owner);
  if (Symbol.dispose) Object.defineProperty(owner, Symbol.dispose, { value: owner.dispose });
  return Object.freeze(owner);
}
