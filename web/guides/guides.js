/**
 * The guides, in their order: the folder's name, the title, what it gets one to. The files that a
 * guide shows (`<x-file>`) are the ones that its test runs.
 *
 * @type {readonly { name: string, title: string, what: string }[]}
 */
export const guides = [
  {
    name: "node",
    title: "Node",
    what: "A script, a server, CommonJS, a worker thread.",
  },
  {
    name: "command-line",
    title: "Command line",
    what: "npx phasor: a model's rows, rotary configurations, and which convention a port has.",
  },
  {
    name: "browser",
    title: "A page, no bundler",
    what: "From a CDN, from your own server, with an import map, under a strict policy.",
  },
  {
    name: "bundlers",
    title: "Bundlers",
    what: "Vite, webpack, Rollup, esbuild, Parcel: nothing to configure.",
  },
  {
    name: "frameworks",
    title: "Frameworks",
    what: "Next and its Edge runtime, React, Vue, Nuxt, SvelteKit, Astro, Angular; from the server to the browser.",
  },
  {
    name: "testing",
    title: "Tests and types",
    what: "Jest, Vitest, TypeScript, ESLint: what each finds by itself, and one setting for the rest.",
  },
  {
    name: "workers",
    title: "Web workers",
    what: "Long work beside the page: the same functions, by promises.",
  },
  {
    name: "runtimes",
    title: "Deno, Bun, Workers",
    what: "Deno without permissions, Bun, Cloudflare Workers.",
  },
  {
    name: "observable",
    title: "Observable",
    what: "A notebook, a page of Framework, cells of a classic notebook.",
  },
  {
    name: "jupyterlite",
    title: "JupyterLite",
    what: "Notebooks in the browser, in Python with NumPy arrays and in JavaScript.",
  },
  {
    name: "widget",
    title: "Widget",
    what: "Pictures with sliders in Jupyter, marimo, Observable and any page; numbers as NumPy arrays.",
  },
  {
    name: "arrays",
    title: "Other libraries' arrays",
    what: "ndarray, ONNX Runtime, transformers.js, TensorFlow.js, Arrow, numpy-ts, Plot: a line each way.",
  },
  {
    name: "from-pytorch",
    title: "From PyTorch",
    what: "nn.Embedding, Hugging Face's rotary embeddings, ALiBi, T5, BERT, attention: the same here, program by program.",
  },
  {
    name: "decoder",
    title: "A decoder with a KV cache",
    what: "A prompt, then token by token: grouped heads, left padding, a cache with capacity.",
  },
  {
    name: "accuracy",
    title: "Accuracy",
    what: "Every promise about errors, the test that checks it, and what is measured.",
  },
  {
    name: "performance",
    title: "Performance",
    what: "Times compared with plain JavaScript, other libraries and the machine's limit; memory to use again.",
  },
  {
    name: "reliability",
    title: "Reliability",
    what: "Hostile files, missing memory, aborted reads: what was attacked, how often, and what holds.",
  },
  {
    name: "versions",
    title: "Versions",
    what: "What stays between versions, what the same bits promise, how something is deprecated.",
  },
];
