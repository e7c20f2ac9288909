/** @type {import("../lessons.js").About} */
export default {
  title: "Train short, test long",
  question: "What happens to a model when a text is longer than those of its training?",
  group: "models",
  minutes: 50,
  advanced: true,
  otherSenses: ["key"],
  before: ["longer-context", "which-one"],
  able: [
    "Say what a model with learned positions does beyond its last trained row, and why.",
    "Name for each of three tasks a scheme that keeps to it in longer texts, and one that does not.",
    "Test what linear interpolation, NTK and YaRN do to a task, and say why.",
    "Write the gradient of softmax, the gradient of a rotation, and a step of AdamW.",
    "Tell what a measurement with a small model shows, and what it does not prove.",
  ],
  recap: [
    "Beyond the trained length, learned positions are untrained rows; RoPE meets angles that are new.",
    "No scheme wins everywhere: a task may need exact offsets, content at any distance, or the latest of several facts.",
    "Linear interpolation keeps slow pairs within known angles and slows the fast ones, which offsets need: it repairs one task and ruins another.",
    "Results differ between seeds: show all of them.",
  ],
  further: [
    {
      text: "Press et al., 2022, Train short, test long: attention with linear biases enables input length extrapolation",
      href: "https://arxiv.org/abs/2108.12409",
    },
    {
      text: "Kazemnejad et al., 2023, The impact of positional encoding on length generalization in transformers",
      href: "https://arxiv.org/abs/2305.19466",
    },
    {
      text: "Gelberg et al., 2025, Extending the context of pretrained LLMs by dropping their positional embeddings",
      href: "https://arxiv.org/abs/2512.12167",
    },
  ],
};
