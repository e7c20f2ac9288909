/** @import { Colors } from "../colors.js" */
/** @import { Points, Scene } from "./scene.js" */
import { NONE, markOf, shown } from "./scene.js";
import { inked, pixelOf, stampAll, stampOf } from "./stamps.js";

/** @param {string} font */
const bold = (font) => `600 ${font}`;

/** Height of the text in the picture, px. */
const SIZE = 12;

/**
 * A canvas that paints scenes, in the colors that the page has for it: its background is the
 * ground, its text the ink, its border the rules.
 *
 * @param {Document} document
 */
export function sceneCanvas(document) {
  const element = document.createElement("canvas");
  const context = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
  let [width, height, density] = [0, 0, 1]; // px, px, and the canvas's own pixels in each
  let font = "";
  /** The pixels of the points, reused because a new one for each frame costs megabytes. @type {ImageData | undefined} */
  let image;
  /** Widths of letters by font, px. @type {Map<string, Map<string, number>>} */
  const widths = new Map();

  /** @param {string} font @param {string} letter */
  function letterWidth(font, letter) {
    const known = widths.get(font) ?? new Map();
    if (!known.has(letter)) {
      context.font = font;
      known.set(letter, context.measureText(letter).width);
      widths.set(font, known);
    }
    return known.get(letter);
  }

  return {
    element,

    /** @param {number} toWidth @param {number} toHeight  px */
    resize(toWidth, toHeight) {
      [width, height] = [toWidth, toHeight];
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
      const family = document.defaultView?.getComputedStyle?.(element).fontFamily;
      font = `${SIZE}px ${family || "system-ui, sans-serif"}`;
    },

    /**
     * How wide a label is, px: the sum of its letters', each measured once.
     * @param {Points} points @param {number} i
     */
    widthOf({ labels = [], highlight }, i) {
      const weight = highlight.has(i) ? bold(font) : font;
      let width = 0;
      for (const letter of shown(labels[i])) width += letterWidth(weight, letter);
      return width;
    },

    /**
     * @param {Points} points @param {Scene} scene @param {Colors} colors
     * @param {number} marked  the point whose label is drawn elsewhere
     */
    paint(points, scene, colors, marked) {
      density = document.defaultView?.devicePixelRatio ?? 1;
      const [columns, rows] = [Math.round(width * density), Math.round(height * density)];
      if (element.width !== columns) element.width = columns;
      if (element.height !== rows) element.height = rows;
      const { paper, ink, line } = look(element, colors);
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = paper;
      context.fillRect(0, 0, columns, rows);
      marks(points, scene, colors, paper);
      context.setTransform(density, 0, 0, density, 0, 0);
      context.font = font;
      axes(context, points, scene, ink, line);
      arrows(context, scene, ink, paper);
      texts(context, font, points, scene, ink, paper, marked);
    },
  };

  /** @param {Points} points @param {Scene} scene @param {Colors} colors @param {string} paper */
  function marks(points, scene, colors, paper) {
    const { frame, lens } = scene;
    const [x, y] = [Math.round(frame.x * density), Math.round(frame.y * density)];
    const columns = Math.round(frame.width * density);
    const rows = Math.round(frame.height * density);
    if (image?.width !== columns || image.height !== rows) {
      image = context.createImageData(columns, rows);
    }
    const all = new Int32Array(image.data.buffer);
    all.fill(pixelOf(document, paper));
    // Whole pixels, so that points keep their distances while the picture is dragged.
    const own = {
      k: lens.k * density,
      left: Math.round(lens.left * density - x),
      top: Math.round(lens.top * density - y),
    };
    const pixels = { colors: all, columns, rows };
    /** @type {import("./stamps.js").Ink[]} */
    const inks = [];
    for (const group of [...points.names.keys(), NONE]) {
      const { shape, radius, strength, color } = markOf(points, scene, group, colors);
      const stamp = stampOf(document, shape, Math.round(radius * density * 4) / 4);
      inks[group] = inked(pixels, stamp, pixelOf(document, color), strength);
    }
    const { groups, order, sheet } = points;
    stampAll(pixels, inks, groups, order, sheet, own);
    // Drawn again, so that the marks with labels are visible.
    const labeled = Uint32Array.from(scene.labels, ({ index }) => index);
    stampAll(pixels, inks, groups, labeled, sheet, own);
    context.putImageData(image, x, y);
  }
}

/** @param {CanvasRenderingContext2D} context @param {Points} points @param {Scene} scene @param {string} ink @param {string} line */
function axes(context, { xTitle, yTitle }, { frame, across, down, beside }, ink, line) {
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.strokeRect(frame.x - 0.5, frame.y - 0.5, frame.width + 1, frame.height + 1);
  context.beginPath();
  for (const { at } of across) context.rect(at, bottom, 0, 5);
  for (const { at } of down) context.rect(frame.x - 5, at, 5, 0);
  context.stroke();
  context.fillStyle = ink;
  context.globalAlpha = 0.75;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const { at, text } of across) context.fillText(text, at, bottom + 13);
  context.textAlign = beside.inside ? "left" : "right";
  for (const { at, text } of down) context.fillText(text, beside.x, at);
  context.textAlign = "right";
  context.fillText(`${xTitle} \u2192`, right, bottom + 30, frame.width);
  context.textAlign = "left";
  context.fillText(`\u2191 ${yTitle}`, 4, 11, frame.width);
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {string} ink @param {string} paper */
function arrows(context, { arrows, frame }, ink, paper) {
  if (arrows === "") return;
  const path = new /** @type {any} */ (context.canvas.ownerDocument.defaultView).Path2D(arrows);
  context.save();
  context.beginPath();
  context.rect(frame.x, frame.y, frame.width, frame.height);
  context.clip();
  for (const [color, width] of /** @type {[string, number][]} */ ([
    [paper, 5],
    [ink, 2],
  ])) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke(path);
  }
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context @param {string} font @param {Points} points @param {Scene} scene
 * @param {string} ink @param {string} paper @param {number} marked
 */
function texts(context, font, { labels = [], highlight }, scene, ink, paper, marked) {
  context.strokeStyle = paper; // so that text is readable over marks
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.fillStyle = ink;
  for (const { index, x, y, anchor } of scene.labels) {
    if (index === marked) continue;
    context.font = highlight.has(index) ? bold(font) : font;
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.strokeText(shown(labels[index]), x, y);
    context.fillText(shown(labels[index]), x, y);
  }
}

/** @param {HTMLCanvasElement} element @param {Colors} colors  until the page defines them */
function look(element, colors) {
  const style = element.ownerDocument.defaultView?.getComputedStyle?.(element);
  const { backgroundColor, color, borderTopColor } = style ?? {};
  return {
    paper: backgroundColor || colors.paper,
    ink: color || colors.ink,
    line: borderTopColor || colors.line,
  };
}
