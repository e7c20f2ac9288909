/** The types of what is in a worker, as this side of it has it. */

/** @import { Phasor } from "../index.js" */
/** @import { Tensor } from "../runtime/tensor.js" */

/**
 * What arrives as it was.
 * @typedef {string | number | bigint | boolean | symbol | null | undefined | ArrayBufferView | Tensor<any> | readonly any[]} Data
 */

/**
 * Whether something can do more than be read: it then stays in the worker.
 * @template Of
 * @typedef {true extends {[Name in keyof Of]: Of[Name] extends (...given: any) => any ? true : false}[keyof Of] ? true : false} HasMethods
 */

/**
 * What a function in a worker takes: data, and what the same worker made.
 * @template Given
 * @typedef {Given extends Data ? Given
 *   : HasMethods<Given> extends true ? Remote<Given>
 *   : {[Name in keyof Given]: RemoteArgument<Given[Name]>}} RemoteArgument
 */

/**
 * What a function in a worker gives in the end: data, and objects that stay there.
 * @template Result
 * @typedef {Result extends Data | void ? Result
 *   : HasMethods<Result> extends true ? Remote<Result>
 *   : {[Name in keyof Result]: RemoteResult<Result[Name]>}} RemoteResult
 */

/**
 * A function in a worker. What it gives by an option's type it gives here as any of the types.
 * @template Does
 * @typedef {Does extends (...given: infer Given extends any[]) => infer Result
 *   ? (...given: {[At in keyof Given]: RemoteArgument<Given[At]>}) => Promise<RemoteResult<Result>>
 *   : unknown} RemoteFunction
 */

/**
 * The properties and methods of an object that stays in the worker.
 * @template Of
 * @typedef {{readonly [Name in keyof Of as Name extends "dispose" ? never : Name]:
 *   Of[Name] extends (...given: any) => any ? RemoteFunction<Of[Name]> : RemoteResult<Of[Name]>}} RemoteMembers
 */

/**
 * An object that stays in the worker: the same properties, the same methods with promises.
 * `dispose` gives up what it keeps there; so does the collection of garbage, later. `using` and
 * `await using` call it where the host has them.
 * @template Of
 * @typedef {RemoteMembers<Of> & {dispose: () => Promise<void>}} Remote
 */

/**
 * The rooms of a phasor in a worker. `dispose` ends it, and the worker if `load` started it: calls
 * without an answer are rejected.
 * @typedef {{readonly [Room in keyof Phasor]: RemoteFunction<Phasor[Room]> & RemoteMembers<Phasor[Room]>}
 *   & {dispose: () => Promise<void>}} RemotePhasor
 */

export {};
