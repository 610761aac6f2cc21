// Elements. What is put into them is text or other elements: nothing here, and nothing
// else in the page, makes markup of a text.

const svgSpace = "http://www.w3.org/2000/svg";

function fill(e, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "at") for (const [key, v] of Object.entries(value)) e.style.setProperty(key, v);
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return e;
}

// el makes an element: "at" are its styles, "onclick" and the like its handlers, and all
// else its attributes.
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(svgSpace, tag), props, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// name makes of a lane's name what is cut in its middle where there is no room: what tells work-items of one kernel apart
// stands at its end.
export function name(text) {
  const [stem, tail] = halves(text);
  return el("span", { class: "name" }, el("span", { class: "stem" }, stem), tail && el("span", { class: "tail" }, tail));
}

// cutName does so by characters, where there is nothing but text.
export function cutName(text, most) {
  const [stem, tail] = halves(text);
  return text.length <= most ? text : `${stem.slice(0, Math.max(most - tail.length - 1, 1))}…${tail}`;
}

function halves(text) {
  const at = text.search(/(\([^()]*\))?(#\d+)?$/);
  return [text.slice(0, at), text.slice(at)];
}

// soon calls a function in the next frame, once however often it is asked for.
export function soon(f) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      f();
    });
  };
}

// lastUpTo returns the index of the last number of an ascending list that is not larger
// than n, or -1.
export function lastUpTo(list, n) {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] <= n) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
