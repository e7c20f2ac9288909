/** @import { Scheme } from "../schemes/scheme.js" */
/** @import { Values } from "../settings.js" */
import { heading } from "./javascript.js";

/**
 * The numbers of a picture by PyTorch alone, in the steps of the original implementation.
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
