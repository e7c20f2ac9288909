// Who has a scheme: answers of every kind name the models and families that have it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atlas, models } from "phasor/models";
import { identify } from "phasor/oracle";
import { phasor } from "../../phasor.js";

const { alibi, axialRope, positionIds, sinusoidal, t5Bias } = phasor;

const ids = [[5, 6, 7, 8, 1, 1]]; // RoBERTa's padding is token 1
const weights = Array.from({ length: 32 }, (_, bucket) => [((bucket * 7919) % 97) / 97]);

/** @type {[what: string, arrays: any, models: string[], families: string[]][]} */
const KNOWN = [
  ["ALiBi by key", { bias: alibi.keyBias(8, 16) }, ["bloom-560m", "bloom", "mpt-7b"], ["bloom", "btlm", "jais", "mpt"]],
  ["ALiBi by distance", { bias: alibi.bias(8, 16, { form: "linear" }) }, ["bloom-560m", "bloom", "mpt-7b"], ["bloom", "btlm", "jais", "mpt"]],
  ["ALiBi of both directions", { bias: alibi.bias(8, 16) }, [], []],
  ["ALiBi of a biasMax that nobody has", { bias: alibi.keyBias(8, 16, { biasMax: 4 }) }, [], []],
  ["T5", { bias: t5Bias.bias(weights, 160) }, ["t5-base", "all-mpnet-base-v2"], ["longt5", "mt5", "pix2struct_text_model", "pop2piano", "switch_transformers", "t5", "umt5"]],
  ["the paper's sinusoids", { table: sinusoidal.table(64, 64) }, ["transformer-base"], ["transformer", "videomae"]],
  ["Whisper's sinusoids, and those of fairseq", { table: sinusoidal.table(64, 64, sinusoidal.presets.whisper) }, ["whisper-base", "whisper-large-v3"], ["fsmt", "kosmos_2_5_text_model", "kosmos_2_text_model", "m2m_100", "nllb-moe", "qwen2_5_omni_audio_encoder", "qwen3_asr_audio_encoder", "qwen3_asr_encoder", "qwen3_omni_moe_audio_encoder", "whisper"]],
  ["a mask's numbers", { positionIds: positionIds.fromMask([[0, 0, 1, 1, 1]]), mask: [[0, 0, 1, 1, 1]] }, [], []],
  ["DINOv3's grid", { ...axialRope.table([8, 6], 64, axialRope.presets.dinov3_vit), layout: undefined }, ["dinov3-vitb16"], ["dinov3_vit"]],
]; // prettier-ignore

for (const [what, { layout: _, ...arrays }, known, families] of KNOWN) {
  test(`identify knows who has ${what}`, async () => {
    const answer = /** @type {any} */ (await identify(arrays, { phasor }));
    assert.deepEqual([answer.models, answer.families], [known, families], answer.sentence);
    for (const name of known) assert.ok(models.names.includes(name));
    const all = atlas().map(({ family }) => family);
    for (const family of families) assert.ok(all.includes(family));
  });
}

test("identify knows who has rows of RoBERTa's and OPT's tables, whose numbers are the same", async () => {
  const mask = [[1, 1, 1, 1, 0, 0]];
  const found = positionIds.fromTokens(ids, { paddingIdx: 1 });
  const opt = positionIds.fromMask(mask, { convention: "opt" });
  assert.deepEqual(found.toArray(), opt.toArray());
  const answer = /** @type {any} */ (await identify({ positionIds: found, mask }, { phasor }));
  assert.deepEqual(answer.models, ["roberta-base", "opt-125m", "all-mpnet-base-v2", "bge-m3"]);
  for (const family of ["roberta", "xlm-roberta", "camembert", "longformer", "opt"])
    assert.ok(answer.families.includes(family), family);
});
