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
    name: "observable",
    title: "Observable",
    what: "A notebook, a page of Framework, cells of a classic notebook.",
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
];
