
"use strict";
const input = document.getElementById("search");
const found = document.getElementById("found");
const owners = [...document.querySelectorAll("section.owner")].map((section) => {
  const addresses = [...section.querySelectorAll("a")].map((link) => link.href);
  return { section, text: [section.textContent, ...addresses].join(" ").toLowerCase() };
});
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { section, text } of owners) {
    const fits = words.every((word) => text.includes(word));
    section.hidden = !fits;
    shown += fits;
  }
  found.textContent = words.length ? `${shown} of ${owners.length} owners` : "";
}
input.addEventListener("input", search);
search();
