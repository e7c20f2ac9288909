import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load, optionsOf } from "phasor/lab";
import { phasor } from "../../phasor.js";

/** @import { Random, Task } from "../../../src/lab/tasks/task.js" */

const { tasks } = (await load()).lab;

/** Gives the listed numbers in turn: `below` the whole ones, `uniform` the others. @param {number[]} draws */
function scripted(draws) {
  const rest = [...draws];
  const next = (/** @type {string} */ of) => {
    const draw = rest.shift();
    assert.ok(draw !== undefined, `a draw is left for ${of}`);
    return draw;
  };
  return {
    below(/** @type {number} */ n) {
      const draw = next(`below(${n})`);
      assert.ok(Number.isInteger(draw) && draw >= 0 && draw < n, `${draw} is below ${n}`);
      return draw;
    },
    uniform: () => next("uniform()"),
    rest,
  };
}

/** Draws of a seed (mulberry32), counted. @param {number} seed */
function seeded(seed) {
  const uniform = () => {
    ++random.draws;
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const random = {
    uniform,
    below: (/** @type {number} */ n) => Math.floor(uniform() * n),
    draws: 0,
  };
  return random;
}

/** A text of a task, as arrays of T + 2 of which the last two must stay. @param {Task} task @param {Random} random @param {number} T */
function write(task, random, T) {
  const [ids, targets, distances, positions] = [0, 1, 2, 3].map(() =>
    new Int32Array(T + 2).fill(-9),
  );
  task.fill(random, ids, targets, T, distances, positions);
  const arrays = { ids, targets, distances, positions };
  for (const [name, array] of Object.entries(arrays)) {
    assert.deepEqual([...array.slice(T)], [-9, -9], `${name} end at T`);
  }
  const [x, y, d, p] = Object.values(arrays).map((array) => [...array.slice(0, T)]);
  return { x, y, d, p };
}

/** A text from listed draws, all of which are used. @param {Task} task @param {number} T @param {number[]} draws */
function exactly(task, T, draws) {
  const random = scripted(draws);
  const written = write(task, random, T);
  assert.deepEqual(random.rest, [], "all draws are used");
  return written;
}

/** Texts of many draws and lengths. @param {Task} task @param {number} least @param {(text: ReturnType<typeof write>, T: number) => void} holds */
function always(task, least, holds) {
  for (let seed = 0; seed < 60; ++seed) {
    const T = seed < 4 ? least + seed : least + ((37 * seed) % 97);
    holds(write(task, seeded(seed), T), T);
  }
}

/** The tokens as their names. @param {Task} task @param {number[]} ids */
const named = ({ names = [] }, ids) => ids.map((id) => names[id]);

/** What the first id of a value means. */
const FACT = /^([a-z]+)=(\d+)$/;

const CORPUS = "the dog bites the man, and the man bites the dog. it isn't news, says a man. ";
const ALL = {
  back: tasks.back(),
  needle: tasks.needle(),
  latest: tasks.latest(),
  first: tasks.first(),
  even: tasks.even(),
  induction: tasks.induction(),
  text: tasks.text(CORPUS.repeat(30)),
  addition: tasks.addition({ ids: "coupled" }),
};

describe("all tasks", () => {
  test("each name has a task, frozen, with its own name and a name for each id", () => {
    assert.deepEqual(Object.keys(ALL).sort(), Object.keys(tasks).sort());
    for (const [name, task] of Object.entries(ALL)) {
      assert.equal(task.name, name);
      assert.ok(Object.isFrozen(task) && Object.isFrozen(task.names), name);
      assert.equal(new Set(task.names).size, task.vocabulary, `${name}: names differ`);
      assert.equal(task.names?.length, task.vocabulary, name);
    }
    const symbols = tasks.back({ symbols: 704 }).names ?? [];
    assert.deepEqual(
      [0, 25, 26, 701, 702].map((i) => symbols[i]),
      ["a", "z", "aa", "zz", "aaa"],
    );
  });

  test("ids are in the vocabulary, and targets too or -1", () => {
    for (const [name, task] of Object.entries(ALL)) {
      always(task, 40, ({ x, y, d }) => {
        const isId = (/** @type {number} */ id) => id >= 0 && id < task.vocabulary;
        assert.ok(x.every(isId), name);
        assert.ok(
          y.every((id) => id === -1 || isId(id)),
          name,
        );
        if (!task.hasDistances)
          assert.deepEqual(
            d,
            d.map(() => -9),
            `${name} has none`,
          );
        else d.forEach((n, t) => assert.equal(n < 0 ? n : 0, y[t] < 0 ? -1 : 0, name));
      });
    }
  });

  test("a text depends on the draws alone, with or without the other arrays", () => {
    for (const [name, task] of Object.entries(ALL)) {
      const [once, again, bare] = [seeded(3), seeded(3), seeded(3)];
      const first = write(task, once, 64);
      write(task, seeded(4), 50);
      assert.deepEqual(write(task, again, 64), first, name);
      const [ids, targets] = [new Int32Array(64), new Int32Array(64)];
      task.fill(bare, ids, targets, 64);
      assert.deepEqual([[...ids], [...targets]], [first.x, first.y], name);
      assert.equal(bare.draws, once.draws, name);
    }
  });

  test("chance is the share of right answers of one that guesses among the targets", () => {
    for (const [name, task] of Object.entries(ALL)) {
      if (task.chance === undefined) continue;
      /** @type {Map<number, number>} */
      const counts = new Map();
      let all = 0;
      for (let seed = 0; seed < 400; ++seed) {
        const own = new Set(write(task, seeded(seed), 64).y.filter((id) => id >= 0)); // texts repeat theirs
        for (const id of own) (counts.set(id, (counts.get(id) ?? 0) + 1), ++all);
      }
      assert.equal(counts.size, Math.round(1 / task.chance), name);
      const most = Math.max(...counts.values()) / all;
      assert.ok(Math.abs(most / task.chance - 1) < 0.5, `${name}: ${most}`);
    }
    assert.deepEqual([ALL.text.chance, ALL.addition.chance], [undefined, undefined]);
  });

  test("options are declared, and wrong ones are refused with the task's name", () => {
    assert.deepEqual(Object.keys(optionsOf(tasks.back)), ["symbols", "distance"]);
    assert.deepEqual(optionsOf(tasks.needle), optionsOf(tasks.latest));
    assert.deepEqual(optionsOf(tasks.addition).ids.values, ["plain", "abacus", "coupled"]);
    /** @type {[() => unknown, string][]} */
    const refused = [
      [
        () => tasks.back({ distance: 0 }),
        "back: distance must be a whole number from 1 to 2147483647; got 0",
      ],
      [
        () => tasks.back({ symbols: 1 }),
        "back: symbols must be a whole number from 2 to 65536; got 1",
      ],
      [
        () => tasks.needle({ keys: 257 }),
        "needle: keys must be a whole number from 1 to 256; got 257",
      ],
      [
        () => tasks.latest({ values: 1 }),
        "latest: values must be a whole number from 2 to 256; got 1",
      ],
      [() => tasks.first({ symbols: 7 }), "first: symbols must be even; got 7"],
      [
        () => tasks.even({ symbols: 2.5 }),
        "even: symbols must be a whole number from 2 to 65536; got 2.5",
      ],
      [
        () => tasks.addition({ digits: 0 }),
        "addition: digits must be a whole number from 1 to 1048576; got 0",
      ],
      [
        () => tasks.text(""),
        "text: string must have at least 20 characters of the alphabet; got 0",
      ],
      [
        () => tasks.text("漢".repeat(50)),
        "text: string must have at least 20 characters of the alphabet; got 1",
      ],
      [
        () => tasks.text("aba", { alphabet: "aba" }),
        'text: alphabet must be a string of two or more characters, each once; got "aba"',
      ],
      [
        () => tasks.text("aba", { alphabet: "" }),
        'text: alphabet must be a string of two or more characters, each once; got ""',
      ],
    ];
    for (const [call, message] of refused) {
      assert.throws(call, { name: "RangeError", message: `lab.tasks.${message}` });
    }
    const bad = /** @type {any} */ (undefined);
    assert.throws(() => tasks.text(bad), {
      name: "TypeError",
      message: "lab.tasks.text: string must be a string; got undefined",
    });
    assert.throws(() => tasks.induction(/** @type {any} */ ({ symbol: 3 })), {
      name: "TypeError",
      message: /^lab\.tasks\.induction: options must have only symbols; got "symbol"/,
    });
  });

  test("texts that are too short for a target are refused, and one token more is not", () => {
    const string = CORPUS.repeat(2).slice(0, 100);
    /** @type {[Task, number, string][]} */
    const shortest = [
      [tasks.back({ distance: 5 }), 6, "at least 6, one more than the distance"],
      [tasks.needle({ keys: 3 }), 4, "at least 4, all facts and a question"],
      [tasks.latest(), 2, "at least 2, a fact and a question"],
      [tasks.first(), 1, "at least 1, the first token"],
      [tasks.even(), 1, "at least 1, a token"],
      [tasks.induction(), 2, "at least 2, a token and its repeat"],
      [tasks.addition({ digits: 2 }), 9, "at least 9, the longest sum"],
      [tasks.text(string), 1, "from 1 to below 90, the characters to train on"],
    ];
    for (const [task, T, rule] of shortest) {
      write(task, seeded(1), T);
      const message = `length must be ${rule}; got ${T - 1}`;
      assert.throws(() => write(task, seeded(1), T - 1), { name: "RangeError", message });
    }
    const task = tasks.text(string);
    assert.throws(() => write(task, seeded(1), 90), /below 90, the characters to train on; got 90/);
    const [ids, targets] = [new Int32Array(10), new Int32Array(10)];
    assert.throws(() => task.held?.(seeded(1), ids, targets, 10), {
      message: "task must hold out more than 10 characters, the window that texts of a test are cut from; got 10", // prettier-ignore
    });
  });
});

describe("back", () => {
  test("the answer is the symbol `distance` tokens before", () => {
    const { x, y, d } = exactly(tasks.back({ symbols: 5, distance: 2 }), 5, [4, 0, 3, 3, 1]);
    assert.deepEqual(x, [4, 0, 3, 3, 1]);
    assert.deepEqual(y, [-1, -1, 4, 0, 3]);
    assert.deepEqual(d, [-1, -1, 2, 2, 2]);
  });

  test("a slow reader finds each answer at its distance", () => {
    always(tasks.back({ symbols: 7, distance: 4 }), 5, ({ x, y, d }, T) => {
      for (let t = 0; t < T; ++t) {
        assert.equal(y[t], t < 4 ? -1 : x[t - d[t]]);
        assert.equal(d[t], t < 4 ? -1 : 4);
      }
    });
  });
});

describe("needle", () => {
  test("values, then the order of the keys, then questions", () => {
    const task = tasks.needle({ keys: 3, values: 2 });
    // Values of a, b, c; swaps of 0 with 2, 1 with 1, 2 with 2: c, b, a; the questions.
    const { x, y, d } = exactly(task, 6, [1, 0, 1, 2, 0, 0, 1, 2, 2]);
    assert.deepEqual(named(task, x), ["c=1", "b=0", "a=1", "b?", "c?", "c?"]);
    assert.deepEqual(x, [5, 2, 1, 7, 8, 8]);
    assert.deepEqual(y, [-1, -1, -1, 0, 1, 1]);
    assert.deepEqual(d, [-1, -1, -1, 2, 4, 5]);
    assert.deepEqual([task.vocabulary, task.chance], [9, 0.5]);
  });

  test("each key is a fact once, at the front, and a slow reader finds each answer", () => {
    const task = tasks.needle({ keys: 6, values: 3 });
    const orders = new Set();
    always(task, 7, ({ x, y, d }, T) => {
      const words = named(task, x);
      const facts = words.slice(0, 6).map((word) => FACT.exec(word)?.[1]);
      assert.deepEqual([...facts].sort(), ["a", "b", "c", "d", "e", "f"]);
      orders.add(facts.join(""));
      for (let t = 0; t < T; ++t) {
        assert.equal(words[t].endsWith("?"), t >= 6);
        if (t < 6) continue;
        const at = words.findIndex((word) => word.startsWith(words[t].replace("?", "=")));
        assert.deepEqual([y[t], d[t]], [Number(FACT.exec(words[at])?.[2]), t - at]);
      }
    });
    assert.ok(orders.size > 50, "the orders differ");
  });
});

describe("latest", () => {
  test("a key without a value gets one without a draw between", () => {
    const task = tasks.latest({ keys: 2, values: 3 });
    // b has no value: 2. b again, 0.5: a question. b again, 0.4: 1. a has no value: 0. b, 0.9: a question.
    const draws = [1, 2, 1, 0.5, 1, 0.4, 1, 0, 0, 1, 0.9];
    const { x, y, d } = exactly(task, 5, draws);
    assert.deepEqual(named(task, x), ["b=2", "b?", "b=1", "a=0", "b?"]);
    assert.deepEqual(x, [5, 7, 4, 0, 7]);
    assert.deepEqual(y, [-1, 2, -1, -1, 1]);
    assert.deepEqual(d, [-1, 1, -1, -1, 2]);
  });

  test("a slow reader finds each answer in the last fact of the key", () => {
    const task = tasks.latest({ keys: 5, values: 4 });
    let [facts, questions] = [0, 0];
    always(task, 2, ({ x, y, d }) => {
      const words = named(task, x);
      words.forEach((word, t) => {
        const isQuestion = word.endsWith("?");
        isQuestion ? ++questions : ++facts;
        assert.equal(y[t] >= 0, isQuestion);
        if (!isQuestion) return;
        let at = t - 1;
        while (!words[at].startsWith(word.replace("?", "="))) --at; // never beyond the first token: there is one
        assert.deepEqual([y[t], d[t]], [Number(FACT.exec(words[at])?.[2]), t - at]);
      });
    });
    assert.ok(questions / facts > 0.75 && questions / facts < 1, `${questions} of ${facts}`);
  });
});

describe("first and even", () => {
  test("first: the first token answers all, itself included", () => {
    const task = tasks.first({ symbols: 6 });
    const { x, y, d } = exactly(task, 4, [2, 0, 2, 1]);
    assert.deepEqual(x, [2, 3, 5, 4]);
    assert.deepEqual(y, [2, 2, 2, 2]);
    assert.deepEqual(d, [0, 1, 2, 3]);
    assert.equal(task.chance, 1 / 3);
  });

  test("first: the first token is of the first half, all others are of the second", () => {
    always(tasks.first({ symbols: 4 }), 1, ({ x, y, d }) => {
      assert.ok(x[0] < 2 && x.slice(1).every((id) => id >= 2));
      y.forEach((id, t) => assert.equal(id, x[t - d[t]]));
    });
  });

  test("even: the position is asked, whatever the token", () => {
    const { x, y } = exactly(tasks.even({ symbols: 3 }), 5, [2, 2, 0, 1, 2]);
    assert.deepEqual(x, [2, 2, 0, 1, 2]);
    assert.deepEqual(y, [0, 1, 0, 1, 0]);
  });
});

describe("induction", () => {
  test("what followed the token before is asked where the text repeats itself", () => {
    const task = tasks.induction({ symbols: 5 });
    // T = 10: the lag is 3 + below(3) = 4, so six symbols, then symbols 2 to 5 again.
    const { x, y, d } = exactly(task, 10, [1, 0, 1, 2, 3, 4, 2]);
    assert.deepEqual(x, [0, 1, 2, 3, 4, 2, 2, 3, 4, 2]);
    // At 6: 3 and 2 have followed 2, so nothing is known; at 9 again.
    assert.deepEqual(y, [-1, -1, -1, -1, -1, -1, -1, 4, 2, -1]);
    assert.deepEqual(d, [-1, -1, -1, -1, -1, -1, -1, 3, 3, -1]);
  });

  test("a slow reader that looks up what followed a token answers every target, and no other is right", () => {
    const lags = new Set();
    always(tasks.induction({ symbols: 24 }), 2, ({ x, y, d }, T) => {
      const isLag = (/** @type {number} */ lag) =>
        x.slice(T - lag).every((id, i) => id === x[T - 2 * lag + i]);
      const fitting = Array.from({ length: Math.floor(T / 2) }, (_, i) => i + 1).filter(isLag);
      const lag = fitting.filter((lag) => lag >= Math.ceil(T / 4)).pop() ?? 0;
      assert.ok(lag > 0, "the end repeats what stood before it");
      if (T > 80) lags.add(lag / T);
      for (let t = 0; t < T; ++t) {
        const places = [...x.slice(0, t).keys()].filter((i) => x[i] === x[t]);
        const followed = new Set(places.map((i) => x[i + 1]));
        if (y[t] < 0) continue;
        assert.deepEqual([...followed], [y[t]]);
        assert.equal(d[t], t - 1 - places[places.length - 1]);
        assert.equal(y[t], t + 1 < T ? x[t + 1] : x[T - lag]);
      }
    });
    assert.ok(lags.size > 8, "no offset is fixed");
  });

  test("every token of the repeat that one symbol alone has followed is a target", () => {
    for (let seed = 0; seed < 50; ++seed) {
      const random = seeded(seed);
      /** @type {number[]} */
      const given = [];
      const noting = {
        ...random,
        below: (/** @type {number} */ n) => given[given.push(random.below(n)) - 1],
      };
      const T = 40;
      const { x, y } = write(tasks.induction({ symbols: 64 }), noting, T);
      const lag = 10 + given[0];
      assert.equal(given.length, 1 + T - lag);
      for (let t = 0; t < T; ++t) {
        const followed = new Set(x.slice(1, t + 1).filter((_, i) => x[i] === x[t]));
        assert.equal(y[t] >= 0, t >= T - lag && followed.size === 1, `${seed}: ${t}`);
      }
    }
  });

  test("with 64 symbols, texts of eight times the length have targets too", () => {
    for (const [T, least] of [
      [32, 0.2],
      [256, 0.03],
    ]) {
      let count = 0;
      for (let seed = 0; seed < 100; ++seed) {
        count += write(ALL.induction, seeded(seed), T).y.filter((id) => id >= 0).length;
      }
      assert.ok(count > least * 100 * T, `${count} of ${100 * T}`);
    }
  });
});

describe("text", () => {
  const alphabet = "abcdefghijklmnopqrstuvwxyz";
  const letters = Array.from({ length: 100 }, (_, i) => alphabet[(i * i + 3 * i) % 26]).join("");
  const task = tasks.text(letters, { alphabet });
  const ids = Array.from(letters, (letter) => alphabet.indexOf(letter));

  test("a window of the first nine tenths begins at the one draw", () => {
    const { x, y } = exactly(task, 7, [82]); // below(90 - 7)
    assert.deepEqual(x, ids.slice(82, 89));
    assert.deepEqual(y, ids.slice(83, 90));
    assert.deepEqual(exactly(task, 7, [0]).x, ids.slice(0, 7));
    assert.throws(() => exactly(task, 7, [83]), /83 is below 83/);
  });

  test("held is a window of the last tenth", () => {
    const held = (/** @type {number} */ draw) => {
      const [x, y] = [new Int32Array(5), new Int32Array(5)];
      task.held?.(scripted([draw]), x, y, 4); // below(10 - 4)
      return [[...x], [...y]];
    };
    assert.deepEqual(held(0), [
      [...ids.slice(90, 94), 0],
      [...ids.slice(91, 95), 0],
    ]);
    assert.deepEqual(held(5), [
      [...ids.slice(95, 99), 0],
      [...ids.slice(96, 100), 0],
    ]);
    assert.throws(() => held(6), /6 is below 6/);
  });

  test("nine tenths are rounded down, and 20 characters of two are enough", () => {
    const least = (/** @type {number} */ count) =>
      tasks.text("ab".repeat(20).slice(0, count), { alphabet: "ab" });
    exactly(least(29), 25, [0]); // of 26
    assert.throws(() => exactly(least(29), 26, [0]), /below 26/);
    exactly(least(20), 17, [0]);
    assert.throws(() => least(19), /at least 20 characters of the alphabet; got 19/);
  });

  test("the default alphabet has 30 characters: a-z, space, full stop, comma, apostrophe", () => {
    assert.equal(ALL.text.vocabulary, 30);
    assert.equal(ALL.text.names?.join(""), `${alphabet} .,'`);
  });

  test("what the alphabet lacks becomes lower-case, or a space, of which one is left", () => {
    /** @param {string} string @param {string} [alphabet] */
    const read = (string, alphabet) => {
      const task = tasks.text(string + "abcdefghij".repeat(9), alphabet ? { alphabet } : {});
      const count = string.length;
      let longest = "";
      for (let T = 1; T <= count; ++T) {
        const x = new Int32Array(T);
        task.fill(scripted([0]), x, new Int32Array(T), T);
        longest = named(task, [...x]).join("");
      }
      return longest.slice(0, longest.indexOf("abcdefghij"));
    };
    const rest = "abcdefghijabcdefghijabcdefghij";
    assert.equal(
      read(`Dog\nbites  MAN - 3x (isn't), \u{1f415}.${rest}`),
      "dog bites man x isn't , .",
    );
    assert.equal(read(`Dog bites${rest}`, "abcdefghijDot"), "Dogbite");
    assert.equal(read(`a\t\tb  c${rest}`, "abcdefghij\t "), "a\t\tb c");
    assert.equal(read(`a\u{1f415}b${rest}`, "abcdefghij\u{1f415}"), "a\u{1f415}b");
  });
});

describe("addition", () => {
  test("sums stand one after the other; the digits of answers are asked", () => {
    const task = tasks.addition({ digits: 2, reversed: false });
    // 58 + 67 = 125; 9 + 4 = 13; a sum of two digits no longer fits.
    const { x, y, p } = exactly(task, 20, [1, 5, 8, 6, 7, 0, 9, 4, 1]);
    assert.equal(named(task, x).join(""), "58+67=125,9+4=13,,,,");
    assert.equal(
      named(task, y)
        .map((name) => name ?? " ")
        .join(""),
      "     125     13     ",
    );
    assert.deepEqual(p, Array(20).fill(-9));
    assert.equal(task.positions, undefined);
  });

  test("reversed numbers have the last digit first", () => {
    const task = tasks.addition({ digits: 2 });
    const { x, y } = exactly(task, 9, [1, 8, 5, 7, 6]);
    assert.equal(named(task, x).join(""), "85+76=521");
    assert.deepEqual(y, [-1, -1, -1, -1, -1, 5, 2, 1, -1]);
  });

  /** Sums of a text. @param {Task} task @param {number[]} x */
  const sums = (task, x) =>
    named(task, x)
      .join("")
      .split(",")
      .filter((sum) => sum !== "");

  test("every sum is right, of all lengths, and exactly its answer is asked", () => {
    for (const reversed of [true, false]) {
      const task = tasks.addition({ digits: 5, reversed });
      const lengths = new Set();
      always(task, 18, ({ x, y }, T) => {
        const text = named(task, x).join("");
        let asked = "";
        for (const sum of sums(task, x)) {
          const parts = sum.split(/[+=]/);
          const [a, b, c] = parts.map((part) =>
            Number(reversed ? Array.from(part).reverse().join("") : part),
          );
          assert.equal(a + b, c, sum);
          const n = parts[0].length;
          assert.deepEqual(
            parts.map(({ length }) => length),
            [n, n, n + 1],
          );
          lengths.add(n);
          asked += `${" ".repeat(2 * n + 1)}${parts[2]}  `;
        }
        assert.equal(
          named(task, y)
            .map((name) => name ?? " ")
            .join(""),
          asked.slice(0, T).padEnd(T),
        );
        assert.match(text, /[\d,]$/);
      });
      assert.deepEqual([...lengths].sort(), [1, 2, 3, 4, 5]);
    }
  });

  test("abacus positions are those of positionIds.digits, shifted by the first draw", () => {
    const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const task = tasks.addition({ digits: 3, ids: "abacus", shift: 20 });
    const shifts = new Set();
    for (let seed = 0; seed < 60; ++seed) {
      const { x, p } = write(task, seeded(seed), 50);
      const own = task.positions?.(Int32Array.from(x));
      assert.deepEqual([...(own ?? [])], phasor.positionIds.digits(x, { digits }).toArray());
      const offset = Math.max(...p) - Math.max(...(own ?? []));
      assert.deepEqual(p, phasor.positionIds.digits(x, { digits, offset }).toArray());
      shifts.add(offset);
    }
    assert.ok(shifts.size > 15 && Math.max(...shifts) <= 20, "shifts are drawn");
    assert.equal(Math.min(...shifts) >= 0, true);
  });

  test("coupled positions are one for digits of the same power of ten, + and = after the ones", () => {
    const forward = tasks.addition({ digits: 3, reversed: false, ids: "coupled" });
    const ids = (/** @type {string} */ text) =>
      Int32Array.from(text, (character) => "0123456789+=,".indexOf(character));
    const of = (/** @type {Task} */ task, /** @type {string} */ text) => [
      ...(task.positions?.(ids(text)) ?? []),
    ];
    // Cho et al.: position end - 1 - s of power s, end of + and =, where end = 1 + digits + 1.
    assert.deepEqual(of(forward, "653+049=0702,"), [2, 3, 4, 5, 2, 3, 4, 5, 1, 2, 3, 4, 0]);
    assert.deepEqual(of(forward, "7+8=15,65+32=09"), [2, 3, 2, 3, 1, 2, 0, 2, 3, 4, 2, 3, 4, 1, 2]);
    assert.deepEqual(of(forward, "653+49"), [2, 3, 4, 5, 3, 4], "a text without its end");
    assert.deepEqual(of(forward, ",7+8=0015"), [0, 2, 3, 2, 3, 0, 0, 1, 2], "an answer too long");
    const back = tasks.addition({ digits: 3, ids: "coupled" });
    assert.deepEqual(of(back, "356+940=2070,"), [4, 3, 2, 5, 4, 3, 2, 5, 4, 3, 2, 1, 0]);
    const { x, p } = exactly(
      tasks.addition({ digits: 1, ids: "coupled", shift: 42 }),
      7,
      [42, 0, 7, 8],
    );
    assert.equal(named(back, x).join(""), "7+8=51,");
    assert.deepEqual(p, [44, 45, 44, 45, 44, 43, 0]);
  });

  test("positions to train with are those of the text, shifted, where they are not 0", () => {
    for (const kind of /** @type {const} */ (["abacus", "coupled"])) {
      for (const reversed of [true, false]) {
        const task = tasks.addition({ digits: 4, reversed, ids: kind, shift: 7 });
        always(task, 15, ({ x, p }) => {
          const own = [...(task.positions?.(Int32Array.from(x)) ?? [])];
          const shift = Math.max(...p) - Math.max(...own);
          assert.deepEqual(
            p,
            own.map((position) => position && position + shift),
          );
          assert.ok(shift >= 0 && shift <= 7);
          assert.ok(Math.max(...own) <= 4 + 2, "at most digits + 2");
        });
      }
    }
  });

  test("longer numbers have the same tokens, so a trained decoder can be asked for them", () => {
    assert.deepEqual(tasks.addition({ digits: 40 }).names, tasks.addition({ digits: 2 }).names);
  });
});
