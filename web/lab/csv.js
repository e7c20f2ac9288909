/** @import { Recorded, Setup } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { lengthsOf, readingOf } from "./setup.js";

/**
 * The curves as comma-separated values: of the record, and of what was trained here.
 * @param {Recorded} recorded @param {Setup} setup @param {readonly Run[]} runs
 */
export function csvOf(recorded, setup, runs) {
  const { task } = setup;
  const { lengths, rows } = recorded.tasks[task];
  const tested = lengthsOf(setup);
  const ofRecord = rows.flatMap(({ scheme, reading, accuracy, loss, bits }) =>
    bits.flatMap((hash, i) =>
      lengths.map((length, at) =>
        [
          "recorded",
          task,
          scheme,
          reading ?? "",
          i + 1,
          "length",
          length,
          loss[i][at],
          accuracy[i][at],
          hash,
        ].join(","),
      ),
    ),
  );
  const ofRuns = runs.flatMap((run) => {
    const head = ["here", task, run.scheme, readingOf(setup, run.scheme) ?? "", run.seed];
    const byLength = run.tests.map(({ loss, accuracy }, i) => [
      "length",
      tested[i],
      loss,
      accuracy,
    ]);
    const byStep = run.losses.map((loss, step) => ["step", step, loss, ""]);
    return [...byLength, ...byStep].map((part) => [...head, ...part, run.bits ?? ""].join(","));
  });
  const head = "source,task,scheme,reading,seed,curve,x,loss,accuracy,bits";
  return `${[head, ...ofRecord, ...ofRuns].join("\n")}\n`;
}
