/**
 * Names the function in the messages of argument errors: "dim must be even; got 7" becomes
 * "rope.table: dim must be even; got 7". Functions share their checks, which therefore know the argument alone.
 */

/** Whether a message has the form "ARGUMENT must RULE; got VALUE". @param {string} message */
function isOfArgument(message) {
  const at = message.indexOf(" must ");
  return at > 0 && message.includes("; got ", at);
}

/**
 * A message without its function, for people who called none: of a form, or of the command line.
 * @param {string} message
 */
export const withoutFunction = (message) =>
  isOfArgument(message) ? message.replace(/^[\w.]+: /, "") : message;

/**
 * Names a function in an argument error: the outermost one counts, because that is what the user called.
 * @param {string} name  as the user writes it: "rope.table", or "NearestIndex.search" of an object's type
 * @param {any} error  others are left alone: errors of files have a code, and a callback's may be frozen
 * @returns {any} the same error
 */
export function inFunction(name, error) {
  const own = Object.getOwnPropertyDescriptor(Object(error), "message");
  if (!own?.writable || error.code || !isOfArgument(error.message)) return error;
  const message = `${name}: ${withoutFunction(error.message)}`;
  const stack = error.stack?.replace(error.message, () => message); // of V8: it begins with the message
  return Object.assign(error, { message, stack });
}

/**
 * A function whose argument errors name it, with the properties of the given one.
 * @template {(...given: any[]) => any} Call
 * @param {string} name @param {Call} call
 * @returns {Call}
 */
export function withName(name, call) {
  /** @param {unknown} error */
  const fail = (error) => {
    throw inFunction(name, error);
  };
  /** @this {unknown} @param {unknown[]} given */
  const own = function (...given) {
    try {
      const result = call.apply(this, given);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
  return Object.defineProperties(/** @type {any} */ (own), {
    ...Object.getOwnPropertyDescriptors(call),
    name: { value: name, configurable: true },
  });
}

/**
 * Names each function of an object, in place.
 * @template {object} Owner
 * @param {string} of  the name of the object @param {Owner} owner
 * @returns {Owner}
 */
export function nameFunctions(of, owner) {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    const { value } = property;
    if (typeof value !== "function" || name === "constructor") continue;
    Object.defineProperty(owner, name, { ...property, value: withName(`${of}.${name}`, value) });
  }
  return owner;
}

/**
 * The same of an object that an entry exports, which all programs of a page share: none can change it.
 * @template {object} Owner
 * @param {string} of  the name of the object @param {Owner} owner
 * @returns {Owner}
 */
export const namespace = (of, owner) => Object.freeze(nameFunctions(of, owner));

/** The classes whose methods are named. @type {WeakSet<Function>} */
const named = new WeakSet();

/**
 * Names the methods of a class when its first object is made: bundlers leave out classes that are not used.
 * @param {Function} Class
 */
export function nameMethods(Class) {
  if (named.has(Class)) return;
  named.add(Class);
  nameFunctions(Class.name, Class.prototype);
}
