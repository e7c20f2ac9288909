// X-rays against numbers from elsewhere: public threads, papers, formulas by hand.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { phasor } from "../../../phasor.js";
import { llama } from "../../models/small.js";
import { models } from "phasor/models";
import { xray } from "phasor/xray";

/** @param {any} config @param {number} [length] */
const look = (config, length) => xray(config, { phasor, ...(length && { length }) });

/** @param {Awaited<ReturnType<typeof xray>>} found @param {string} reader */
const readerOf = (found, reader) => found.readers.find((one) => one.reader === reader);

/** @param {readonly {state: string}[]} pairs */
function counted(pairs) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { state } of pairs) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** @param {number} actual @param {number} expected @param {number} within @param {string} [what] */
function near(actual, expected, within, what) {
  assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual}, not ${expected}`);
}

/** A decoder of one layer with heads of some width, whose frequencies are known. @param {Record<string, unknown>} [more] */
const small = (more) =>
  llama({ num_hidden_layers: 1, num_attention_heads: 1, hidden_size: 4, head_dim: 4, ...more });

const YARN = { type: "yarn", factor: 4, original_max_position_embeddings: 1024 };

describe("xray: what a program that ignores the scaling gets", () => {
  test("Llama 3.1's shares are those of mlx-vlm's pull request 1710", async () => {
    // Computed by its author from both spectra; measured on the model: 0.959, 0.757 and 0.503.
    for (const [length, share] of [
      [1000, "0.963"],
      [8192, "0.769"],
      [60000, "0.539"],
    ]) {
      // prettier-ignore
      const found = await look("llama-3.1-8b", Number(length));
      const { kinds, does, scores } = readerOf(found, "scaling") ?? assert.fail("no reader");
      assert.equal(kinds[0].asked.toFixed(3), share);
      assert.equal(kinds[0].trained.toFixed(3), "0.769");
      assert.deepEqual([does, scores], ["ignores the scaling", undefined]);
      const { positions = [], left = [] } = found.kinds[0].ignored ?? {};
      assert.deepEqual([positions[0], positions.at(-1)], [1, length]);
      assert.equal(left.at(-1)?.toFixed(3), share);
      assert.ok(left[0] > 0.9999 && left.length === positions.length && left.length > 40);
    }
  });

  test("a linear scaling by 2 leaves cos(n / 2) of one pair", async () => {
    const config = small({ head_dim: 2, rope_scaling: { type: "linear", factor: 2 } });
    for (const length of [1, 2, 7]) {
      const { asked } = readerOf(await look(config, length), "scaling")?.kinds[0] ?? {};
      near(Number(asked), Math.cos(length / 2), 1e-7, `length ${length}`);
    }
  });

  test("YaRN's factor is named by what it does to the scores", async () => {
    const { scores } = readerOf(await look("gpt-oss-20b"), "scaling") ?? {};
    near(Number(scores), 1 / (0.1 * Math.log(32) + 1) ** 2, 1e-6, "0.1 ln s + 1, squared");
    // mscale and mscale_all_dim of DeepSeek V3 cancel out.
    assert.equal(readerOf(await look("deepseek-v3"), "scaling")?.scores, undefined);
  });
});

describe("xray: pairs", () => {
  test("angles are seen, new, or kept by the scaling within those of training", async () => {
    // Frequencies 1 and 0.01: in 100 tokens the second turns by 1 radian, in 400 by 4.
    const config = small({ max_position_embeddings: 100 });
    const [fast, slow] = (await look(config, 400)).kinds[0].pairs;
    assert.deepEqual([fast.state, slow.state], ["seen", "new"]);
    near(slow.seen, 1 / (2 * Math.PI), 1e-6, "seen");
    near(slow.turns, 4 / (2 * Math.PI), 1e-6, "turns");
    near(slow.fresh, 3 / (2 * Math.PI), 1e-6, "fresh");
    assert.equal(slow.unscaled, slow.turns);
    const linear = { rope_scaling: { type: "linear", factor: 4 } };
    const [, mapped] = (await look({ ...config, ...linear }, 400)).kinds[0].pairs;
    assert.deepEqual([mapped.state, mapped.fresh], ["mapped", 0]);
    near(mapped.turns, mapped.seen, 1e-7, "turns");
    near(mapped.unscaled, 4 / (2 * Math.PI), 1e-6, "unscaled");
    const [, beyond] = (await look({ ...config, ...linear }, 800)).kinds[0].pairs;
    assert.equal(beyond.state, "new");
    near(beyond.fresh, 1 / (2 * Math.PI), 1e-6, "fresh beyond the factor");
    const [, short] = (await look(config, 100)).kinds[0].pairs;
    assert.deepEqual([short.state, short.fresh], ["seen", 0]);
  });

  test("gpt-oss keeps all within 4,096 tokens' angles, Llama 3.1 does not beyond its factor", async () => {
    // 10000^(2i/64) > 4096 / 2 pi and its like: pairs 18 and on of gpt-oss have wavelengths over 4,096.
    const slow = (/** @type {number} */ base, /** @type {number} */ P, /** @type {number} */ L) =>
      Array.from({ length: P }, (_, i) => 2 * Math.PI * base ** (i / P)).filter((w) => w > L)
        .length;
    const { kinds } = await look("gpt-oss-20b");
    const full = kinds.find(({ kind }) => kind === "full_attention");
    const mapped = slow(150000, 32, 4096);
    assert.deepEqual(counted(full?.pairs ?? []), { seen: 32 - mapped, mapped });
    const { kinds: llama3 } = await look("llama-3.1-8b");
    const fresh = slow(500000, 64, 8192);
    assert.deepEqual(counted(llama3[0].pairs), { seen: 64 - fresh, new: fresh });
  });

  test("layers with a window meet no angle beyond it", async () => {
    const { kinds } = await look("gemma-3-1b", 10 ** 7);
    const rows = kinds.map(({ kind, layers, window, reach }) => [kind, layers, window, reach]);
    assert.deepEqual(rows, [
      ["sliding_attention", 22, 512, 511],
      ["full_attention", 4, undefined, 10 ** 7],
    ]);
    assert.deepEqual(counted(kinds[0].pairs), { seen: 128 });
    assert.ok(counted(kinds[1].pairs).new > 0);
  });

  test("the pairs that proportional scaling leaves out are still", async () => {
    const { kinds } = await look("gemma-4-26b");
    const full = kinds.find(({ kind }) => kind === "full_attention");
    assert.deepEqual([full?.width, counted(full?.pairs ?? [])], [512, { seen: 64, still: 192 }]);
  });
});

describe("xray: other readers", () => {
  test("one that finds no rope_theta takes 10,000, and only where the file says another", async () => {
    const theta = 1e6;
    const nested = small({ rope_parameters: { rope_type: "default", rope_theta: theta } });
    for (const config of [nested, JSON.stringify(nested)]) {
      const { kinds, does } = readerOf(await look(config, 50), "base") ?? assert.fail("no reader");
      assert.equal(does, "finds no rope_theta and takes 10,000");
      // Both have frequency 1 in the first pair.
      near(kinds[0].asked, (1 + Math.cos(50 * (0.01 - 0.001))) / 2, 1e-6, "asked");
    }
    for (const other of [small({ rope_theta: theta }), small(), "llama-3.1-8b"]) {
      assert.equal(readerOf(await look(other, 50), "base"), undefined);
    }
    const named = small({ rope_theta: theta, rope_parameters: { rope_type: "default", rope_theta: theta } }); // prettier-ignore
    assert.equal(readerOf(await look(named, 50), "base"), undefined);
  });

  test("one that has a single base gives it to sliding layers, which Gemma 3 has not", async () => {
    const config = {
      ...small({ model_type: "gemma3_text", num_hidden_layers: 6, rope_theta: 1e6 }),
      ...{ rope_local_base_freq: 1e4, sliding_window_pattern: 6, sliding_window: 512 },
    };
    const { kinds, does } = readerOf(await look(config), "base") ?? assert.fail("no reader");
    assert.equal(does, "takes rope_theta for every layer");
    assert.deepEqual(kinds.map(({ kind, layers }) => [kind, layers]), [["sliding_attention", 5]]); // prettier-ignore
    near(kinds[0].asked, (1 + Math.cos(511 * (0.01 - 0.001))) / 2, 1e-6, "asked");
    const scaled = await look({ ...config, rope_scaling: { rope_type: "linear", factor: 8 } });
    const sliding = readerOf(scaled, "sliding")?.kinds ?? [];
    assert.deepEqual(sliding.map(({ kind }) => kind), ["sliding_attention"]); // prettier-ignore
    const share = (/** @type {number} */ f) => Math.cos(511 * (f - f / 8));
    near(sliding[0].asked, (share(1) + share(0.01)) / 2, 1e-6, "the factor on sliding layers");
    assert.equal(readerOf(await look(config), "sliding"), undefined);
  });

  test("ones that rotate layers without rotation, or take their mask the wrong way round", async () => {
    const found = await look("smollm3-3b", 100);
    const mean = (/** @type {number} */ n) => {
      let sum = 0;
      for (let i = 0; i < 64; ++i) sum += Math.cos(n * 5e6 ** (-i / 64)) / 64;
      return sum;
    };
    const nope = readerOf(found, "nope")?.kinds ?? [];
    assert.deepEqual(nope.map(({ kind, layers }) => [kind, layers]), [["no_rope", 9]]); // prettier-ignore
    near(nope[0].asked, mean(100), 1e-6, "mean of the cosines");
    const inverted = readerOf(found, "inverted")?.kinds ?? [];
    assert.deepEqual(inverted.map(({ layers }) => layers), [27, 9]); // prettier-ignore
    for (const { asked } of inverted) near(asked, mean(100), 1e-6, "inverted");
    // Layers of linear attention are no such layers.
    const hybrid = await look("qwen3-next-80b");
    assert.deepEqual([readerOf(hybrid, "nope"), readerOf(hybrid, "inverted")], [undefined, undefined]); // prettier-ignore
  });

  test("ones that rotate the whole head, or take its rotated part for the width", async () => {
    const base = 10000;
    const part = small({ model_type: "gpt_neox", rotary_pct: 0.5, rotary_emb_base: base });
    const { kinds } = readerOf(await look(part, 3), "width") ?? assert.fail("no reader");
    // Right: columns 0 and 1 turn by n. The reader: 0 and 2 by n, 1 and 3 by n / 100.
    const [c, s] = [Math.cos(3), Math.cos(0.03)];
    near(kinds[0].asked, (c * c + c * s + c + s) / 4, 1e-6, "whole");
    const gemma = await look("gemma-4-26b", 1000);
    assert.equal(readerOf(gemma, "width")?.kinds[0].kind, "full_attention");
    assert.equal(readerOf(gemma, "part")?.kinds[0].kind, "full_attention");
    // The rotated columns of a latent are no part of a larger rotated head.
    assert.equal(readerOf(await look("deepseek-v3"), "width"), undefined);
    for (const name of ["width", "part"])
      assert.equal(readerOf(await look(small()), name), undefined);
  });

  test("one that pairs the columns in the other layout", async () => {
    const { kinds } = readerOf(await look(small(), 5), "layout") ?? assert.fail("no reader");
    // (0, 2), (1, 3) against (0, 1), (2, 3): only cosines meet.
    near(kinds[0].asked, ((Math.cos(5) + Math.cos(0.05)) / 2) ** 2, 1e-6, "asked");
    const single = small({ head_dim: 2 });
    assert.equal(readerOf(await look(single, 5), "layout"), undefined);
  });
});

describe("xray: what it costs", () => {
  test("caches of a token are those of DeepSeek's paper on V3 and its hardware, table 1", async () => {
    // 70.272 KB, 327.680 KB and 516.096 KB in bfloat16, arXiv 2505.09343.
    const qwen = { model_type: "qwen2", num_hidden_layers: 80, hidden_size: 8192 };
    const wide = { ...qwen, num_attention_heads: 64, num_key_value_heads: 8 };
    const large = { model_type: "llama", num_hidden_layers: 126, hidden_size: 16384 };
    const llama405 = { ...large, num_attention_heads: 128, num_key_value_heads: 8 };
    for (const [config, bytes] of [
      ["deepseek-v3", 70272],
      [wide, 327680],
      [llama405, 516096],
    ]) {
      // prettier-ignore
      assert.equal((await look(config, 4096)).cost.cachePerToken, bytes);
    }
  });

  test("windows, shared keys and layers with a state are counted by the kind of layer", async () => {
    const gemma = await look("gemma-3-1b", 32768);
    assert.equal(gemma.cost.cache, 2 * 512 * (4 * 32768 + 22 * 512));
    const mistral = [4096, 32768].map((length) => look("mistral-7b-v0.1", length));
    for (const { cost, kinds } of await Promise.all(mistral)) {
      assert.deepEqual([cost.cachePerToken, cost.cache], [131072, 131072 * 4096]); // of a token that is kept
      assert.equal(kinds[0].kind, "sliding_attention");
    }
    const llama4 = await look("llama-4-scout", 100000);
    assert.equal(llama4.cost.cache, 2 * 2048 * (12 * 100000 + 36 * 8192));
    const hybrid = await look("qwen3-next-80b", 1000);
    assert.equal(hybrid.cost.cache, 2 * 1024 * 12 * 1000);
    const shared = await look("gemma-4-e2b", 1000);
    assert.equal(shared.cost.cache, 2 * (3 * 1024 * 1000 + 12 * 512 * 512));
    const few = { model_type: "qwen2", num_key_value_heads: 2, sliding_window: 8 };
    const some = small({ ...few, num_hidden_layers: 5, use_sliding_window: true, max_window_layers: 2, num_attention_heads: 2 }); // prettier-ignore
    assert.equal((await look(some, 100)).cost.cache, 2 * 16 * (2 * 100 + 3 * 8));
    assert.equal(
      (await look({ ...some, use_sliding_window: false }, 100)).cost.cache,
      2 * 16 * 500,
    );
  });

  test("what is not known is null: a window or a latent that no key states", async () => {
    const sliding = small({ model_type: "gemma3_text", sliding_window_pattern: 2 });
    const { kinds, cost } = await look({ ...sliding, num_hidden_layers: 2 });
    assert.deepEqual([kinds.map(({ window }) => window), cost.cache], [[null, undefined], null]);
    const latent = { qk_nope_head_dim: 2, qk_rope_head_dim: 2, model_type: "deepseek_v3" };
    assert.equal((await look(small(latent))).cost.cache, null);
    assert.equal((await look("modernbert-base")).cost.cache, null);
    for (const wrong of ["8", -1, 0.5, [], {}]) {
      const config = small({ model_type: "mistral", sliding_window: wrong });
      assert.equal(typeof (await look(config)).cost.cache, "number");
    }
  });

  test("tables are counted once for all layers that rotate alike", async () => {
    assert.equal((await look("llama-3.1-8b")).cost.tablesPerToken, 4 * 2 * 64);
    assert.equal((await look("gemma-3-1b")).cost.tablesPerToken, 2 * 4 * 2 * 128);
    assert.equal((await look("gpt2")).cost.tables, 0);
  });
});

describe("xray: positions of 16 bits, and other schemes", () => {
  test("bfloat16 merges positions from 257 on, float16 from 2,049 and ends at 65,504", async () => {
    // diffusers' pull request 13922: near 65,536 the numbers of bfloat16 are 512 apart.
    const { precision } = await look("llama-3.1-8b", 65600);
    assert.deepEqual(precision, {
      bfloat16: { first: 257, apart: 512 },
      float16: { first: 2049, apart: null },
    });
    const { precision: short } = await look("llama-3.1-8b", 300);
    assert.deepEqual([short.bfloat16.apart, short.float16.apart], [2, 1]);
  });

  test("learned positions end at a wall, ALiBi and T5 fade", async () => {
    const gpt2 = await look("gpt2", 1500);
    assert.deepEqual([gpt2.wall, gpt2.kinds], [{ rows: 1024 }, []]);
    assert.match(gpt2.sentence, /1,024 positions: the last 476 of 1,500 tokens have no row/);
    const { wall } = await look("bloom-560m");
    const last = wall?.heads?.at(-1);
    near(Number(last?.slope), 2 ** -8, 0, "the last slope of 16 heads");
    near(Math.exp(-Number(last?.slope) * Number(last?.reach)), 1e-3, 1e-9, "weight");
    assert.deepEqual((await look("t5-base", 512)).wall, { farthest: 91, decoder: 113 });
    assert.match((await look("kimi-linear-48b")).sentence, /no positions/);
  });

  test("nothing is said of lengths that no configuration states, nor beyond its positions", async () => {
    const { max_position_embeddings: _, ...unstated } = small({});
    assert.match((await look(unstated, 1e6)).sentence, /^The configuration states no length: which angles are new is not known\./); // prettier-ignore
    assert.match((await look("whisper-base", 3000)).sentence, /states 1,500 positions: of the last 1,500 of 3,000 it says nothing/); // prettier-ignore
    assert.match((await look("whisper-base", 1000)).sentence, /^Nothing is lost or new at 1,000/);
  });

  test("a window that the cache does not state is the same in training and later", async () => {
    const modern = { model_type: "modernbert", hidden_size: 768, num_attention_heads: 12, num_hidden_layers: 22, vocab_size: 50368, max_position_embeddings: 8192, local_attention: 128, global_attn_every_n_layers: 3 }; // prettier-ignore
    const { kinds } = await look(modern, 65536);
    const fresh = (/** @type {string} */ kind) => kinds.find((one) => one.kind === kind)?.pairs.filter(({ state }) => state === "new").length; // prettier-ignore
    assert.equal(fresh("sliding_attention"), 0);
    assert.ok(Number(fresh("full_attention")) > 0);
  });

  test("a sentence says it all", async () => {
    const { sentence } = await look("gpt-oss-20b");
    assert.equal(
      sentence,
      "At 131,072 tokens no pair meets angles that do not occur in 4,096 tokens, the original length; the scaling keeps 14 of 64 from such. " +
        "12 of 24 layers see 128 tokens. A program that ignores the scaling has 0.391 of the dot product left at the end. " +
        "The cache takes 48 KiB a token, 3 GiB in all.",
    );
  });
});

describe("xray: what it takes", () => {
  test("names, configurations, their texts and descriptions give the same", async () => {
    const config = small({ rope_scaling: YARN, num_key_value_heads: 1 });
    const all = [config, JSON.stringify(config), models.fromConfig(config)];
    const found = await Promise.all(all.map((one) => look(one)));
    for (const one of found) assert.deepEqual(one, found[0]);
    assert.deepEqual(await look("gpt2"), await look(models.get("gpt2")));
    assert.deepEqual(await look(`{"a": NaN, ${JSON.stringify(config).slice(1)}`), found[0]);
  });

  test("the result is frozen, and a shared instance computes it where none is passed", async () => {
    const found = await xray("llama-3.1-8b");
    assert.deepEqual(found, await look("llama-3.1-8b"));
    for (const part of [found, found.kinds, found.kinds[0].pairs[0], found.cost.parts]) {
      assert.ok(Object.isFrozen(part));
    }
  });

  test("every model that is known by name has an x-ray", async () => {
    for (const name of models.names) {
      const { scheme, length } = models.get(name).positions;
      if (scheme === "other") continue;
      const { kinds, sentence, readers } = await look(name, length ? undefined : 512);
      assert.ok(sentence.endsWith("."), name);
      for (const { pairs } of kinds) {
        for (const { seen, turns, fresh } of pairs) {
          assert.ok([seen, turns, fresh].every(Number.isFinite) && fresh >= 0 && fresh <= 1, name);
        }
      }
      for (const one of readers.flatMap((reader) => reader.kinds)) {
        assert.ok(Math.abs(one.asked) <= 1 + 1e-6 && Math.abs(one.trained) <= 1 + 1e-6, name);
      }
    }
  });

  test("what is wrong is refused with a message that names it", async () => {
    const refused = (
      /** @type {any} */ config,
      /** @type {any} */ options,
      /** @type {RegExp} */ message,
    ) =>
      // prettier-ignore
      assert.rejects(xray(config, options), message);
    await refused("lama", {}, /^RangeError: xray: name must be one of models\.names; got "lama"/);
    await refused("{", {}, /^TypeError: xray: config must be JSON; got /);
    await refused(null, {}, /^TypeError: xray: config must be an object/);
    const unknown = { model_type: "nobodys", rope_theta: 5 };
    await refused(unknown, {}, /^RangeError: xray: config must be of a model whose positions are known; got "nobodys": /); // prettier-ignore
    await refused("t5-base", {}, /^TypeError: xray: length must be given for a model that states none/); // prettier-ignore
    for (const length of [0, 1.5, "8", NaN]) {
      await refused("gpt2", { length }, /^(?:Type|Range)Error: xray: length must be/);
    }
    await refused("gpt2", { lenght: 8 }, /^(?:Type|Range)Error: xray: .*lenght/);
  });
});
