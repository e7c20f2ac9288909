import { byId } from "../app/dom.js";

/**
 * The drawer that holds the page's <x-opener>. It opens by its button, when files are dragged over the page, and for a
 * link that names a model; it closes when a model is open.
 */
export function drawer() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("drawer"));
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  byId("open-model").addEventListener("click", open);
  byId("drawer-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // a click beside the drawer
  });
  addEventListener("dragenter", ({ dataTransfer }) => {
    if (dataTransfer?.types.includes("Files")) open();
  });
  return {
    open,
    close: () => dialog.close(),

    /** Shows the button that returns to the page's words beside the name of the model. */
    moveBack() {
      const back = /** @type {HTMLElement} */ (byId("opening").querySelector(".begin"));
      byId("model-buttons").append(back);
      back.addEventListener("click", () => byId("open-model").focus());
    },
  };
}
