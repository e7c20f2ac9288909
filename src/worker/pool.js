/** Several workers as one phasor: large calls are split over them, all others run in the first worker. */
import { withName } from "../runtime/named.js";
import { splits } from "../positional/about.js";
import { ending } from "./connect.js";
import {
  planAttention,
  planIndex,
  planMatrix,
  planNearest,
  planPca,
  planRows,
  planScores,
} from "./plans.js";
import { readSignal } from "./arguments.js";
import { attempt, together, unlessAborted } from "./together.js";

/** @import { Plan } from "./plans.js" */

/** Plans by the way in which a scheme may be split. */
const WAYS = { rows: planRows([]), "rows of cos and sin": planRows(["cos", "sin"]) };

/** The functions that are split, by module; `""` is the module itself. @type {Record<string, Record<string, (values: any[], n: number) => Plan | undefined>>} */
const PLANS = {
  attention: { scaledDotProduct: planAttention, scores: planScores },
  nearest: { "": planNearest, index: planIndex },
  pca: { "": planPca },
  similarity: { matrix: planMatrix },
  ...Object.fromEntries(
    Object.entries(splits).map(([name, { table }]) => [name, { table: WAYS[table] }]),
  ),
};

/**
 * Joins the phasors of several workers.
 * @param {any[]} phasors  as `connect` returns them
 * @returns {any} the modules of the first; `dispose` ends all
 */
export function pool(phasors) {
  const [first] = phasors;
  if (phasors.length === 1) return first;
  const modules = { ...first };
  for (const [name, plans] of Object.entries(PLANS)) {
    if (name in first) modules[name] = withPlans(phasors, name, plans);
  }
  const disposals = phasors.map(({ dispose }) => dispose);
  return ending(modules, async () => {
    await Promise.all(disposals.map((dispose) => dispose()));
  });
}

/**
 * A module, with some functions that are split.
 * @param {any[]} phasors @param {string} name @param {typeof PLANS[string]} plans
 */
function withPlans(phasors, name, { "": own, ...plans }) {
  const modules = phasors.map((phasor) => phasor[name]);
  const [first] = modules;
  const module = own ? Object.assign(splitting(modules, first, own), first) : { ...first };
  for (const [method, plan] of Object.entries(plans)) {
    if (method in first) module[method] = splitting(modules, first[method], plan);
  }
  return Object.freeze(module);
}

/**
 * @param {any[]} modules  one of each worker
 * @param {(...values: any[]) => Promise<any>} unsplit  the function of the first
 * @param {(values: any[], n: number) => Plan | undefined} plan
 */
function splitting(modules, unsplit, plan) {
  return withName(unsplit.name, async (/** @type {any[]} */ ...values) => {
    const { signal, others } = readSignal(values);
    const planned = attempt(() => plan(others, modules.length));
    if (planned === undefined) return unsplit(...values);
    const { parts, join } = planned;
    const calls = parts.map((part, i) => () => part(modules[i % modules.length]));
    const joining = together(others, calls).then((found) => join(found, signal));
    return signal ? unlessAborted(joining, signal) : joining;
  });
}
