/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Row } from "../experiment/index.js" */
/** @import { Decoder } from "./decoder.js" */
import { nameFunctions } from "../../runtime/named.js";
import * as option from "../../runtime/options.js";
import { EXPERIMENT, experiment } from "../experiment/index.js";
import * as tasks from "../tasks/index.js";
import { DECODER, decoder, FROM, readDecoder } from "./decoder.js";

/**
 * The lab: a small decoder with any position scheme, trained on short texts and tested on long ones, with the same bits
 * everywhere.
 * @param {Core} core
 */
export function lab(core) {
  const given = {
    /**
     * Creates a decoder with given weights: those of `weights()`, or of a file that `save()` gave.
     *
     * With AdamW's moments, `adamw.means.NAME` and `adamw.squares.NAME`, and `resume` among the options, `train` goes on
     * where the saved training was, with the same bits, if it is given the same settings and task; other settings begin a
     * new schedule. With the same ones `train` throws a `RangeError` if the moments are missing, or if the run has ended:
     * the step 0 in `resume` begins another.
     *
     * @param {Readonly<Record<string, TensorInput>>} tensors  by name
     * @param {OptionsOf<typeof FROM>} options  `options()` of the decoder that they are from
     * @returns {Decoder} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an option or a tensor is wrong, missing, or none of the decoder's
     * @throws {OutOfMemoryError} if memory for the weights cannot be allocated
     * @see PyTorch, torch.nn.Module.load_state_dict
     * @example
     * const model = lab.decoder({ vocabulary: 4, seed: 1 });
     * const twin = lab.decoder.from(model.weights(), model.options());
     * twin.logits([1, 2]).at(0, 0) === model.logits([1, 2]).at(0, 0) // true
     */
    from(tensors, options) {
      return decoder(core, readDecoder(options, FROM), tensors);
    },
  };

  const module = {
    /**
     * Creates a small decoder with random weights, to be trained on a task and tested on longer texts.
     *
     *     x = E[id] + positions;  in each layer, of queries, keys and values of LN(x):
     *     s_ij = temperature q_i . k_j / sqrt(D) + term_h(i, j),  -inf for j > i
     *     x += out_proj softmax(s) v,   x += W_2 gelu(W_1 LN(x) + b_1) + b_2
     *     logits = LN(x) W_u^T + b_u,   loss = mean of -log softmax(logits)[target]
     *
     * At the start, words and learned positions are N(0, std^2), in_proj and mlp.in N(0, 1/E), out_proj N(0, 1/(2 L E)),
     * mlp.out N(0, 1/(2 L F)), the head N(0, 1/E), LayerNorm 1 and 0; KERPLE's numbers are uniform in [0.5, 1.5), FIRE's
     * as PyTorch's Linear, all others 0. `decoder.from(tensors, options)` takes weights instead.
     * Accuracy: float32; logits within 1e-5 of PyTorch in float64, gradients within 3e-6. All sums have one order: a run
     * has the same bits in every engine, with SIMD and without.
     *
     * @param {OptionsOf<typeof DECODER>} options  `vocabulary` is required
     * @returns {Decoder} in WASM memory until `dispose()`
     * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
     * @throws {OutOfMemoryError} if memory for the weights cannot be allocated
     * @see Press et al. 2022, Train short, test long, https://arxiv.org/abs/2108.12409; Kazemnejad et al. 2023, The impact
     *   of positional encoding on length generalization in transformers, https://arxiv.org/abs/2305.19466
     * @example
     * const model = lab.decoder({ vocabulary: 16, position: { scheme: "t5Bias" }, seed: 1 });
     * const task = lab.tasks.back({ symbols: 16, distance: 3 });
     * for (const { step, loss } of model.train(task, { length: 32, steps: 200 })) loss; // every 10 steps
     * model.evaluate(task, { length: 256 }).accuracy > 0.99 // true
     */
    decoder(options) {
      return decoder(core, readDecoder(options));
    },

    /**
     * Trains a decoder with each scheme on each task with each seed, and tests it on longer texts.
     *
     * A training with RoPE is tested four times: as trained, and by position interpolation (`linear`), NTK and YaRN with
     * the factor length / trained length; YaRN's betas are 4 and 1, its ramp over turns. With `workers`, whole runs are
     * made in that many threads; a task that is given as an object, or a scheme `own`, runs in this one. Rows and bits
     * do not depend on the number of threads.
     *
     * @param {OptionsOf<typeof EXPERIMENT>} options  `tasks` is required; those of the training and of the decoder are
     *   the same for all runs
     * @returns {Promise<Row[]>} by task, scheme, reading and seed; `summarize` gives mean and deviation over seeds
     * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
     * @throws {DivergedError} if the loss of a step is not a number; the first error of a run stops all others, and names
     *   its task, scheme and seed
     * @throws {LoadError} if a thread cannot be started
     * @see Press et al. 2022, Train short, test long, https://arxiv.org/abs/2108.12409
     * @example
     * const rows = await lab.experiment({ tasks: ["back"], schemes: ["t5Bias"], seeds: 1, steps: 100 });
     * rows[0].lengths // [32, 64, 128, 256]
     */
    experiment(options) {
      return experiment(core, options);
    },
  };
  Object.assign(module.decoder, nameFunctions("lab.decoder", given));
  option.withOptions(module, { decoder: DECODER, experiment: EXPERIMENT });
  const named = Object.freeze(nameFunctions("lab.tasks", { ...tasks }));
  /** @type {typeof module & {decoder: typeof given, tasks: Readonly<typeof tasks>}} */
  const whole = Object.assign(/** @type {any} */ (module), { tasks: named });
  return whole;
}
