import * as check from "../runtime/check.js";

/**
 * The attributes of `<phasor-figure>` and the traits that they set. `options` and `figure` hold JSON; `controls` is on
 * where it is present.
 *
 * @type {Readonly<Record<string, { trait: string, read: (text: string | null) => any }>>}
 */
const ATTRIBUTES = {
  scheme: { trait: "scheme", read: (text) => text ?? "sinusoidal" },
  options: { trait: "options", read: json },
  figure: { trait: "figure", read: json },
  heading: { trait: "title", read: (text) => text ?? "" },
  theme: { trait: "theme", read: (text) => text ?? "auto" },
  controls: { trait: "controls", read: (text) => text !== null },
};

/** @param {string | null} text */
function json(text) {
  return JSON.parse(text ?? "{}");
}

/** What `mount` of phasor/widget returns. @typedef {{ set(name: any, value: any): void, dispose(): void }} View */

/**
 * The class of `<phasor-figure>` for a `mount`.
 *
 * @param {(element: HTMLElement, state: Record<string, any>) => Promise<View>} mount
 * @param {string} name  of the element, for messages
 */
export function elementClass(mount, name) {
  return class extends globalThis.HTMLElement {
    static observedAttributes = Object.keys(ATTRIBUTES);

    /** The widget of the time in which the element has been in the document. @type {Promise<View | undefined> | undefined} */
    #view;

    connectedCallback() {
      this.#view ??= this.#mounted();
    }

    disconnectedCallback() {
      this.#view?.then((view) => view?.dispose());
      this.#view = undefined;
    }

    /** @param {string} attribute */
    attributeChangedCallback(attribute) {
      const view = this.#view;
      if (!view) return; // it is read when the element comes into the document
      const { trait, read } = ATTRIBUTES[attribute];
      view.then(async (mounted) => {
        if (view !== this.#view) return;
        if (!mounted) {
          this.replaceChildren();
          this.#view = this.#mounted();
        } else if (
          this.#apply(
            () => read(this.getAttribute(attribute)),
            attribute,
            (value) => mounted.set(trait, value),
          )
        ) {
          this.#note("");
        }
      });
    }

    /** Adds the widget with the state that the attributes have. */
    async #mounted() {
      /** @type {Record<string, any>} */
      const state = {};
      for (const [attribute, { trait, read }] of Object.entries(ATTRIBUTES)) {
        const text = this.getAttribute(attribute);
        if (
          !this.#apply(
            () => read(text),
            attribute,
            (value) => (state[trait] = value),
          )
        )
          return undefined;
      }
      return mount(this, state);
    }

    /**
     * Reads an attribute; an error is shown in the element.
     * @param {() => any} read @param {string} attribute @param {(value: any) => void} use
     */
    #apply(read, attribute, use) {
      try {
        use(read());
        return true;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const text = check.describe(this.getAttribute(attribute));
        this.#note(`${attribute} of ${name} must be JSON; got ${text}`);
        return false;
      }
    }

    /** Shows an error, or removes it. @param {string} text */
    #note(text) {
      this.querySelector(":scope > .phasor-error")?.remove();
      if (text === "") return;
      const note = this.ownerDocument.createElement("p");
      note.className = "phasor-error";
      note.setAttribute("role", "alert");
      note.textContent = text;
      this.append(note);
    }
  };
}
