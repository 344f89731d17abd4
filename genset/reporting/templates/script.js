"use strict";
// What a reader can do with the page beyond reading it: sort, filter, point. Nothing on it needs
// this script: the tables are whole, and the browser itself opens what is folded.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];

  // Sorting. A cell's data-key is what it is sorted by; without one its words are. A cell without
  // a number (an empty data-key) comes last in both directions.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.key ?? cell.textContent.trim();
  };
  const sorter = (column, descending, byNumber) => (one, other) => {
    const [a, b] = [keyOf(one, column), keyOf(other, column)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = byNumber ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    return descending ? -order : order;
  };
  const sortable = (table) => {
    const heads = all("thead th[data-sort]", table);
    const body = table.tBodies[0];
    const said = document.querySelector(`[data-says-of="${table.id}"]`);
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.prepend(button);
      const [kind, first] = head.dataset.sort.split(" ");
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const descending = now ? now === "ascending" : first === "down";
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const rows = [...body.rows].sort(sorter(head.cellIndex, descending, kind === "number"));
        body.append(...rows);
        if (said) {
          const name = button.firstElementChild.textContent;
          said.textContent = `Sorted by ${name}, ${descending ? "highest" : "lowest"} first`;
        }
      });
    }
  };

  // The filter: all words typed must be in what is said of an element, in large letters or small,
  // with accents or without.
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();
  const filtering = (tools) => {
    const field = tools.querySelector("input");
    const said = tools.querySelector("output");
    const rows = all("[data-words]");
    const points = all("svg [data-name]").filter((point) => !point.closest("[data-words]"));
    const apply = () => {
      const words = folded(field.value).split(/\s+/).filter(Boolean);
      const found = (text) => words.every((word) => folded(text).includes(word));
      for (const row of rows) row.hidden = !found(row.dataset.words);
      for (const point of points) point.classList.toggle("faint", !found(point.dataset.name));
      const models = all("tbody tr[data-words]");
      const shown = models.filter((row) => !row.hidden).length;
      said.textContent = words.length ? `${shown} of ${models.length} models` : "";
    };
    field.addEventListener("input", apply);
    tools.hidden = false;
    apply(); // a browser that comes back to the page has kept what was typed
  };

  // One tooltip for all that has a name: for a mouse over it, the keyboard's focus, or a finger
  // on it or next to it.
  const NEAR = 24; // pixels: a fingertip
  const tooltips = () => {
    // A point's <title> would be shown a second time by the browser itself.
    for (const title of all("[data-name] > title")) {
      const point = title.parentNode;
      point.setAttribute("aria-label", title.textContent);
      if (!point.hasAttribute("role")) point.setAttribute("role", "img");
      title.remove();
    }
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    tip.setAttribute("aria-hidden", "true"); // the point's label says the same
    const name = document.createElement("strong");
    const says = document.createElement("span");
    tip.append(name, says);
    document.body.append(tip);
    const hide = () => { tip.hidden = true; };
    const show = (point) => {
      name.textContent = point.dataset.name;
      says.textContent = point.dataset.says ?? "";
      tip.hidden = false;
      const at = point.getBoundingClientRect();
      const [width, height] = [tip.offsetWidth, tip.offsetHeight];
      const left = Math.min(Math.max(8, at.left + at.width / 2 - width / 2), innerWidth - width - 8);
      const above = at.top - height - 8;
      tip.style.left = `${Math.max(8, left)}px`;
      tip.style.top = `${above > 8 ? above : at.bottom + 8}px`;
    };
    const nearest = (figure, event) => {
      let best = null;
      let least = NEAR;
      for (const point of all("[data-name]", figure)) {
        const at = point.getBoundingClientRect();
        const x = Math.max(at.left - event.clientX, 0, event.clientX - at.right);
        const y = Math.max(at.top - event.clientY, 0, event.clientY - at.bottom);
        const far = Math.hypot(x, y);
        if (far < least) [best, least] = [point, far];
      }
      return best;
    };
    const pointOf = (target) => target instanceof Element && target.closest("[data-name]");
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      const point = pointOf(event.target);
      if (point) show(point); else hide();
    });
    document.addEventListener("focusin", (event) => {
      const point = pointOf(event.target);
      if (point) show(point); else hide();
    });
    document.addEventListener("click", (event) => {
      const figure = event.target instanceof Element && event.target.closest("svg");
      const point = pointOf(event.target) || (figure && nearest(figure, event));
      if (point) show(point); else hide();
    });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
    document.addEventListener("scroll", hide, { capture: true, passive: true });
  };

  // Browsers open what a link leads into; older ones are helped.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) {
      each.open = true;
    }
    target.scrollIntoView();
  };

  // On a narrow screen each row of a list becomes a block (the style sheet does that), so its cells
  // must say what they are. As a block, a table is no table to a screen reader unless it says so.
  const stackable = (table) => {
    const heads = table.tHead?.rows.length === 1 ? [...table.tHead.rows[0].cells] : [];
    if (!heads.length || table.querySelector("[colspan]")) return;
    const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
    for (const each of [table, ...all("thead, tbody, tr, td, th", table)]) {
      const head = each.scope === "row" ? "rowheader" : "columnheader";
      each.setAttribute("role", roles[each.tagName] ?? head);
    }
    for (const row of all("tbody tr", table)) {
      // A cell that spans rows is missing in the later ones.
      const missing = heads.length - row.cells.length;
      for (const cell of row.cells) {
        cell.dataset.head = heads[cell.cellIndex + missing].firstChild?.textContent.trim() ?? "";
      }
    }
    table.classList.add("stack");
  };

  // What scrolls sideways must be reached by the keyboard too, and only then.
  const scrolling = () => {
    const titled = (region) =>
      region.closest("section")?.querySelector("h2")?.textContent ?? document.title;
    const look = (region) => {
      const scrolls = region.scrollWidth > region.clientWidth;
      region.classList.toggle("fits", !scrolls);
      region.classList.toggle("scrolls", scrolls);
      if (scrolls === region.hasAttribute("tabindex")) return;
      if (!scrolls) {
        for (const each of ["tabindex", "role", "aria-label"]) region.removeAttribute(each);
        return;
      }
      region.setAttribute("tabindex", "0");
      region.setAttribute("role", "group");
      region.setAttribute("aria-label", `Table: ${titled(region)}`);
    };
    const observer = new ResizeObserver((seen) => seen.forEach((each) => look(each.target)));
    all(".wide").forEach((region) => observer.observe(region));
  };

  all("table[data-sortable]").forEach(sortable);
  all(".tools").forEach(filtering);
  all(".wide > table.list:not(.stack)").forEach(stackable);
  tooltips();
  scrolling();
  addEventListener("hashchange", unfold);
  unfold();
})();
