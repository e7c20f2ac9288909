/** Lets the texts of files on a page be copied by a button, which is hidden where nothing would. */
export function letCopy() {
  for (const button of document.querySelectorAll(".file .copy")) {
    const text = button.closest(".file")?.querySelector("code")?.textContent ?? "";
    button.toggleAttribute("hidden", false);
    button.addEventListener("click", async () => {
      button.textContent = await copied(text);
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
  }
}

/** @param {string} text @returns {Promise<string>} what to say of it */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "Not allowed here";
  }
}
