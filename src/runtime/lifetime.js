import { DisposedError } from "./errors.js";

/** Frees the memory of what was dropped without dispose(). */
const forgotten =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry(/** @param {() => void} free */ (free) => free())
    : undefined;

/**
 * The life of something that lies in WASM memory. All its methods hold this: while one of them can
 * be called, the memory stays.
 * @template Freed
 * @param {string} what  for the message of `DisposedError`
 * @param {() => Freed} free  gives the memory back; called once, and must hold none of the methods
 */
export function beginLife(what, free) {
  const life = { over: false };
  forgotten?.register(life, free, life);
  return {
    /** Throw `DisposedError` once it is over. */
    live() {
      if (life.over) throw new DisposedError(what);
    },

    /** Give the memory back; twice does nothing. */
    dispose() {
      if (life.over) return undefined;
      life.over = true;
      forgotten?.unregister(life);
      return free();
    },
  };
}

/**
 * Freeze something that has a `dispose`, which `using` calls where the host has it.
 * @template {{dispose: () => void}} Owner
 * @param {Owner} owner
 * @returns {Readonly<Owner>}
 */
export function disposable(owner) {
  if (Symbol.dispose) Object.assign(owner, { [Symbol.dispose]: owner.dispose });
  return Object.freeze(owner);
}
