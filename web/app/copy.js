const NOT_ALLOWED = "The browser did not allow copying.";

/**
 * Copies a text and confirms it for a while.
 * @param {string} text @param {HTMLElement} note
 * @param {() => void} [select]  selects the text, for a browser that does not allow copying
 */
export async function copy(text, note, select) {
  try {
    await navigator.clipboard.writeText(text);
    note.textContent = "Copied.";
  } catch {
    select?.();
    note.textContent = select
      ? `${NOT_ALLOWED} The code is selected: copy it with the keyboard.`
      : NOT_ALLOWED;
  }
  setTimeout(() => (note.textContent = ""), 4000);
}

/** Connects the copy buttons of the files on a page, which are hidden without JavaScript. */
export function connectCopyButtons() {
  for (const button of document.querySelectorAll(".file .copy")) {
    const code = button.closest(".file")?.querySelector("code");
    button.toggleAttribute("hidden", false);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code?.textContent ?? "");
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}
