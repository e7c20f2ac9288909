/** The parts of the list of guides. */
export const parts = {
  places: "Where it runs",
  notebooks: "Notebooks and pictures",
  models: "Your arrays and your model",
  promises: "What is promised",
};

/**
 * The guides, in their order: the folder's name, its part, the title, what it gets one to. The files that a
 * guide shows (`<x-file>`) are the ones that its test runs.
 *
 * @type {readonly { name: string, part: keyof typeof parts, title: string, what: string }[]}
 */
export const guides = [
  {
    name: "node",
    part: "places",
    title: "Node",
    what: "A script, a server, CommonJS, a worker thread.",
  },
  {
    name: "command-line",
    part: "places",
    title: "Command line",
    what: "npx phasor: a model's rows, rotary configurations, and which convention a port has.",
  },
  {
    name: "browser",
    part: "places",
    title: "A page, no bundler",
    what: "From a CDN, from your own server, with an import map, under a strict policy.",
  },
  {
    name: "bundlers",
    part: "places",
    title: "Bundlers",
    what: "Vite, webpack, Rollup, esbuild, Parcel: nothing to configure.",
  },
  {
    name: "frameworks",
    part: "places",
    title: "Frameworks",
    what: "Next and its Edge runtime, React, Vue, Nuxt, SvelteKit, Astro, Angular; from the server to the browser.",
  },
  {
    name: "testing",
    part: "places",
    title: "Tests and types",
    what: "Jest, Vitest, TypeScript, ESLint: what each finds by itself, and one setting for the rest.",
  },
  {
    name: "workers",
    part: "places",
    title: "Web workers",
    what: "Long work beside the page: the same functions, by promises.",
  },
  {
    name: "runtimes",
    part: "places",
    title: "Deno, Bun, Workers",
    what: "Deno without permissions, Bun, Cloudflare Workers.",
  },
  {
    name: "observable",
    part: "notebooks",
    title: "Observable",
    what: "A notebook, a page of Framework, cells of a classic notebook.",
  },
  {
    name: "jupyterlite",
    part: "notebooks",
    title: "JupyterLite",
    what: "Notebooks in the browser, in Python with NumPy arrays and in JavaScript; Python without a browser, pytest.",
  },
  {
    name: "widget",
    part: "notebooks",
    title: "Widget",
    what: "Pictures with sliders in Jupyter, marimo, Observable and any page; numbers as NumPy arrays.",
  },
  {
    name: "arrays",
    part: "models",
    title: "Other libraries' arrays",
    what: "ndarray, ONNX Runtime, transformers.js, TensorFlow.js, Arrow, numpy-ts, Plot: a line each way.",
  },
  {
    name: "context",
    part: "models",
    title: "Past the trained length",
    what: "What each scheme gives beyond a table's end, and another factor of YaRN.",
  },
  {
    name: "from-pytorch",
    part: "models",
    title: "From PyTorch",
    what: "nn.Embedding, Hugging Face's rotary embeddings, ALiBi, T5, BERT, attention: the same here, program by program.",
  },
  {
    name: "decoder",
    part: "models",
    title: "A decoder with a KV cache",
    what: "A prompt, then token by token: grouped heads, left padding, a cache with capacity.",
  },
  {
    name: "own-scheme",
    part: "models",
    title: "Your own scheme in the lab",
    what: "A bias as a function: trained on short texts, tested on long ones, beside ALiBi and RoPE.",
  },
  {
    name: "accuracy",
    part: "promises",
    title: "Accuracy",
    what: "Every promise about errors, the test that checks it, and what is measured.",
  },
  {
    name: "performance",
    part: "promises",
    title: "Performance",
    what: "Times compared with plain JavaScript, other libraries and the machine's limit; memory to use again.",
  },
  {
    name: "reliability",
    part: "promises",
    title: "Reliability",
    what: "Hostile files, missing memory, aborted reads: what was attacked, how often, and what holds.",
  },
  {
    name: "versions",
    part: "promises",
    title: "Versions",
    what: "What stays between versions, what the same bits promise, how something is deprecated.",
  },
];
