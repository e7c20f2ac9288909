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
    name: "workers",
    title: "Web workers",
    what: "Long work beside the page: the same functions, by promises.",
  },
];
