import { byId } from "./dom.js";
import "./chosen-files.css";

/**
 * Files that the reader chooses in #files, or drops anywhere on the page; #drop shows where.
 * @param {(files: File[]) => void} open
 */
export function onFiles(open) {
  const input = /** @type {HTMLInputElement} */ (byId("files"));
  const drop = byId("drop");
  input.addEventListener("change", () => {
    const chosen = [...(input.files ?? [])];
    input.value = ""; // so that the same files may be chosen again
    if (chosen.length > 0) open(chosen);
  });

  let inside = 0; // elements that the drag has entered and not left
  const holdsFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files");
  const mark = (/** @type {number} */ by) => {
    inside = Math.max(0, inside + by);
    drop.classList.toggle("over", inside > 0);
  };
  addEventListener("dragenter", (event) => holdsFiles(event) && mark(1));
  addEventListener("dragleave", (event) => holdsFiles(event) && mark(-1));
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault(); // else the browser navigates to the file
    mark(-inside);
    open([.../** @type {DataTransfer} */ (event.dataTransfer).files]);
  });
}
