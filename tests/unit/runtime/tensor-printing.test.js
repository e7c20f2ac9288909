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

/** What `print` of NumPy 2.4.6 writes. */
const PRINTED = [
  {
    numpy: "np.array([[1, -2, 3], [40, 5, 600]], np.int32)",
    tensor: int32([1, -2, 3, 40, 5, 600], 2, 3),
    text: `[[  1  -2   3]
 [ 40   5 600]]`,
  },
  {
    numpy: "np.array([1, -9007199254740993, 3])",
    tensor: int64([1n, -9007199254740993n, 3n], 3),
    text: `[                1 -9007199254740993                 3]`,
  },
  {
    numpy: "np.array([[0, 255], [7, 80]], np.uint8)",
    tensor: new Tensor(Uint8Array.of(0, 255, 7, 80), [2, 2]),
    text: `[[  0 255]
 [  7  80]]`,
  },
  {
    numpy: "np.array([1, 2, 3], np.float32)",
    tensor: float32([1, 2, 3], 3),
    text: `[1. 2. 3.]`,
  },
  {
    numpy: "np.array([[0.5, 1, -2.25], [3, 4.125, 0]], np.float32)",
    tensor: float32([0.5, 1, -2.25, 3, 4.125, 0], 2, 3),
    text: `[[ 0.5    1.    -2.25 ]
 [ 3.     4.125  0.   ]]`,
  },
  {
    numpy: "np.array([0.1, 0.2, 0.3], np.float32)",
    tensor: float32([0.1, 0.2, 0.3], 3),
    text: `[0.1 0.2 0.3]`,
  },
  {
    numpy: "np.array([0.1, 0.2, 1 / 3])",
    tensor: float64([0.1, 0.2, 1 / 3], 3),
    text: `[0.1        0.2        0.33333333]`,
  },
  {
    numpy: "np.array([np.pi, -np.e, 100])",
    tensor: float64([Math.PI, -Math.E, 100], 3),
    text: `[  3.14159265  -2.71828183 100.        ]`,
  },
  {
    numpy: "np.array([0.999999999999, 0.5])",
    tensor: float64([0.999999999999, 0.5], 2),
    text: `[1.  0.5]`,
  },
  {
    numpy: "np.array([[0, 1], [np.sin(1), np.cos(0.01)]], np.float32)",
    tensor: float32([0, 1, Math.sin(1), Math.cos(0.01)], 2, 2),
    text: `[[0.         1.        ]
 [0.84147096 0.99995   ]]`,
  },
  {
    numpy: "np.array([[0.00954830, -0.050629165], [0.017611506, 0.7850551]], np.float32)",
    tensor: float32([0.0095483, -0.050629165, 0.017611506, 0.7850551], 2, 2),
    text: `[[ 0.0095483  -0.05062917]
 [ 0.01761151  0.7850551 ]]`,
  },
  {
    numpy: "np.array([1e8, 1], np.float32)",
    tensor: float32([1e8, 1], 2),
    text: `[1.e+08 1.e+00]`,
  },
  {
    numpy: "np.array([1e-5, 0.5])",
    tensor: float64([1e-5, 0.5], 2),
    text: `[1.e-05 5.e-01]`,
  },
  {
    numpy: "np.array([0.001, 2.5], np.float32)",
    tensor: float32([0.001, 2.5], 2),
    text: `[1.0e-03 2.5e+00]`,
  },
  {
    numpy: "np.array([0.001, 1])",
    tensor: float64([0.001, 1], 2),
    text: `[0.001 1.   ]`,
  },
  {
    numpy: "np.array([-1.5e-10, 2.25e20, 0], np.float32)",
    tensor: float32([-1.5e-10, 2.25e20, 0], 3),
    text: `[-1.50e-10  2.25e+20  0.00e+00]`,
  },
  {
    numpy: "np.array([[3.455842e-07, 8.2161813e-07], [9.0535588e-07, -5.3695322e-07]], np.float32)",
    tensor: float32([3.455842e-7, 8.2161813e-7, 9.0535588e-7, -5.3695322e-7], 2, 2),
    text: `[[ 3.4558420e-07  8.2161813e-07]
 [ 9.0535588e-07 -5.3695322e-07]]`,
  },
  {
    numpy: "np.array([1.23456789123e-7, 0.5])",
    tensor: float64([1.23456789123e-7, 0.5], 2),
    text: `[1.23456789e-07 5.00000000e-01]`,
  },
  {
    numpy: "np.array([9.99999999999e-7, 0.5])",
    tensor: float64([9.99999999999e-7, 0.5], 2),
    text: `[1.e-06 5.e-01]`,
  },
  {
    numpy: "np.array([1e-300, 2.5e200])",
    tensor: float64([1e-300, 2.5e200], 2),
    text: `[1.0e-300 2.5e+200]`,
  },
  {
    numpy: "np.array([1e-5, 2.5e200])",
    tensor: float64([1e-5, 2.5e200], 2),
    text: `[1.0e-005 2.5e+200]`,
  },
  {
    numpy: "np.array([1e-45, 3.4028235e38], np.float32)",
    tensor: float32([1e-45, 3.4028235e38], 2),
    text: `[1.4012985e-45 3.4028235e+38]`,
  },
  {
    numpy: "np.array([99999.99, 12345.678], np.float32)",
    tensor: float32([99999.99, 12345.678], 2),
    text: `[99999.99  12345.678]`,
  },
  {
    numpy: "np.array([16777216, 33554432], np.float32)",
    tensor: float32([16777216, 33554432], 2),
    text: `[1.6777216e+07 3.3554432e+07]`,
  },
  {
    numpy: "np.array([np.nan, np.inf, -np.inf, 1.5], np.float32)",
    tensor: float32([NaN, Infinity, -Infinity, 1.5], 4),
    text: `[ nan  inf -inf  1.5]`,
  },
  {
    numpy: "np.array([np.nan, 1, 2], np.float32)",
    tensor: float32([NaN, 1, 2], 3),
    text: `[nan  1.  2.]`,
  },
  {
    numpy: "np.array([-np.inf, 1], np.float32)",
    tensor: float32([-Infinity, 1], 2),
    text: `[-inf   1.]`,
  },
  {
    numpy: "np.array([np.nan, 1e-9, -3.5e9], np.float32)",
    tensor: float32([NaN, 1e-9, -3.5e9], 3),
    text: `[     nan  1.0e-09 -3.5e+09]`,
  },
  {
    numpy: "np.array([-0.0, 0.0, 1], np.float32)",
    tensor: float32([-0, 0, 1], 3),
    text: `[-0.  0.  1.]`,
  },
  {
    numpy: "np.array([-0.0, 0.0, 1e9], np.float32)",
    tensor: float32([-0, 0, 1e9], 3),
    text: `[-0.e+00  0.e+00  1.e+09]`,
  },
  {
    numpy: "10000 ** -(np.arange(0, 16, 2, np.float32) / 16)",
    tensor: float32([1, 0.31622776, 0.1, 0.031622775, 0.01, 0.0031622776, 0.001, 0.00031622776], 8),
    text: `[1.0000000e+00 3.1622776e-01 1.0000000e-01 3.1622775e-02 9.9999998e-03
 3.1622776e-03 1.0000000e-03 3.1622776e-04]`,
  },
  {
    numpy: "np.array([1341360.25, 2.4170912e8], np.float32)",
    tensor: float32([1341360.25, 2.4170912e8], 2),
    text: `[1.3413602e+06 2.4170912e+08]`,
  },
  {
    numpy: "np.array([1 / 3, 0.1, 999.5], np.float16)",
    tensor: float32([1 / 3, 0.1, 999.5], 3).as("float16"),
    text: `[3.333e-01 9.998e-02 9.995e+02]`,
  },
  {
    numpy: "np.array([1 / 3, 0.1, 20], np.float16)",
    tensor: float32([1 / 3, 0.1, 20], 3).as("float16"),
    text: `[ 0.3333  0.1    20.    ]`,
  },
  {
    numpy: "np.array(1000, np.float16)",
    tensor: float32([1000]).as("float16"),
    text: `1e+03`,
  },
  {
    numpy: "np.zeros(0)",
    tensor: float64([], 0),
    text: `[]`,
  },
  {
    numpy: "np.zeros((2, 0))",
    tensor: float64([], 2, 0),
    text: `[]`,
  },
  {
    numpy: "np.zeros((0, 3))",
    tensor: float64([], 0, 3),
    text: `[]`,
  },
  {
    numpy: "np.array(1.5, np.float32)",
    tensor: float32([1.5]),
    text: `1.5`,
  },
  {
    numpy: "np.array(0.1, np.float32)",
    tensor: float32([0.1]),
    text: `0.1`,
  },
  {
    numpy: "np.array(2, np.float32)",
    tensor: float32([2]),
    text: `2.0`,
  },
  {
    numpy: "np.array(1e-9)",
    tensor: float64([1e-9]),
    text: `1e-09`,
  },
  {
    numpy: "np.array(1 / 3)",
    tensor: float64([1 / 3]),
    text: `0.3333333333333333`,
  },
  {
    numpy: "np.array(-np.inf)",
    tensor: float64([-Infinity]),
    text: `-inf`,
  },
  {
    numpy: "np.array(7, np.int32)",
    tensor: int32([7]),
    text: `7`,
  },
  {
    numpy: "np.array([[3]], np.float32)",
    tensor: float32([3], 1, 1),
    text: `[[3.]]`,
  },
  {
    numpy: "np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 4",
    tensor: float32(
      range(12, (k) => k / 4),
      2,
      3,
      2,
    ),
    text: `[[[0.   0.25]
  [0.5  0.75]
  [1.   1.25]]

 [[1.5  1.75]
  [2.   2.25]
  [2.5  2.75]]]`,
  },
  {
    numpy: "np.arange(8, dtype=np.int32).reshape(2, 2, 1, 2)",
    tensor: int32(range(8), 2, 2, 1, 2),
    text: `[[[[0 1]]

  [[2 3]]]


 [[[4 5]]

  [[6 7]]]]`,
  },
  {
    numpy: "np.arange(24, dtype=np.int32) % 10 + 10",
    tensor: int32(
      range(24, (k) => (k % 10) + 10),
      24,
    ),
    text: `[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13]`,
  },
  {
    numpy: "np.arange(25, dtype=np.int32) % 10 + 10",
    tensor: int32(
      range(25, (k) => (k % 10) + 10),
      25,
    ),
    text: `[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13
 14]`,
  },
  {
    numpy: "(np.arange(48, dtype=np.int32) % 10 + 10).reshape(2, 24)",
    tensor: int32(
      range(48, (k) => (k % 10) + 10),
      2,
      24,
    ),
    text: `[[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13]
 [14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17]]`,
  },
  {
    numpy: "(np.arange(48, dtype=np.int32) % 10 + 10).reshape(1, 2, 24)",
    tensor: int32(
      range(48, (k) => (k % 10) + 10),
      1,
      2,
      24,
    ),
    text: `[[[10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12
   13]
  [14 15 16 17 18 19 10 11 12 13 14 15 16 17 18 19 10 11 12 13 14 15 16
   17]]]`,
  },
  {
    numpy: "np.sin(np.arange(20)).astype(np.float32)",
    tensor: float32(range(20, Math.sin), 20),
    text: `[ 0.          0.84147096  0.9092974   0.14112    -0.7568025  -0.9589243
 -0.2794155   0.6569866   0.98935825  0.4121185  -0.5440211  -0.9999902
 -0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033  -0.96139747
 -0.75098723  0.1498772 ]`,
  },
  {
    numpy: "np.sin(np.arange(24)).astype(np.float32).reshape(2, 12)",
    tensor: float32(range(24, Math.sin), 2, 12),
    text: `[[ 0.          0.84147096  0.9092974   0.14112    -0.7568025  -0.9589243
  -0.2794155   0.6569866   0.98935825  0.4121185  -0.5440211  -0.9999902 ]
 [-0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033  -0.96139747
  -0.75098723  0.1498772   0.9129453   0.8366556  -0.00885131 -0.84622043]]`,
  },
  {
    numpy: "np.sin(np.arange(24)).astype(np.float32).reshape(2, 1, 12)",
    tensor: float32(range(24, Math.sin), 2, 1, 12),
    text: `[[[ 0.          0.84147096  0.9092974   0.14112    -0.7568025
   -0.9589243  -0.2794155   0.6569866   0.98935825  0.4121185
   -0.5440211  -0.9999902 ]]

 [[-0.53657293  0.42016703  0.9906074   0.65028787 -0.2879033
   -0.96139747 -0.75098723  0.1498772   0.9129453   0.8366556
   -0.00885131 -0.84622043]]]`,
  },
  {
    numpy: "np.arange(1001, dtype=np.float32)",
    tensor: float32(range(1001), 1001),
    text: `[   0.    1.    2. ...  998.  999. 1000.]`,
  },
  {
    numpy: "np.arange(1600, dtype=np.float32).reshape(40, 40) / 16",
    tensor: float32(
      range(1600, (k) => k / 16),
      40,
      40,
    ),
    text: `[[0.00000e+00 6.25000e-02 1.25000e-01 ... 2.31250e+00 2.37500e+00
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
  },
  {
    numpy: "np.arange(1200, dtype=np.float32).reshape(300, 4)",
    tensor: float32(range(1200), 300, 4),
    text: `[[0.000e+00 1.000e+00 2.000e+00 3.000e+00]
 [4.000e+00 5.000e+00 6.000e+00 7.000e+00]
 [8.000e+00 9.000e+00 1.000e+01 1.100e+01]
 ...
 [1.188e+03 1.189e+03 1.190e+03 1.191e+03]
 [1.192e+03 1.193e+03 1.194e+03 1.195e+03]
 [1.196e+03 1.197e+03 1.198e+03 1.199e+03]]`,
  },
  {
    numpy: "np.arange(1200, dtype=np.int32).reshape(6, 200)",
    tensor: int32(range(1200), 6, 200),
    text: `[[   0    1    2 ...  197  198  199]
 [ 200  201  202 ...  397  398  399]
 [ 400  401  402 ...  597  598  599]
 [ 600  601  602 ...  797  798  799]
 [ 800  801  802 ...  997  998  999]
 [1000 1001 1002 ... 1197 1198 1199]]`,
  },
  {
    numpy: "np.arange(3200, dtype=np.int32).reshape(8, 20, 20)",
    tensor: int32(range(3200), 8, 20, 20),
    text: `[[[   0    1    2 ...   17   18   19]
  [  20   21   22 ...   37   38   39]
  [  40   41   42 ...   57   58   59]
  ...
  [ 340  341  342 ...  357  358  359]
  [ 360  361  362 ...  377  378  379]
  [ 380  381  382 ...  397  398  399]]

 [[ 400  401  402 ...  417  418  419]
  [ 420  421  422 ...  437  438  439]
  [ 440  441  442 ...  457  458  459]
  ...
  [ 740  741  742 ...  757  758  759]
  [ 760  761  762 ...  777  778  779]
  [ 780  781  782 ...  797  798  799]]

 [[ 800  801  802 ...  817  818  819]
  [ 820  821  822 ...  837  838  839]
  [ 840  841  842 ...  857  858  859]
  ...
  [1140 1141 1142 ... 1157 1158 1159]
  [1160 1161 1162 ... 1177 1178 1179]
  [1180 1181 1182 ... 1197 1198 1199]]

 ...

 [[2000 2001 2002 ... 2017 2018 2019]
  [2020 2021 2022 ... 2037 2038 2039]
  [2040 2041 2042 ... 2057 2058 2059]
  ...
  [2340 2341 2342 ... 2357 2358 2359]
  [2360 2361 2362 ... 2377 2378 2379]
  [2380 2381 2382 ... 2397 2398 2399]]

 [[2400 2401 2402 ... 2417 2418 2419]
  [2420 2421 2422 ... 2437 2438 2439]
  [2440 2441 2442 ... 2457 2458 2459]
  ...
  [2740 2741 2742 ... 2757 2758 2759]
  [2760 2761 2762 ... 2777 2778 2779]
  [2780 2781 2782 ... 2797 2798 2799]]

 [[2800 2801 2802 ... 2817 2818 2819]
  [2820 2821 2822 ... 2837 2838 2839]
  [2840 2841 2842 ... 2857 2858 2859]
  ...
  [3140 3141 3142 ... 3157 3158 3159]
  [3160 3161 3162 ... 3177 3178 3179]
  [3180 3181 3182 ... 3197 3198 3199]]]`,
  },
  {
    numpy: "np.sin(np.arange(2048)).astype(np.float32).reshape(4, 512)",
    tensor: float32(range(2048, Math.sin), 4, 512),
    text: `[[ 0.          0.84147096  0.9092974  ...  0.06195042  0.87332666
   0.8817704 ]
 [ 0.0795185  -0.79584235 -0.9395094  ...  0.01761151 -0.83182496
  -0.91648537]
 [-0.15853338  0.74517345  0.9637713  ... -0.09706189  0.7850551
   0.94539607]
 [ 0.23654424 -0.68978524 -0.98192936 ...  0.17589758 -0.7333133
  -0.9683193 ]]`,
  },
  {
    numpy: "np.array([0.0001, 0.05], np.float32)",
    tensor: float32([0.0001, 0.05], 2),
    text: `[0.0001 0.05  ]`,
  },
  {
    numpy: "np.array([0.7, 700], np.float32)",
    tensor: float32([0.7, 700], 2),
    text: `[  0.7 700. ]`,
  },
  {
    numpy: "np.array(123456789, np.float32)",
    tensor: float32([123456789]),
    text: `1.2345679e+08`,
  },
  {
    numpy: "np.array(123456789.0)",
    tensor: float64([123456789]),
    text: `123456789.0`,
  },
  {
    numpy: "np.array(999999, np.float32)",
    tensor: float32([999999]),
    text: `999999.0`,
  },
  {
    numpy: "np.array(1000000, np.float32)",
    tensor: float32([1000000]),
    text: `1e+06`,
  },
  {
    numpy: "np.array([1000000], np.float32)",
    tensor: float32([1000000], 1),
    text: `[1.e+06]`,
  },
];

for (const { numpy, tensor, text } of PRINTED) {
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
