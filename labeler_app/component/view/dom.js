// Building blocks of the page. Strangers' words only ever become text nodes.

const LONGEST = 200;

/** An element; attributes that are null or false are left out, functions become listeners. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A stranger's words: on one line, cut where they are endless, unable to turn their neighbours. */
export function words(text) {
  const line = text.slice(0, LONGEST * 2).replace(/\s+/gu, " ").trim();
  return el("bdi", {}, line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
}

/** A link that opens beside the page; only the text where `url` is no web address. */
export function link(content, url) {
  let address = null;
  try {
    address = new URL(url);
  } catch {
    // no address at all
  }
  if (!/^https?:$/.test(address?.protocol ?? "")) return content;
  const rel = "noopener noreferrer";
  return el("a", { href: address.href, target: "_blank", rel }, content);
}
