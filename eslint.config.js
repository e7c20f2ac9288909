import js from "@eslint/js";
import regexp from "eslint-plugin-regexp";
import globals from "globals";

export default [
  { ignores: ["build/", "dist/", "tests/truth/golden/", "web/data/"] },
  js.configs.recommended,
  {
    rules: {
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
    },
  },
  {
    files: ["src/**/*.js"],
    languageOptions: { globals: globals["shared-node-browser"] },
    rules: {
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        ...[
          "sin",
          "cos",
          "tan",
          "exp",
          "expm1",
          "log",
          "log2",
          "log10",
          "log1p",
          "pow",
          "tanh",
        ].map((property) => ({
          object: "Math",
          property,
          message: "Its last bit differs between engines; numbers come from the C++ core.",
        })),
      ],
    },
  },
  {
    // Measurements, which are given to fewer digits than engines differ in.
    files: [
      "src/oracle/identify/{measure,positions,spectrum}.js",
      "src/oracle/kinds/{fits,waves}.js",
    ],
    rules: { "no-restricted-properties": "off" },
  },
  {
    files: ["{src,web}/**/*.js"],
    plugins: { regexp },
    rules: {
      // Texts are a stranger's: an expression that takes quadratic time on one stops the page.
      "regexp/no-super-linear-backtracking": "error",
      "regexp/no-super-linear-move": ["error", { ignoreSticky: true }],
    },
  },
  {
    files: ["{src,web,scripts}/**/*.js"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "SpreadElement > :matches(ArrayExpression, ObjectExpression)",
          message: "A literal is spread: write its parts where they go.",
        },
      ],
    },
  },
  { files: ["src/cli/**/*.js"], languageOptions: { globals: globals.node } },
  { files: ["web/**/*.js"], languageOptions: { globals: globals.browser } },
  {
    files: ["scripts/**/*.js", "tests/**/*.js", "*.js"],
    languageOptions: { globals: globals.node },
  },
  {
    files: ["tests/{pages,hosts,unit/worker,attacks/endurance}/**/*.js", "tests/smoke.test.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
