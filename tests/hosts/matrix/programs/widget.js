import widget, { mount, schemes } from "phasor/widget";

export async function run() {
  const { render } = widget();
  if ("document" in globalThis) await show(); // a picture is a matter of pages
  return [typeof render, ...(await schemes())].join(" ");
}

async function show() {
  const state = { scheme: "alibi", options: { heads: 2, length: 3 } };
  const view = await mount(document.createElement("div"), state);
  const shape = view.get("value")?.shape.join();
  if (shape !== "2,3,3") throw new Error(`${view.get("error")}; shape ${shape}`);
  view.dispose();
}
