/** The types of what is in a worker, as this side of it has it. */

/** @import { Phasor } from "../index.js" */
/** @import { Stages } from "../models/input_embeddings/input_embeddings.js" */
/** @import { QueriesAndKeys } from "../positional/rotary/rope/rope.js" */
/** @import { Tensor, TensorInput } from "../runtime/tensor.js" */

/**
 * What arrives as it was.
 * @typedef {string | number | bigint | boolean | symbol | null | undefined | ArrayBufferView | Tensor<any> | readonly any[]} Data
 */

/**
 * Whether an object has methods; it then stays in the worker.
 * @template Of
 * @typedef {true extends {[Name in keyof Of]: Of[Name] extends (...given: any) => any ? true : false}[keyof Of] ? true : false} HasMethods
 */

/**
 * An argument of a function in a worker: data, or an object that the same worker created.
 * @template Given
 * @typedef {Given extends Data ? Given
 *   : HasMethods<Given> extends true ? Remote<Given>
 *   : {[Name in keyof Given]: RemoteArgument<Given[Name]>}} RemoteArgument
 */

/**
 * What every function in a worker takes among its options.
 * @typedef {object} Cancelable
 * @property {AbortSignal} [signal]  rejects the promise with the signal's reason when it is aborted
 */

/**
 * The options of a function, with those of every function in a worker.
 * @template Given
 * @typedef {Given extends object ? ({} extends Given ? Given & Cancelable : Given) : Given} WithSignal
 */

/**
 * A result of a function in a worker: data, or an object that stays there.
 * @template Result
 * @typedef {Result extends Data | void ? Result
 *   : HasMethods<Result> extends true ? Remote<Result>
 *   : {[Name in keyof Result]: RemoteResult<Result[Name]>}} RemoteResult
 */

/**
 * A function in a worker. Where its result depends on the type of an argument, this is the type for the default;
 * `Special` has the others.
 * @template Does
 * @typedef {Does extends (...given: infer Given extends any[]) => infer Result
 *   ? (...given: {[At in keyof Given]: WithSignal<RemoteArgument<Given[At]>>}) => Promise<RemoteResult<Result>>
 *   : unknown} RemoteFunction
 */

/**
 * The properties and methods of an object that stays in the worker.
 * @template Of
 * @typedef {{readonly [Name in keyof Of as Name extends "dispose" | symbol ? never : Name]:
 *   Of[Name] extends (...given: any) => any ? RemoteFunction<Of[Name]> : RemoteResult<Of[Name]>}} RemoteMembers
 */

/**
 * An object that stays in the worker, with the same properties and with methods that return promises. `dispose`
 * releases its memory; otherwise garbage collection does, later. `using` and `await using` call `dispose` where the
 * host supports them.
 * @template Of
 * @typedef {RemoteMembers<Of> & {dispose: () => Promise<void>}} Remote
 */

/** @template {keyof Phasor} Module @typedef {RemoteMembers<Phasor[Module]>} Members */
/** @template Does @typedef {Does extends (...given: infer Given) => any ? Given : never} Given */
/** @typedef {Given<Members<"rope">["apply"]>} Turned */
/** @typedef {Given<Members<"attention">["scaledDotProduct"]>} Attended */
/** @typedef {Given<RemoteFunction<Phasor["inputEmbeddings"]>>} Embedded */
/** @typedef {[spec: Embedded[0], weights: Embedded[1], ids: Embedded[2]]} Embedding */

/**
 * The calls of modules whose result has another type than by default.
 * @typedef {object} Special
 * @property {{apply: ((x: QueriesAndKeys, table: Turned[1], options?: Turned[2]) => Promise<{q: Tensor, k: Tensor}>)
 *   & ((x: TensorInput, table: Turned[1], options?: Turned[2]) => Promise<Tensor>)}} rope
 * @property {{scaledDotProduct: ((inputs: Attended[0], options: Attended[1] & {weights: false}) => Promise<{output: Tensor}>)
 *   & ((inputs: Attended[0], options?: Attended[1] & {weights?: true}) => Promise<{output: Tensor, weights: Tensor}>)}} attention
 * @property {((...given: [...Embedding, options: Embedded[3] & {intermediates: true}]) => Promise<Stages>)
 *   & ((...given: [...Embedding, options?: Embedded[3] & {intermediates?: false}]) => Promise<Tensor>)} inputEmbeddings
 */

/**
 * The modules of a phasor in a worker. `dispose` ends it, and the worker if `load` started it; pending calls are
 * rejected.
 * @typedef {{readonly [Module in keyof Phasor]: (Module extends keyof Special ? Special[Module] : unknown)
 *   & RemoteFunction<Phasor[Module]> & RemoteMembers<Phasor[Module]>}
 *   & {dispose: () => Promise<void>}} RemotePhasor
 */

export {};
