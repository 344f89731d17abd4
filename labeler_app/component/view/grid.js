// A screen of many photos of one class, small and close together, below what to compare them with. A
// click turns a photo over, from verdict to verdict; seen large it has a button for each.

import { el } from "./dom.js";
import { actsAt, creditOf, pictureButton } from "./parts.js";
import { PhotosScreen } from "./photos.js";

export class GridScreen extends PhotosScreen {
  rowOf(photo, place, picture, _verdicts, act) {
    const name = `Photo ${place + 1}`;
    const at = actsAt(place, act);
    const click = at({ name: "turn" });
    const shown = pictureButton(picture, { name, label: `${name}: its next verdict`, broken: "", click });
    const large = { class: "large-of", type: "button", "aria-label": `${name}: see it large` };
    return el(
      "div",
      { class: "card", role: "group" },
      el("span", { class: "badge", "aria-hidden": "true" }),
      shown,
      el("button", { ...large, click: at({ name: "zoom" }) }, "⤢"),
      creditOf(photo),
    );
  }

  contentOf(head, reference) {
    const above = el("div", { class: "above" }, head, reference);
    return [above, el("div", { class: "photos cells" }, ...this.rows)];
  }

  /** As many columns as make the photos as large as they can be. */
  fit() {
    const grid = this.content[1];
    const { width, height } = grid.getBoundingClientRect();
    const columns = Math.ceil(Math.sqrt((this.rows.length * width) / Math.max(height, 1)));
    grid.style.setProperty("--columns", columns);
  }
}
