
"use strict";
const input = document.getElementById("search");
const found = document.getElementById("found");
let owners;  // read from the page when somebody searches, for a long page takes its time
let waiting;

// The same for É, e and their like, for a name in wide letters, and for %D0%A4 and what it stands for.
function plain(text) {
  const written = text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try { return decodeURIComponent(codes); } catch { return codes; }
  });
  return written.normalize("NFKD").toUpperCase().normalize("NFKD").replace(/[\p{M}\u200c\u200d]/gu, "");
}

// What a word is looked for by, one of these. An address that was copied elsewhere may be of an
// album or a picture, under another name of its owner: its long numbers are the photo's or owner's.
function forms(word) {
  if (!/^(?:https?:\/\/|www\.)|^[\w-]+(?:\.[\w-]+)+\//i.test(word)) return [plain(word)];
  const path = word.replace(/[?#].*$/, "");
  return path.match(/\d{5,}/g)
    ?? [plain(path.replace(/^(?:https?:\/\/)?(?:www\.)?|\/+$/gi, "").replace(/^([\w-]+)\.m\./i, "$1."))];
}

function search() {
  owners ??= [...document.querySelectorAll("section.owner")].map(
    (section) => ({ section, text: plain(section.textContent) }));
  const words = input.value.split(/\s+/).filter(Boolean).map(forms);
  let shown = 0;
  for (const { section, text } of owners) {
    const fits = words.every((each) => each.some((form) => text.includes(form)));
    if (section.hidden === fits) section.hidden = !fits;
    shown += fits;
  }
  found.textContent = !words.length ? "" : shown ? `${shown} found`
    : "None here. Try the number in the address of your photo's page.";
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(search, 150);
}
input.addEventListener("input", soon);
if (input.value) search();
