/** @type {import("../lessons.js").About} */
export default {
  title: "Longer context",
  question: "How can a model handle longer texts than it was trained on?",
  group: "models",
  minutes: 40,
  advanced: true,
  before: ["rope"],
  able: [
    "Say which pairs of a rotary model meet new angles beyond the training length.",
    "Compare linear interpolation, NTK and YaRN by the pairs that each slows.",
    "Test whether a head still finds its word after each method.",
    "Read the rope_scaling of a model’s configuration.",
  ],
  recap: [
    "In training, a fast pair completes its circle many times. A slow pair covers only an arc.",
    "Beyond the training length, slow pairs reach angles that the model has not seen.",
    "Linear interpolation slows all pairs alike; YaRN and Llama 3 slow the slow ones and keep the fast ones, which a head needs to find the previous token.",
  ],
  further: [
    {
      text: "Peng et al., 2023, YaRN: efficient context window extension of large language models",
      href: "https://arxiv.org/abs/2309.00071",
    },
    {
      text: "Chen et al., 2023, Extending context window of large language models via positional interpolation",
      href: "https://arxiv.org/abs/2306.15595",
    },
    {
      text: "Llama team, 2024, The Llama 3 herd of models",
      href: "https://arxiv.org/abs/2407.21783",
    },
  ],
};
