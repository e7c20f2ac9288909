import widget, { mount, schemes } from "phasor/widget";

export async function run() {
  const { render } = widget();
  if ("document" in globalThis) await show();
  return [typeof render, ...schemes].join(" ");
}

/** A picture is a matter of pages; its numbers must be there. */
function show() {
  return new Promise((done, failed) => {
    const state = { scheme: "alibi", options: { heads: 2, length: 3 } };
    const view = mount(document.createElement("div"), state);
    view.on("change:error", () => view.get("error") && failed(new Error(view.get("error"))));
    view.on("change:value", () => {
      const { shape } = view.get("value");
      if (shape.join() === "2,3,3") done(view.dispose());
    });
  });
}
