import { mount, schemes } from "phasor/widget";
import { follow } from "../../app/controls.js";
import "./style.css";

const select = /** @type {HTMLSelectElement} */ (document.querySelector("[name=scheme]"));
const own = (await schemes()).filter((scheme) => !["data", "similarity", "pca"].includes(scheme));
select.replaceChildren(
  ...own.map((scheme) => new Option(scheme, scheme, scheme === "rope", scheme === "rope")),
);

const chosen = follow(async () => {
  const { set } = await view;
  set("options", {});
  set("scheme", chosen.scheme);
});
const view = mount(/** @type {HTMLElement} */ (document.getElementById("live")), {
  scheme: chosen.scheme,
  controls: true,
});
