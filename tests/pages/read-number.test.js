// Numbers as readers write them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { number } from "../../web/app/controls.js";
import { readNumber, readQuantity } from "../../web/app/read-number.js";

/** @type {Record<string, readonly [text: string, value: number][]>} */
const written = {
  "plain digits, signs and exponents": [
    ["0", 0],
    ["7", 7],
    ["-1.25", -1.25],
    ["+3", 3],
    [".5", 0.5],
    ["5.", 5],
    ["007", 7],
    ["1e-3", 1e-3],
    ["1.5E6", 1.5e6],
    ["  42\n", 42],
  ],
  "every minus sign": [
    ["\u22121.25", -1.25],
    ["\u20131.25", -1.25],
    ["\u20141.25", -1.25],
    ["- 1.25", -1.25],
    ["minus 1.25", -1.25],
    ["negative 3", -3],
  ],
  "thousands in groups": [
    ["1,051", 1051],
    ["83,000", 83000],
    ["1,048,592,384", 1048592384],
    ["1,234.5", 1234.5],
    ["1 051", 1051],
    ["1\u00a0051", 1051],
    ["1\u202f048\u202f576", 1048576],
    ["1'051", 1051],
    ["1.048.576", 1048576],
    ["1.048.576,5", 1048576.5],
    ["1.051,5", 1051.5],
    ["-83,000", -83000],
  ],
  "a decimal comma where the comma cannot separate thousands": [
    ["0,5", 0.5],
    ["0,500", 0.5],
    ["12,75", 12.75],
    ["1,0513", 1.0513],
    ["1051,25", 1051.25],
    ["1 051,25", 1051.25],
    ["-1,25", -1.25],
  ],
  "fractions, roots, powers and products": [
    ["1/2", 0.5],
    ["-1/4", -0.25],
    ["1 / 2", 0.5],
    ["1⁄2", 0.5],
    ["½", 0.5],
    ["−¾", -0.75],
    ["2½", 2.5],
    ["1 ⅓ rows", 4 / 3],
    ["⅞ × 8", 7],
    ["3 × ½", 1.5],
    ["cos = 0.5", 0.5],
    ["about ½", 0.5],
    ["sqrt(64)", 8],
    ["sqrt 64", 8],
    ["√64", 8],
    ["√(64)", 8],
    ["2√2", 2 * Math.SQRT2],
    ["2^10", 1024],
    ["2**10", 1024],
    ["2¹⁰", 1024],
    ["10⁻³", 1e-3],
    ["-2^2", -4],
    ["2^-1", 0.5],
    ["3 × 10^4", 30000],
    ["3·10⁴", 30000],
    ["3x10^4", 30000],
    ["128,256 * 4,096", 128256 * 4096],
    ["2π", 2 * Math.PI],
    ["2 pi / 0.1", (2 * Math.PI) / 0.1],
    ["1/(2*4)", 0.125],
    ["1/sqrt(4)", 0.5],
  ],
  "words, units and scales": [
    ["4 rows", 4],
    ["head 7", 7],
    ["1051 MB", 1051],
    ["1,051MB", 1051],
    ["≈ 34", 34],
    ["~34", 34],
    ["about 34", 34],
    ["T = 128", 128],
    ["k≈3", 3],
    ["0.5 rad", 0.5],
    ["90°", 90],
    ["3 tokens per step", 3],
    ["12 %", 0.12],
    ["12%", 0.12],
    ["128k", 128000],
    ["2 million", 2e6],
    ["2 million rows", 2e6],
    ["7.", 7],
  ],
};

for (const [kind, cases] of Object.entries(written)) {
  test(`readNumber reads ${kind}`, () => {
    for (const [text, value] of cases) {
      const read = readNumber(text);
      const near = Math.abs(read - value) <= 1e-12 * Math.abs(value);
      assert.ok(near, `${JSON.stringify(text)} gives ${read}, not ${value}`);
    }
  });
}

test("readNumber rejects text with no number or with two", () => {
  const none = [
    "",
    " ",
    "abc",
    "a few",
    "-",
    "1,2,3",
    "1,234,56",
    "1 2",
    "3 or 4",
    "1..2",
    "1.2.3",
  ];
  const broken = [
    "1/",
    "sqrt",
    "sqrt()",
    "(2",
    "2)",
    "2^",
    "1/0",
    "1e999",
    "√-1",
    "NaN",
    "Infinity",
  ];
  const functions = ["ln 2", "log 100", "LN 2", "about ln 2", "exp 1", "sin 1", "arctan 1"];
  const words = ["square root of 64", "half of 8", "twice 4", "ln(2)", "e^2", "1.5½"];
  const programs = ["0x10", "0X1F", "0xff", "0b101", "0o17", "-0x10", "2 * 0x10"];
  const scripts = ["<b>1</b>", "1; 2", "alert(1)", "4 rows and 3 columns of 2"];
  for (const text of [...none, ...broken, ...functions, ...words, ...programs, ...scripts]) {
    assert.ok(Number.isNaN(readNumber(text)), `${JSON.stringify(text)} gives ${readNumber(text)}`);
  }
});

test("readQuantity keeps the unit", () => {
  assert.deepEqual(readQuantity("1,002 MiB"), { value: 1002, unit: "MiB" });
  assert.deepEqual(readQuantity("12 %"), { value: 12, unit: "%" });
  assert.deepEqual(readQuantity("8"), { value: 8, unit: "" });
  assert.equal(readQuantity("abc"), undefined);
});

test("readNumber is fast for long text", () => {
  for (const text of [
    "1 ".repeat(5000),
    "(".repeat(2000),
    "a ".repeat(5000),
    "1,000".repeat(2000),
  ]) {
    assert.ok(Number.isNaN(readNumber(text)));
  }
});

test("a control takes numbers in every form, and no words", () => {
  for (const [text, value] of /** @type {const} */ ([
    ["64", 64],
    ["1e4", 10000],
    ["\u22123", -3],
    ["10,000", 10000],
    ["0,5", 0.5],
    ["2^10", 1024],
    ["1/2", 0.5],
    ["½", 0.5],
  ])) {
    assert.equal(number(text), value, text);
  }
  for (const text of ["", " ", "abc", "64 rows", "about 3", "1,2,3", "ln 2"]) {
    assert.ok(Number.isNaN(number(text)), text);
  }
});
