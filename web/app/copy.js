import { make } from "./dom.js";

const NOT_ALLOWED = "The browser did not allow copying.";

/**
 * Puts a text into the clipboard. Pages of an insecure address, as those of a lecturer's own computer, have no API for that,
 * but a command.
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser allowed it
 */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const field = make("textarea", { readonly: true });
    field.value = text;
    Object.assign(field.style, { position: "fixed", top: "0", opacity: "0" }); // in view, so that nothing scrolls
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isDone;
  }
}

/**
 * Copies a text and confirms it for a while.
 * @param {string} text @param {HTMLElement} note
 * @param {() => void} [select]  selects the text, for a browser that does not allow copying
 */
export async function copy(text, note, select) {
  const how = select ? " The code is selected: copy it with the keyboard." : "";
  const isDone = await toClipboard(text);
  if (!isDone) select?.();
  note.textContent = isDone ? "Copied." : NOT_ALLOWED + how;
  setTimeout(() => (note.textContent = ""), 4000);
}

/** Connects the copy buttons of the files on a page, which are hidden without JavaScript. */
export function connectCopyButtons() {
  for (const button of document.querySelectorAll(".file .copy")) {
    const code = button.closest(".file")?.querySelector("code");
    button.toggleAttribute("hidden", false);
    button.addEventListener("click", async () => {
      const isDone = await toClipboard(code?.textContent ?? "");
      button.textContent = isDone ? "Copied" : "Not allowed";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}
