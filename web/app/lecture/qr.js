import { generate } from "lean-qr";
import { make, makeSvg } from "../dom.js";

/** The white around a code, in modules. */
const QUIET = 4;

/**
 * A button that shows the address of what is presented as a QR code.
 * @param {() => string} addressOf
 */
export function qr(addressOf) {
  const place = make("div", { class: "qr-code" });
  const words = make("p");
  const dialog = make("dialog", { class: "qr", "aria-label": "QR code" }, place, words);
  const button = make("button", { type: "button" }, "QR code");
  button.addEventListener("click", () => {
    const address = addressOf();
    place.replaceChildren(drawn(address));
    words.textContent = address;
    dialog.showModal();
  });
  dialog.addEventListener("click", () => dialog.close());
  return { button, dialog };
}

/** @param {string} text */
function drawn(text) {
  const code = generate(text);
  const whole = code.size + 2 * QUIET;
  const places = Array.from({ length: code.size }, (_, i) => i);
  const path = places.flatMap((y) =>
    places.filter((x) => code.get(x, y)).map((x) => `M${x + QUIET} ${y + QUIET}h1v1h-1z`),
  );
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${whole} ${whole}`, role: "img", "aria-label": `QR code of ${text}` },
    makeSvg("path", { d: path.join("") }),
  );
}
