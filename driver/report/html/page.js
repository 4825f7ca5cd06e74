// Comfort only: the page says everything without it.
"use strict";
document.documentElement.classList.add("has-js");

// A link of the table of contents opens what it leads to.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// What is folded would be missing on paper; differences of the code would fill a book.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details.subject")) folded.open = true;
});

const table = document.querySelector("table.sum");
const rows = table ? [...table.tBodies[0].rows] : [];

const valueOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent;
  return text === "" ? -Infinity : isNaN(text) ? text : Number(text);
};
const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);

if (table)
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // Figures start with the greatest, names and states with the first; then the other way round.
      const first = head.classList.contains("num") ? "descending" : "ascending";
      const next = { ascending: "descending", descending: "ascending" }[head.ariaSort] ?? first;
      const sorted = rows.map((row, n) => [valueOf(row, column), n, row]);
      sorted.sort((a, b) => (next === "descending" ? compare(b[0], a[0]) : compare(a[0], b[0])) || a[1] - b[1]);
      for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
      head.ariaSort = next;
      table.tBodies[0].append(...sorted.map((entry) => entry[2]));
    });
  });

const filter = document.getElementById("filter");
if (filter) {
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
      const section = document.getElementById(row.querySelector("a").hash.slice(1));
      if (section) section.hidden = row.hidden;
    }
    document.getElementById("shown").textContent = shown + " of " + rows.length;
  };
  filter.addEventListener("input", apply);
  apply();
}
