"use strict";
for (const program of document.querySelectorAll("section")) {
  const all = (selector) => [...program.querySelectorAll(selector)];
  const linked = new Map();
  for (const row of all(".row[data-k]")) {
    const rows = linked.get(row.dataset.k) || [];
    rows.push(row);
    linked.set(row.dataset.k, rows);
  }
  let pinned = null;
  const show = (name, key) => {
    for (const row of all(".row." + name)) row.classList.remove(name);
    for (const row of linked.get(key) || []) row.classList.add(name);
  };
  // Scrolls panes only, never the page.
  const scrollTo = (row) => {
    const pane = row.closest(".pane");
    const at = row.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTop += at - pane.clientHeight / 3;
  };
  for (const pane of all(".pane")) {
    pane.addEventListener("mouseover", (event) => {
      const row = event.target.closest(".row[data-k]");
      if (row) show("on", row.dataset.k);
    });
    pane.addEventListener("mouseleave", () => show("on", pinned));
    pane.addEventListener("click", (event) => {
      const row = event.target.closest(".row[data-k]");
      if (!row) return;
      pinned = pinned === row.dataset.k ? null : row.dataset.k;
      show("pin", pinned);
      show("on", pinned);
      const other = (linked.get(pinned) || []).find((each) => each.closest(".pane") !== pane);
      if (other) scrollTo(other);
    });
  }
  const mark = (row) => {
    for (const each of all(".row.on")) each.classList.remove("on");
    if (!row) return;
    row.classList.add("on");
    scrollTo(row);
  };
  for (const node of all(".graph g[data-block]")) {
    node.addEventListener("click", () => mark(program.querySelector(`.row[data-block="${node.dataset.block}"]`)));
  }
  for (const curve of all(".curve")) {
    const [count, most] = [Number(curve.dataset.count), curve.viewBox.baseVal.width];
    const index = (event) => {
      const box = curve.getBoundingClientRect();
      return Math.max(0, Math.min(count - 1, Math.floor((event.clientX - box.left) / box.width * count)));
    };
    const at = curve.querySelector(".at");
    const label = curve.querySelector(".label");
    curve.addEventListener("mousemove", (event) => {
      const row = all(".pane.code .row[data-n]")[index(event)];
      const x = (index(event) + 0.5) / count * most;
      at.setAttribute("x1", x);
      at.setAttribute("x2", x);
      at.removeAttribute("visibility");
      if (row) label.textContent = `${row.dataset.n} registers at ${row.dataset.at}`;
    });
    curve.addEventListener("mouseleave", () => at.setAttribute("visibility", "hidden"));
    curve.addEventListener("click", (event) => mark(all(".pane.code .row[data-n]")[index(event)]));
  }
}
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
