// What stands where nobody labels: the labels that this browser keeps, and that are not saved yet.

import { el } from "./view/dom.js";
import { linesOf } from "./view/unsaved.js";
import { ofBrowser } from "./work/environment.js";
import { Storage } from "./work/storage.js";

/** Streamlit's component contract: returns what to call when the component leaves the page. */
export function mount({ parentElement, data }) {
  parentElement.querySelector("section")?.remove();
  const section = el("section", { "aria-label": "Not saved yet" });
  const storage = new Storage(`${data.workspace}/`, ofBrowser());
  const draw = () => section.replaceChildren(...linesOf(storage));
  draw();
  parentElement.append(section);
  addEventListener("storage", draw);
  return () => {
    removeEventListener("storage", draw);
    section.remove();
  };
}
