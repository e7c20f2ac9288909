import { models } from "phasor/models";

export const run = async () => JSON.stringify(models.rope("llama-3.1-8b"));
