// The search for a class that is in the photo and that nobody asked about.

import { el } from "./dom.js";

export class SearchDialog {
  #classes;
  #chosen; // told of the class that was chosen
  #taken = new Map(); // wnid -> why it cannot be chosen
  #found = [];
  #at = 0;
  #input;
  #list = el("ul", { id: "classes", role: "listbox", "aria-label": "Classes" });
  #status = el("p", { class: "status", role: "status" });

  /**
   * @param {object} classes as in work/classes.js
   * @param {(cls: object) => void} chosen told of the class that was chosen
   */
  constructor(classes, chosen) {
    this.#classes = classes;
    this.#chosen = chosen;
    this.#input = el("input", {
      type: "text",
      role: "combobox",
      autofocus: "",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 80,
      placeholder: "A name, or a wnid",
      "aria-label": "Something else of the classes",
      "aria-controls": "classes",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      input: () => this.#search(),
      keydown: (event) => this.#key(event),
    });
    const close = el("button", { type: "button", click: () => this.dialog.close() }, "Close");
    close.append(el("kbd", { "aria-hidden": "true" }, "Esc"));
    this.dialog = el(
      "dialog",
      { class: "search", "aria-label": "Something else of the classes" },
      el("h2", {}, "What else is in this photo?"),
      this.#input,
      this.#status,
      this.#list,
      el("p", { class: "foot" }, "↑ ↓ and Enter choose. ", close),
    );
  }

  /** @param {Map<string, string>} taken wnids that cannot be chosen, and why */
  async show(taken) {
    this.#taken = taken;
    this.#input.value = "";
    if (!this.dialog.open) this.dialog.showModal();
    this.#search();
    try {
      await this.#classes.load();
    } catch {
      // said below; opened again, it asks again
    }
    this.#search();
  }

  #search() {
    const text = this.#input.value;
    this.#found = this.#classes.find(text);
    const free = this.#found.findIndex(({ wnid }) => !this.#taken.has(wnid));
    this.#at = Math.max(0, free);
    this.#list.replaceChildren(...this.#found.map((cls, place) => this.#option(cls, place)));
    this.#input.setAttribute("aria-expanded", String(this.#found.length > 0));
    this.#status.textContent = this.#state(text.trim());
    this.#go(this.#at);
  }

  #state(text) {
    if (!this.#classes.loaded) return "The list of classes is not here yet.";
    if (text === "") return "Type what you see.";
    const count = this.#found.length;
    if (count === 0) return "No class has such a name.";
    return count === 1 ? "1 class" : `${count} classes`;
  }

  #option(cls, place) {
    const taken = this.#taken.get(cls.wnid);
    const choose = (event) => {
      event.preventDefault();
      this.#choose(place);
    };
    return el(
      "li",
      {
        id: `class-${place}`,
        role: "option",
        "aria-selected": "false",
        "aria-disabled": taken ? "true" : null,
        click: choose,
      },
      el("b", { dir: "auto" }, cls.name),
      cls.also.length > 0 ? el("span", { class: "also" }, cls.also.join(", ")) : null,
      el("span", { class: "meaning", dir: "auto" }, taken ?? cls.definition),
    );
  }

  #key(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.code];
    if (by !== undefined) {
      event.preventDefault();
      this.#go(this.#at + by);
    } else if (event.code === "Enter" || event.code === "NumpadEnter") {
      event.preventDefault();
      if (!event.repeat) this.#choose(this.#at);
    }
  }

  #go(place) {
    this.#at = Math.max(0, Math.min(this.#found.length - 1, place));
    [...this.#list.children].forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.#at));
    });
    const option = this.#list.children[this.#at];
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #choose(place) {
    const cls = this.#found[place];
    if (cls === undefined || this.#taken.has(cls.wnid)) return;
    this.dialog.close();
    this.#chosen(cls);
  }
}
