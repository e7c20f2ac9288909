/**
 * The lessons, in their order: the folder's name, the title, the question.
 *
 * @type {readonly { name: string, title: string, question: string }[]}
 */
export const lessons = [
  {
    name: "lookup",
    title: "Tokens to vectors",
    question: "How does a word become numbers?",
  },
  {
    name: "training",
    title: "What training does",
    question: "Why do words that are used alike end up close together?",
  },
  {
    name: "order",
    title: "Why position",
    question: "Can attention tell “dog bites man” from “man bites dog”?",
  },
  {
    name: "sinusoidal",
    title: "Sinusoids",
    question: "How can waves say where a token stands?",
  },
  {
    name: "learned",
    title: "Learned positions",
    question: "What if positions are learned like words, and what happens past the last row?",
  },
  {
    name: "rope",
    title: "Rotary positions",
    question: "How can turning two vectors make their product know only the distance?",
  },
  {
    name: "alibi",
    title: "ALiBi",
    question: "What if far tokens are simply made to count less?",
  },
  {
    name: "t5-bias",
    title: "T5’s buckets",
    question: "How exact must a distance be to be useful?",
  },
  {
    name: "longer-context",
    title: "Longer context",
    question: "How does a model read further than it was trained to?",
  },
  {
    name: "whole-input",
    title: "The whole input",
    question: "What exactly enters GPT-2, BERT and LLaMA?",
  },
  {
    name: "trained-table",
    title: "Inside a trained table",
    question: "What does a trained table know about words?",
  },
  {
    name: "numbers",
    title: "Numbers",
    question: "Why do two programs disagree about the same sine?",
  },
];
