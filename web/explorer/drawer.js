import { byId } from "../app/dom.js";

/**
 * The drawer that holds the page's <x-opener>. It opens by its button, when files are dragged over the page, and for a
 * link that names a model; it closes when a model is open.
 */
export function drawer() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("drawer"));
  let isSecond = false;
  /** @param {boolean} [second] */
  const open = (second = false) => {
    if (dialog.open) return;
    isSecond = second;
    byId("drawer-title").textContent = second ? "Open a second model" : "Open a model";
    dialog.showModal();
  };
  byId("open-model").addEventListener("click", () => open());
  byId("open-second").addEventListener("click", () => open(true));
  byId("drawer-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // a click beside the drawer
  });
  addEventListener("dragenter", ({ dataTransfer }) => {
    if (dataTransfer?.types.includes("Files")) open();
  });
  return {
    open,

    /** @returns {boolean} whether it was for a second model */
    close() {
      dialog.close();
      const second = isSecond;
      isSecond = false;
      return second;
    },

    /** Shows the button that returns to the page's words beside the name of the model. */
    moveBack() {
      const back = /** @type {HTMLElement} */ (byId("opening").querySelector(".begin"));
      back.id = "back";
      back.classList.remove("begin"); // what the page does first is the map
      byId("model-buttons").append(back);
      back.addEventListener("click", () => byId("open-model").focus());
    },
  };
}
