/** @import { Task } from "./index.js" */

/** @type {Task} */
export const rotateHalf = {
  name: "rotate-half",
  title: "rotate_half",
  lesson: "rope",
  calls: "rotateHalf",
  parameters: ["x"],
  axes: ["dimension"],
  statement: `<p>
      Code for Llama rotates all pairs with one function. Write <code>rotateHalf(x)</code>. It rotates each
      pair \\((x_i, x_{i+D/2})\\) of a vector by 90 degrees, to \\(({-x_{i+D/2}}, x_i)\\), and returns a new
      vector.
    </p>`,
  hints: [
    "The result begins with the second half of x, with the opposite sign.",
    "<code>x.slice(a, b)</code> is a part of a vector; <code>[...a, ...b]</code> joins two.",
  ],
  stub: `function rotateHalf(x) {
  const half = x.length / 2;
  return [...x.slice(0, half), ...x.slice(half)];
}
`,
  solution: `function rotateHalf(x) {
  const half = x.length / 2;
  return [...x.slice(half).map((value) => -value), ...x.slice(0, half)];
}
`,
  python: {
    hints: [
      "The result begins with the second half of x, with the opposite sign.",
      "<code>x[a:b]</code> is a part of a vector; <code>np.concatenate([a, b])</code> joins two.",
    ],
    stub: `def rotate_half(x):
    x = np.asarray(x)
    half = len(x) // 2
    return np.concatenate([x[:half], x[half:]])
`,
    solution: `def rotate_half(x):
    x = np.asarray(x)
    half = len(x) // 2
    return np.concatenate([-x[half:], x[:half]])
`,
  },
  inputs: [[[1, 2, 3, 4]], [[5, -7]], [[0.5, -1, 2, 3, 0.25, -4]]],
  expected({ rope }, x) {
    const pairs = x.length / 2;
    const table = { cos: [new Array(pairs).fill(0)], sin: [new Array(pairs).fill(1)] };
    return rope.apply([x], table, { layout: "halves" }).row(0);
  },
  mistakes: [
    {
      says: "The sign is on the wrong half: the numbers of the second half become negative.",
      wrong: (_, x) => [
        ...x.slice(x.length / 2),
        ...x.slice(0, x.length / 2).map((/** @type {number} */ value) => -value),
      ],
    },
    {
      says: "The halves are exchanged, but no number has the opposite sign.",
      wrong: (_, x) => [...x.slice(x.length / 2), ...x.slice(0, x.length / 2)],
    },
    {
      says: "Your pairs are neighbors, as in the interleaved layout. Here dimension i is paired with i + D/2.",
      wrong: (_, x) =>
        x.map((/** @type {number} */ _, /** @type {number} */ d) =>
          d % 2 === 0 ? -x[d + 1] : x[d - 1],
        ),
    },
    {
      says: "All numbers change their sign. Only those of the second half do.",
      wrong: (_, x) =>
        [...x.slice(x.length / 2), ...x.slice(0, x.length / 2)].map((value) => -value),
    },
  ],
};
