"use strict";
// What a reader can do with the page beyond reading it: sort, filter, point. Nothing on it needs
// this script: the tables are whole, and the browser itself opens what is folded.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];

  // Sorting. Cells of numbers by these, the first one first; a cell without one comes last in both
  // directions. Among equals the page's first order holds.
  const keysOf = (cell) => {
    if (!cell.classList.contains("numbers")) return [cell.textContent.trim()];
    const text = (cell.querySelector("bdi") ?? cell).textContent.replace(/,/g, "").replace(/\u2212/g, "-");
    return (text.match(/(?<!\d)-?\d+(\.\d+)?|(?<=\d-)\d+(\.\d+)?/g) ?? []).map(Number);
  };
  const compared = (one, other) => {
    const place = one.findIndex((key, at) => key !== other[at]);
    if (place < 0) return 0;
    const [a, b] = [one[place], other[place]];
    return typeof a === "number" ? a - (b ?? a) : a.localeCompare(b, "en", { numeric: true });
  };
  const sortable = (board) => {
    const heads = all("thead th", board);
    const body = board.querySelector("tbody");
    const said = document.querySelector('.tools [role="status"]');
    const first = [...body.rows];
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.prepend(button);
      const name = button.firstElementChild.textContent;
      if (name === "Top-1") head.setAttribute("aria-sort", "descending");
      const down = head.classList.contains("numbers") && name !== "Rank";
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const descending = now ? now === "ascending" : down;
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const keys = new Map(first.map((row) => [row, keysOf(row.cells[head.cellIndex])]));
        const none = (row) => !keys.get(row).length;
        const order = (a, b) => none(a) - none(b)
          || (descending ? -1 : 1) * compared(keys.get(a), keys.get(b));
        body.append(...[...first].sort(order));
        said.textContent = `Sorted by ${name}, ${descending ? "highest" : "lowest"} first`;
      });
    }
  };

  // The filter: all words typed must be in what is said of an element, in large letters or small,
  // with accents or without.
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();
  const filtering = (tools) => {
    const field = tools.querySelector("input");
    const said = tools.querySelector("output");
    const models = all("#board tbody tr");
    for (const row of models) {
      const words = all("th, td:not(.numbers)", row).map((cell) => cell.textContent);
      row.dataset.words = [row.querySelector("[title]")?.title, ...words].join(" ");
    }
    const rows = all("[data-words]");
    const points = all("svg [data-name]");
    const apply = () => {
      const words = folded(field.value).split(/\s+/).filter(Boolean);
      const found = (text) => words.every((word) => folded(text).includes(word));
      for (const row of rows) row.hidden = !found(row.dataset.words);
      for (const point of points) point.classList.toggle("faint", !found(point.dataset.name));
      const shown = models.filter((row) => !row.hidden).length;
      said.textContent = words.length ? `${shown} of ${models.length} models` : "";
    };
    field.addEventListener("input", apply);
    field.parentNode.hidden = models.length < 9; // nobody needs to look for them
    tools.hidden = false;
    apply(); // a browser that comes back to the page has kept what was typed
  };

  // The photos' filter: by class, by what they show, by who is right.
  const browsing = (tools) => {
    const cards = all(".photo");
    const chosen = {};
    const choice = (title, values, shows) => {
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.setAttribute("aria-label", title);
      select.append(new Option("all", ""), ...values.map((value) => new Option(value)));
      label.append(`${title} `, select);
      tools.append(label);
      select.addEventListener("change", () => {
        chosen[title] = select.value && ((card) => shows(card, select.value, select.selectedIndex - 1));
        const tests = Object.values(chosen).filter(Boolean);
        for (const card of cards) card.hidden = !tests.every((test) => test(card));
        const more = cards.at(-1).closest("details");
        if (more && tests.length) more.open = true;
      });
    };
    const of = (name) => [...new Set(cards.map((card) => card.dataset[name]))].sort();
    const models = all("#each-model .profile > summary bdi").map((name) => name.textContent);
    choice("Class", of("class"), (card, value) => card.dataset.class === value);
    choice("Shows", of("shows"), (card, value) => card.dataset.shows === value);
    for (const [title, sign] of [["Right", "1"], ["Wrong", "0"]]) {
      if (models.length) choice(title, models, (card, _, at) => card.dataset.right[at] === sign);
    }
    tools.hidden = false;
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

  all(".wide > table.list").forEach(stackable);
  all("#board").forEach(sortable);
  all(".tools").forEach(filtering);
  all(".browse").forEach(browsing);
  tooltips();
  scrolling();
})();
