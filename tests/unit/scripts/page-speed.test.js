import assert from "node:assert/strict";
import { test } from "node:test";
import { arrived, line } from "../../../scripts/site/page-speed.js";

test("arrived counts the bytes received by a moment, partial and from several requests", () => {
  const arrivals = [
    { at: 10, bytes: 1000 },
    { at: 20, bytes: 500 },
    { at: 20.5, bytes: 70 },
  ];
  assert.equal(arrived(arrivals, 9), 0);
  assert.equal(arrived(arrivals, 20), 1500);
  assert.equal(arrived(arrivals, 100), 1570);
});

test("a line shows a value, its goal, and whether it is met: at the goal it is not", () => {
  assert.match(line("bytes", 93_140), /before it answers +93\.1 kB +< 150\.0 kB +met$/);
  assert.match(line("bytes", 150_000), / not met$/);
  assert.match(line("interactive", 1240), /1\.24 s +< 1\.00 s +not met$/);
  assert.match(line("loading", 0), /loading, 4 times slower +< 50 ms +< 50 ms +met$/);
  assert.match(line("shift", 0), /0\.000 +< 0\.010 +met$/);
  assert.match(line("dragging", 12.3), /12 ms +< 50 ms +met$/);
  assert.match(line("draggingSlowly", 0), /< 50 ms +< 50 ms +met$/);
  assert.match(line("draggingSlowly", 73.2), /73 ms +< 50 ms +not met$/);
  assert.match(line("typing", null), /none +< 50 ms +nothing to try$/);
  assert.match(line("training", 31), /12 trainings +31 ms +< 50 ms +met$/);
});
