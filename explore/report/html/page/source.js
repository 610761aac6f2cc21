import { byId, el, name } from "./dom.js";
import { Scroller } from "./scroller.js";
import { comments, tokens } from "./tokens.js";

const lineHeight = 20;
const maxPins = 12; // lanes whose places are shown
const shownPins = 1; // of them at one line

// Source shows the model's text, with the lines at which the lanes are.
export class Source {
  constructor(files, onLine) {
    this.files = files.map((f) => {
      const lines = f.text.split("\n");
      return { name: f.name, lines, inside: comments(lines) };
    });
    this.onLine = onLine;
    this.scroller = new Scroller(byId("source-view"), () => this.draw());
    this.file = -1;
    this.line = 0;
    this.pins = new Map();
    this.faults = new Set();
    const choice = byId("file");
    choice.append(...this.files.map((f, i) => el("option", { value: i, title: f.name }, f.name.split("/").slice(-2).join("/"))));
    choice.addEventListener("change", () => this.open(Number(choice.value)));
  }

  open(file) {
    this.file = file;
    byId("file").value = String(file);
    const lines = this.files[file]?.lines ?? [];
    const longest = lines.reduce((n, l) => Math.max(n, l.length), 0);
    this.scroller.extent(lines.length, lineHeight, 0, `max(100%, ${Math.min(longest, 400) + 12}ch)`);
    this.draw();
  }

  // show shows where an execution is after a step.
  show(execution, id, lanes) {
    const step = execution.step(id);
    this.pins = pins(execution, id, lanes);
    this.faults = new Set(execution.data.accesses.map((a) => execution.step(a)).map((s) => `${s.file}:${s.line}`));
    this.line = step?.line ?? 0;
    this.at = step?.file ?? -1;
    if (this.at >= 0 && this.at !== this.file) this.open(this.at);
    else if (this.file < 0 && this.files.length > 0) this.open(0);
    if (this.line > 0) this.scroller.reveal(this.line - 1);
    this.draw();
  }

  draw() {
    const f = this.files[this.file];
    if (!f) {
      this.scroller.canvas.replaceChildren(el("p", { class: "muted empty" }, "The text of the model is not known."));
      return;
    }
    const [from, to] = this.scroller.range(12);
    const out = [];
    for (let i = from; i < to; i++) out.push(this.row(f, i));
    this.scroller.canvas.replaceChildren(...out);
  }

  row(f, i) {
    const key = `${this.file}:${i + 1}`;
    const here = this.file === this.at && i + 1 === this.line;
    const pinned = this.pins.get(key) ?? [];
    return el("div", {
      class: `src${here ? " here" : ""}${this.faults.has(key) ? " fault" : ""}`, "aria-current": here ? "true" : null,
      at: { top: `${this.scroller.y(i)}px` }, onclick: () => this.onLine(this.file, i + 1),
    },
    el("span", { class: "no" }, String(i + 1)),
    el("span", { class: "tx" }, tokens(f.lines[i], f.inside[i]).map(([kind, text]) => (kind ? el("span", { class: `t-${kind}` }, text) : text))),
    pinned.length > 0 && el("span", { class: "pins", title: pinned.join(", ") },
      pinned.slice(0, shownPins).map((lane) => el("span", { class: "pin" }, name(lane))), pinned.length > shownPins && el("span", { class: "pin" }, `+${pinned.length - shownPins}`)));
  }
}

// pins tells at which lines the lanes are after a step, by their names.
function pins(execution, id, lanes) {
  const out = new Map();
  let left = maxPins;
  for (const lane of lanes) {
    const step = execution.step(execution.lastIn(lane, id));
    if (!step || step.file < 0 || left-- <= 0) continue;
    const key = `${step.file}:${step.line}`;
    out.set(key, [...(out.get(key) ?? []), execution.lanes[lane].name]);
  }
  return out;
}
