import { load } from "phasor";
import { notebookOf, withTasks } from "../notebooks/lessons/notebook.js";

/**
 * The notebooks of lessons with tasks, next to the pages.
 * @returns {import("vite").Plugin}
 */
export const notebooks = () => ({
  name: "notebooks",
  async generateBundle() {
    const phasor = await load();
    for (const { name } of withTasks) {
      const source = notebookOf(phasor, name);
      this.emitFile({ type: "asset", fileName: `notebooks/lessons/${name}.ipynb`, source });
    }
  },
});
