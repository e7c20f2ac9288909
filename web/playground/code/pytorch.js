/** @import { Scheme } from "../schemes/scheme.js" */
/** @import { Values } from "../settings.js" */
import { heading } from "./javascript.js";

/**
 * A picture's numbers by PyTorch alone, step by step as the scheme's original program has it.
 * @param {Scheme} scheme @param {Values} settings @param {string} view
 */
export function pytorch(scheme, settings, view) {
  const { data } = scheme.plan(settings, view);
  const first = `# ${heading(scheme, view)}, in PyTorch`;
  if (scheme.conventional) {
    return `${first}\n# The reference has the formula; there is no PyTorch program for it yet.\n`;
  }
  return [
    first,
    `# ${scheme.source.paper}, ${scheme.source.url}`,
    ...scheme.torch(settings, view),
    ``,
    `print(${data}.shape, ${data})`,
    ``,
  ].join("\n");
}
