/** @import { Surface } from "../figure.js" */
/** @import { Points } from "./scene.js" */
import { indexedPng } from "../png.js";
import { NONE, frameOf, heightOf, markOf, sceneOf } from "./scene.js";
import { contains, whole } from "./view.js";

/** The steps from paper to a group's color at the edge of a disk. */
const STEPS = 4;

/**
 * Draws all points as disks in the colors of their groups, without axes, labels and legend, where they are in the SVG
 * of the same size.
 *
 * @param {Points} points @param {Surface} surface @param {number} scale  pixels per px
 */
export function scatterPng(points, { width, height = heightOf(width), colors }, scale) {
  const frame = frameOf(width, height);
  const scene = sceneOf(points, whole(points.sheet), frame, () => 0);
  const { u, v } = points.sheet;
  const { lens } = scene;
  const [columns, rows] = [Math.round(frame.width * scale), Math.round(frame.height * scale)];
  const pixels = new Uint8Array(columns * rows);
  const groups = [NONE, ...points.names.keys()];
  const palette = [rgb(colors.paper)];
  for (const [place, group] of groups.entries()) {
    const mark = markOf(points, scene, group, colors);
    for (let step = 1; step <= STEPS; ++step) {
      palette.push(mixed(rgb(mark.color), palette[0], (mark.strength * step) / STEPS));
    }
    const radius = mark.radius * scale;
    for (const i of points.order) {
      const [x, y] = [u[i] * lens.k + lens.left, v[i] * lens.k + lens.top];
      if (points.groups[i] !== group || !contains(frame, x, y)) continue;
      disk((x - frame.x) * scale, (y - frame.y) * scale, radius, (at, step) => {
        const isOwn = pixels[at] > place * STEPS;
        if (!isOwn || pixels[at] < place * STEPS + step) pixels[at] = place * STEPS + step;
      });
    }
  }
  return indexedPng(
    pixels,
    columns,
    rows,
    Uint8Array.from(palette.flatMap((color) => [...color, 255])),
  );

  /**
   * @param {number} x @param {number} y @param {number} radius
   * @param {(at: number, step: number) => void} set  a pixel: how much of it is covered, 1 to STEPS
   */
  function disk(x, y, radius, set) {
    for (
      let row = Math.max(0, Math.floor(y - radius));
      row < Math.min(rows, y + radius + 1);
      ++row
    ) {
      for (
        let column = Math.max(0, Math.floor(x - radius));
        column < Math.min(columns, x + radius + 1);
        ++column
      ) {
        const inside = radius + 0.5 - Math.sqrt((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2);
        const step = Math.round(Math.min(1, inside) * STEPS);
        if (step > 0) set(row * columns + column, step);
      }
    }
  }
}

/** @param {string} color  "#rrggbb" */
const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/** @param {number[]} color @param {number[]} paper @param {number} share  of the color */
const mixed = (color, paper, share) =>
  color.map((part, i) => Math.round(paper[i] + share * (part - paper[i])));
