// What phasor says of a published configuration, as one line, so that a change of it shows.

/** @typedef {{source: string, says: string, config: Record<string, any>}} Published */

/** @param {Record<string, any>} options  of `rope.frequencies`, or any others */
const listed = (options) =>
  Object.entries(options)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? `[${value.length}]` : brief(value)}`)
    .join(" ");

/** @param {unknown} value */
const brief = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @param {import("phasor/models").Rotary} rotary @param {number} headDim */
function rotation({ dim, layout, options: { base, scaling }, multimodal, ...rest }, headDim) {
  const { type = "", ...factors } = scaling ?? {};
  const mrope = multimodal && `mrope ${multimodal.sections} ${multimodal.arrangement}`;
  const parts = [
    layout,
    `${dim}/${headDim}`,
    `base ${base}`,
    type,
    listed(factors),
    mrope,
    listed(rest),
  ];
  return parts.filter(Boolean).join(" ");
}

/** @param {any} model  of `models.fromConfig` */
function line({
  type,
  dim,
  heads,
  keyValueHeads,
  headDim,
  layers,
  positions,
  suspect,
  warnings,
  tokens,
}) {
  const { scheme, rotary = {}, layerKinds, reasons, queryScale, length, ...rest } = positions;
  const { scale, segments, norm } = tokens;
  const input = [
    scale !== 1 && `x ${scale}`,
    segments && `segments ${segments}`,
    norm && `norm ${norm}`,
  ];
  const kinds = Object.entries(rotary).map(([kind, of]) => {
    const count = layerKinds?.filter((/** @type {string} */ one) => one === kind).length;
    return `${layerKinds ? `${kind} x${count}: ` : ""}${of ? rotation(of, headDim) : "no rotation"}`;
  });
  return [
    `${type}: ${scheme}`,
    ...(reasons ? [] : [`D${dim} H${heads}/${keyValueHeads} L${layers}`]),
    ...(scheme === "rope" || reasons || length === undefined ? [] : [`length ${length}`]),
    listed(rest),
    ...(queryScale ? [`queries ${listed(queryScale)}`] : []),
    ...input,
    ...kinds,
    ...(suspect.length > 0 ? [`suspect ${suspect.join(" ")}`] : []),
    ...(warnings.length > suspect.length ? [`warnings ${warnings.length - suspect.length}`] : []),
  ]
    .filter(Boolean)
    .join("; ");
}

/**
 * What is said of the text and of the towers, or the message of a typed error; any other is thrown.
 * @param {Record<string, any>} config @param {any} models
 */
export function says(config, models) {
  const lines = ["text", "vision", "audio"].map((tower) => {
    try {
      return line(models.fromConfig(config, { tower }));
    } catch (error) {
      const { constructor, message } = /** @type {Error} */ (error);
      const isTyped = constructor === TypeError || constructor === RangeError;
      if (!isTyped || !/^models\.fromConfig: config.+; got /.test(message)) throw error;
      return / must have a part for the tower /.test(message) ? "" : message.slice(19);
    }
  });
  return lines.filter(Boolean).join(" | ");
}

/**
 * The record with what is said now, a configuration a line.
 * @param {Record<string, Published>} recorded @param {Record<string, {config: Record<string, any>}>} compared  those of
 *   the recorded ones that published.json has @param {any} models
 */
export function written(recorded, compared, models) {
  const lines = Object.entries(recorded).map(([name, { source, config }]) => {
    const said = says(config ?? compared[name].config, models);
    return `${JSON.stringify(name)}: ${JSON.stringify({ source, says: said, config })}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}
