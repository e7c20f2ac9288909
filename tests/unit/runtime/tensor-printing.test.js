import assert from "node:assert/strict";
import { test } from "node:test";
import { Tensor } from "../../phasor.js";

/** @param {number[]} data @param {...number} shape */
const float32 = (data, ...shape) => new Tensor(Float32Array.from(data), shape);
/** @param {number[]} data @param {...number} shape */
const float64 = (data, ...shape) => new Tensor(Float64Array.from(data), shape);
/** @param {number[]} data @param {...number} shape */
const int32 = (data, ...shape) => new Tensor(Int32Array.from(data), shape);
/** @param {bigint[]} data @param {...number} shape */
const int64 = (data, ...shape) => new Tensor(BigInt64Array.from(data), shape);
/** @param {number} length @param {(k: number) => number} [value] */
const range = (length, value = (k) => k) => Array.from({ length }, (_, k) => value(k));

/** What `print` of NumPy 2.4.6 writes. @type {[numpy: string, tensor: object, text: string][]} */
const PRINTED = [
  [
    "np.array([[1, -2, 3], [40, 5, 600]], np.int32)",
    int32([1, -2, 3, 40, 5, 600], 2, 3),
    `[[  1  -2   3]
 [ 40   5 600]]`,
  ],
  [
    "np.array([1, -9007199254740993, 3])",
    int64([1n, -9007199254740993n, 3n], 3),
    "[                1 -9007199254740993                 3]",
  ],
  [
    "np.array([[0, 255], [7, 80]], np.uint8)",
    new Tensor(Uint8Array.of(0, 255, 7, 80), [2, 2]),
    `[[  0 255]
 [  7  80]]`,
  ],
  ["np.array([1, 2, 3], np.float32)", float32([1, 2, 3], 3), "[1. 2. 3.]"],
  [
    "np.array([[0.5, 1, -2.25], [3, 4.125, 0]], np.float32)",
    float32([0.5, 1, -2.25, 3, 4.125, 0], 2, 3),
    `[[ 0.5    1.    -2.25 ]
 [ 3.     4.125  0.   ]]`,
  ],
  ["np.array([0.1, 0.2, 0.3], np.float32)", float32([0.1, 0.2, 0.3], 3), "[0.1 0.2 0.3]"],
  [
    "np.array([0.1, 0.2, 1 / 3])",
    float64([0.1, 0.2, 1 / 3], 3),
    "[0.1        0.2        0.33333333]",
  ],
  [
    "np.array([np.pi, -np.e, 100])",
    float64([Math.PI, -Math.E, 100], 3),
    "[  3.14159265  -2.71828183 100.        ]",
  ],
  ["np.array([0.999999999999, 0.5])", float64([0.999999999999, 0.5], 2), "[1.  0.5]"],
  [
    "np.array([[0, 1], [np.sin(1), np.cos(0.01)]], np.float32)",
    float32([0, 1, Math.sin(1), Math.cos(0.01)], 2, 2),
    `[[0.         1.        ]
 [0.84147096 0.99995   ]]`,
  ],
  [
    "np.array([[0.00954830, -0.050629165], [0.017611506, 0.7850551]], np.float32)",
    float32([0.0095483, -0.050629165, 0.017611506, 0.7850551], 2, 2),
    `[[ 0.0095483  -0.05062917]
 [ 0.01761151  0.7850551 ]]`,
  ],
  ["np.array([1e8, 1], np.float32)", float32([1e8, 1], 2), "[1.e+08 1.e+00]"],
  ["np.array([1e-5, 0.5])", float64([1e-5, 0.5], 2), "[1.e-05 5.e-01]"],
  ["np.array([0.001, 2.5], np.float32)", float32([0.001, 2.5], 2), "[1.0e-03 2.5e+00]"],
  ["np.array([0.001, 1])", float64([0.001, 1], 2), "[0.001 1.   ]"],
  [
    "np.array([-1.5e-10, 2.25e20, 0], np.float32)",
    float32([-1.5e-10, 2.25e20, 0], 3),
    "[-1.50e-10  2.25e+20  0.00e+00]",
  ],
  [
    "np.array([[3.455842e-07, 8.2161813e-07], [9.0535588e-07, -5.3695322e-07]], np.float32)",
    float32([3.455842e-7, 8.2161813e-7, 9.0535588e-7, -5.3695322e-7], 2, 2),
    `[[ 3.4558420e-07  8.2161813e-07]
 [ 9.0535588e-07 -5.3695322e-07]]`,
  ],
  [
    "np.array([1.23456789123e-7, 0.5])",
    float64([1.23456789123e-7, 0.5], 2),
    "[1.23456789e-07 5.00000000e-01]",
  ],
  ["np.array([9.99999999999e-7, 0.5])", float64([9.99999999999e-7, 0.5], 2), "[1.e-06 5.e-01]"],
  ["np.array([1e-300, 2.5e200])", float64([1e-300, 2.5e200], 2), "[1.0e-300 2.5e+200]"],
  ["np.array([1e-5, 2.5e200])", float64([1e-5, 2.5e200], 2), "[1.0e-005 2.5e+200]"],
  [
    "np.array([1e-45, 3.4028235e38], np.float32)",
    float32([1e-45, 3.4028235e38], 2),
    "[1.4012985e-45 3.4028235e+38]",
  ],
  [
    "np.array([99999.99, 12345.678], np.float32)",
    float32([99999.99, 12345.678], 2),
    "[99999.99  12345.678]",
  ],
  [
    "np.array([16777216, 33554432], np.float32)",
    float32([16777216, 33554432], 2),
    "[1.6777216e+07 3.3554432e+07]",
  ],
  [
    "np.array([np.nan, np.inf, -np.inf, 1.5], np.float32)",
    float32([NaN, Infinity, -Infinity, 1.5], 4),
    "[ nan  inf -inf  1.5]",
  ],
  ["np.array([np.nan, 1, 2], np.float32)", float32([NaN, 1, 2], 3), "[nan  1.  2.]"],
  ["np.array([-np.inf, 1], np.float32)", float32([-Infinity, 1], 2), "[-inf   1.]"],
  [
    "np.array([np.nan, 1e-9, -3.5e9], np.float32)",
    float32([NaN, 1e-9, -3.5e9], 3),
    "[     nan  1.0e-09 -3.5e+09]",
  ],
  ["np.array([-0.0, 0.0, 1], np.float32)", float32([-0, 0, 1], 3), "[-0.  0.  1.]"],
  ["np.array([-0.0, 0.0, 1e9], np.float32)", float32([-0, 0, 1e9], 3), "[-0.e+00  0.e+00  1.e+09]"],
  [
    "10000 ** -(np.arange(0, 16, 2, np.float32) / 16)",
    float32([1, 0.31622776, 0.1, 0.031622775, 0.01, 0.0031622776, 0.001, 0.00031622776], 8),
    `[1.0000000e+00 3.1622776e-01 1.0000000e-01 3.1622775e-02 9.9999998e-03
 3.1622776e-03 1.0000000e-03 3.1622776e-04]`,
  ],
  [
    "np.array([1341360.25, 2.4170912e8], np.float32)",
    float32([1341360.25, 2.4170912e8], 2),
    "[1.3413602e+06 2.4170912e+08]",
  ],
  [
    "np.array([1 / 3, 0.1, 999.5], np.float16)",
    float32([1 / 3, 0.1, 999.5], 3).as("float16"),
    "[3.333e-01 9.998e-02 9.995e+02]",
  ],
  [
    "np.array([1 / 3, 0.1, 20], np.float16)",
    float32([1 / 3, 0.1, 20], 3).as("float16"),
    "[ 0.3333  0.1    20.    ]",
  ],
  ["np.array(1000, np.float16)", float32([1000]).as("float16"), "1e+03"],
  ["np.zeros(0)", float64([], 0), "[]"],
  ["np.zeros((2, 0))", float64([], 2, 0), "[]"],
  ["np.zeros((0, 3))", float64([], 0, 3), "[]"],
  ["np.array(1.5, np.float32)", float32([1.5]), "1.5"],
  ["np.array(0.1, np.float32)", float32([0.1]), "0.1"],
  ["np.array(2, np.float32)", float32([2]), "2.0"],
  ["np.array(1e-9)", float64([1e-9]), "1e-09"],
  ["np.array(1 / 3)", float64([1 / 3]), "0.3333333333333333"],
  ["np.array(-np.inf)", float64([-Infinity]), "-inf"],
  ["np.array(7, np.int32)", int32([7]), "7"],
  ["np.array([[3]], np.float32)", float32([3], 1, 1), "[[3.]]"],
  [
    "np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 4",
    float32(
      range(12, (k) => k / 4),
      2,
      3,
      2,
    ),
    `[[[0.   0.25]
  [0.5  0.75]
  [1.   1.25]]

 [[1.5  1.75]
  [2.   2.25]
  [2.5  2.75]]]`,
  ],
  [
    "np.arange(8, dtype=np.int32).reshape(2, 2, 1, 2)",
    int32(range(8), 2, 2, 1, 2),
    `[[[[0 1]]

  [[2 3]]]


 [[[4 5]]

  [[6 7]]]]`,
  ],
  [
    "np.arange(24, dtype=np.int32) % 10 + 10",
    int32(
      range(24, (k) => (k % 10) + 10),
      24,
    ),
    "[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13]",
  ],
  [
    "np.arange(25, dtype=np.int32) % 10 + 10",
    int32(
      range(25, (k) => (k % 10) + 10),
      25,
    ),
    `[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13
 14]`,
  ],
  [
    "(np.arange(48, dtype=np.int32) % 10 + 10).reshape(2, 24)",
    int32(
      range(48, (k) => (k % 10) + 10),
      2,
      24,
    ),
    `[[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13]
 [14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17]]`,
  ],
  [
    "(np.arange(48, dtype=np.int32) % 10 + 10).reshape(1, 2, 24)",
    int32(
      range(48, (k) => (k % 10) + 10),
      1,
      2,
      24,
    ),
    `[[[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12
   13]
  [14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16
   17]]]`,
  ],
  [
    "np.sin(np.arange(20)).astype(np.float32)",
    float32(range(20, Math.sin), 20),
    `[ 0.          0.84147096  0.9092974   0.14112    -0.7568025  -0.9589243
 -0.2794155   0.6569866   0.98935825  0.4121185  -0.5440211  -0.9999902
 -0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033  -0.96139747
 -0.75098723  0.1498772 ]`,
  ],
  [
    "np.sin(np.arange(24)).astype(np.float32).reshape(2, 12)",
    float32(range(24, Math.sin), 2, 12),
    `[[ 0.          0.84147096  0.9092974   0.14112    -0.7568025  -0.9589243
  -0.2794155   0.6569866   0.98935825  0.4121185  -0.5440211  -0.9999902 ]
 [-0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033  -0.96139747
  -0.75098723  0.1498772   0.9129453   0.8366556  -0.00885131 -0.84622043]]`,
  ],
  [
    "np.sin(np.arange(24)).astype(np.float32).reshape(2, 1, 12)",
    float32(range(24, Math.sin), 2, 1, 12),
    `[[[ 0.          0.84147096  0.9092974   0.14112    -0.7568025
   -0.9589243  -0.2794155   0.6569866   0.98935825  0.4121185
   -0.5440211  -0.9999902 ]]

 [[-0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033
   -0.96139747 -0.75098723  0.1498772   0.9129453   0.8366556
   -0.00885131 -0.84622043]]]`,
  ],
  [
    "np.arange(1001, dtype=np.float32)",
    float32(range(1001), 1001),
    "[   0.    1.    2. ...  998.  999. 1000.]",
  ],
  [
    "np.arange(1600, dtype=np.float32).reshape(40, 40) / 16",
    float32(
      range(1600, (k) => k / 16),
      40,
      40,
    ),
    `[[0.00000e+00 6.25000e-02 1.25000e-01 ... 2.31250e+00 2.37500e+00
  2.43750e+00]
 [2.50000e+00 2.56250e+00 2.62500e+00 ... 4.81250e+00 4.87500e+00
  4.93750e+00]
 [5.00000e+00 5.06250e+00 5.12500e+00 ... 7.31250e+00 7.37500e+00
  7.43750e+00]
 ...
 [9.25000e+01 9.25625e+01 9.26250e+01 ... 9.48125e+01 9.48750e+01
  9.49375e+01]
 [9.50000e+01 9.50625e+01 9.51250e+01 ... 9.73125e+01 9.73750e+01
  9.74375e+01]
 [9.75000e+01 9.75625e+01 9.76250e+01 ... 9.98125e+01 9.98750e+01
  9.99375e+01]]`,
  ],
  [
    "np.arange(1200, dtype=np.float32).reshape(300, 4)",
    float32(range(1200), 300, 4),
    `[[0.000e+00 1.000e+00 2.000e+00 3.000e+00]
 [4.000e+00 5.000e+00 6.000e+00 7.000e+00]
 [8.000e+00 9.000e+00 1.000e+01 1.100e+01]
 ...
 [1.188e+03 1.189e+03 1.190e+03 1.191e+03]
 [1.192e+03 1.193e+03 1.194e+03 1.195e+03]
 [1.196e+03 1.197e+03 1.198e+03 1.199e+03]]`,
  ],
  [
    "np.arange(1200, dtype=np.int32).reshape(6, 200)",
    int32(range(1200), 6, 200),
    `[[   0    1    2 ...  197  198  199]
 [ 200  201  202 ...  397  398  399]
 [ 400  401  402 ...  597  598  599]
 [ 600  601  602 ...  797  798  799]
 [ 800  801  802 ...  997  998  999]
 [1000 1001 1002 ... 1197 1198 1199]]`,
  ],
  [
    "np.arange(1120, dtype=np.int32).reshape(2, 7, 80)",
    int32(range(1120), 2, 7, 80),
    `[[[   0    1    2 ...   77   78   79]
  [  80   81   82 ...  157  158  159]
  [ 160  161  162 ...  237  238  239]
  ...
  [ 320  321  322 ...  397  398  399]
  [ 400  401  402 ...  477  478  479]
  [ 480  481  482 ...  557  558  559]]

 [[ 560  561  562 ...  637  638  639]
  [ 640  641  642 ...  717  718  719]
  [ 720  721  722 ...  797  798  799]
  ...
  [ 880  881  882 ...  957  958  959]
  [ 960  961  962 ... 1037 1038 1039]
  [1040 1041 1042 ... 1117 1118 1119]]]`,
  ],
  [
    "np.arange(1050, dtype=np.int32).reshape(7, 1, 150)",
    int32(range(1050), 7, 1, 150),
    `[[[   0    1    2 ...  147  148  149]]

 [[ 150  151  152 ...  297  298  299]]

 [[ 300  301  302 ...  447  448  449]]

 ...

 [[ 600  601  602 ...  747  748  749]]

 [[ 750  751  752 ...  897  898  899]]

 [[ 900  901  902 ... 1047 1048 1049]]]`,
  ],
  [
    "np.sin(np.arange(2048)).astype(np.float32).reshape(4, 512)",
    float32(range(2048, Math.sin), 4, 512),
    `[[ 0.          0.84147096  0.9092974  ...  0.06195042  0.87332666
   0.8817704 ]
 [ 0.0795185  -0.79584235 -0.9395094  ...  0.01761151 -0.83182496
  -0.91648537]
 [-0.15853338  0.74517345  0.9637713  ... -0.09706189  0.7850551
   0.94539607]
 [ 0.23654424 -0.68978524 -0.98192936 ...  0.17589758 -0.7333133
  -0.9683193 ]]`,
  ],
  ["np.array([0.0001, 0.05], np.float32)", float32([0.0001, 0.05], 2), "[0.0001 0.05  ]"],
  ["np.array([0.7, 700], np.float32)", float32([0.7, 700], 2), "[  0.7 700. ]"],
  ["np.array(123456789, np.float32)", float32([123456789]), "1.2345679e+08"],
  ["np.array(123456789.0)", float64([123456789]), "123456789.0"],
  ["np.array(999999, np.float32)", float32([999999]), "999999.0"],
  ["np.array(1000000, np.float32)", float32([1000000]), "1e+06"],
  ["np.array([1000000], np.float32)", float32([1000000], 1), "[1.e+06]"],
];

for (const [numpy, tensor, text] of PRINTED) {
  test(`Tensor.toString prints ${numpy} as NumPy does`, () => {
    assert.equal(tensor.toString(), text);
    assert.equal(`${tensor}`, text);
  });
}

test("Tensor.toString includes the extremes of shortened values, not of hidden ones", () => {
  const hidden = new Float32Array(1600);
  hidden[20 * 40 + 20] = 1e9;
  const row = " [0. 0. 0. ... 0. 0. 0.]\n";
  assert.equal(
    new Tensor(hidden, [40, 40]).toString(),
    `[${row.slice(1)}${row}${row} ...\n${row}${row}${row.trimEnd()}]`,
  );
});

/** Float32 numbers of every exponent and sign, and those beside powers of two and ten. */
function awkward() {
  const powers = range(278, (k) => 2 ** (k - 149)).concat(range(84, (k) => Number(`1e${k - 45}`)));
  const numbers = Float32Array.from([...powers, ...powers.map((x) => x / 3)]);
  const words = new Uint32Array(numbers.buffer);
  const beside = [-1, 0, 1].flatMap((step) =>
    Array.from(words, (word) => Math.max(0, word + step)),
  );
  return Array.from(new Float32Array(Uint32Array.from(beside).buffer)).flatMap((x) => [x, -x]);
}

test("Tensor.toString prints float32 numbers that are read back as the same", () => {
  const numbers = awkward().filter(Number.isFinite);
  assert.ok(numbers.length > 4000);
  const read = (/** @type {string} */ text) => Math.fround(Number(text));
  for (const x of numbers) assert.ok(Object.is(read(String(float32([x]))), x), String(x));
  // With an exponent there are as many digits as a float32 needs; -0 and 1e-45 make the notation that.
  for (let from = 0; from < numbers.length; from += 900) {
    const part = [...numbers.slice(from, from + 900), 1e-45, 3e38].map(Math.fround);
    const words = String(float32(part, part.length)).slice(1, -1).trim().split(/\s+/);
    assert.deepEqual(words.map(read), part);
  }
});
