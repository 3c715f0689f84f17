// Short functions on elements. Texts are set as text, never as HTML, because they come from untrusted sources.

export const byId = (id) => document.getElementById(id);

export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

// A table with a caption. `rows` are lists of texts; `numbers` are the columns that are aligned to the right.
export function table(caption, head, rows, numbers = []) {
  const cell = (name, text, column) => element(name, numbers.includes(column) ? "n" : "", text);
  const heads = head.map((text) => {
    const made = element("th", "", text);
    made.scope = "col";
    return made;
  });
  return element(
    "table", "",
    element("caption", "", caption),
    element("thead", "", element("tr", "", ...heads)),
    element("tbody", "", ...rows.map((row) => element("tr", "", ...row.map((text, n) => cell("td", text, n))))),
  );
}
