import { byId, el, name, svg } from "./dom.js";
import { Scroller } from "./scroller.js";

// The lanes: a column for each, time from top to bottom, and what relates the steps.

const base = { row: 32, gutter: 64, head: 46, least: 164, most: 330, gap: 24 };
const maxArrows = 600;
const glyphs = { load: "R", store: "W", modify: "RW", compare_exchange: "CX", early: "W", fence: "F", arrive: "B", depart: "B",
  choose: "?", enqueue: "Q", event: "E", finish: "…", map: "M", spawn: "T", return: "↩" };
// Where on a step's side the arrows of a relation end, in parts of its height.
const ports = { rf: -0.22, sw: 0, mo: 0.22, command: 0.3, early: 0.12, race: 0 };

export class Lanes {
  constructor(app) {
    this.app = app;
    this.box = byId("lanes-view");
    this.scroller = new Scroller(this.box, () => this.draw());
    this.svg = svg("svg", { class: "arrows", "aria-hidden": "true" });
    this.items = el("div", { class: "items" });
    this.head = el("div", { class: "lane-heads" });
    this.scroller.canvas.append(this.svg, this.items, this.head);
  }

  // layOut finds where the columns are, for lanes to show and a zoom.
  layOut() {
    const { lanes, zoom, rows } = this.app;
    this.columns = new Map(lanes.map((lane, i) => [lane, i]));
    this.row = Math.round(base.row * zoom);
    this.gutter = Math.round(base.gutter * Math.min(zoom, 1.2));
    const room = (this.box.clientWidth - this.gutter - 8) / Math.max(lanes.length, 1);
    this.width = Math.round(Math.min(Math.max(room, base.least * zoom), base.most * zoom));
    this.gap = Math.round(Math.min(base.gap, this.width / 6));
    const total = this.gutter + lanes.length * this.width + 4;
    this.scroller.extent(rows.list.length, this.row, base.head, `${total}px`);
    this.box.style.setProperty("--zoom", String(zoom));
    byId("panes").style.setProperty("--need", `${base.head + (rows.list.length + 1) * this.row}px`);
  }

  left(lane) {
    return this.gutter + this.columns.get(lane) * this.width + this.gap / 2;
  }

  draw() {
    if (!this.columns) return;
    const [from, to] = this.scroller.range();
    const list = this.app.rows.list.slice(from, to);
    this.items.replaceChildren(...this.rails(from, to), ...list.flatMap((row, i) => this.item(row, from + i)));
    this.head.replaceChildren(...this.heads());
    this.drawArrows(list, from, to);
    const { step } = this.app;
    if (step > 0) this.box.setAttribute("aria-activedescendant", `s${this.app.rows.list[this.app.rows.of[step]]?.to}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // inSight lists the lanes whose columns are.
  inSight() {
    const from = this.box.scrollLeft - this.width;
    const to = this.box.scrollLeft + this.box.clientWidth;
    return this.app.lanes.filter((lane) => this.left(lane) > from && this.left(lane) < to);
  }

  heads() {
    const { execution, step } = this.app;
    const current = execution.step(step)?.lane;
    return this.inSight().map((lane) => {
      const l = execution.lanes[lane];
      return el("div", {
        class: `lane-head${lane === current ? " current" : ""}${this.app.waits.has(lane) ? " waits" : ""}`, title: l.title,
        at: { left: `${this.left(lane)}px`, width: `${this.width - this.gap}px` },
      }, el("b", {}, name(l.name)), el("span", { class: "muted" }, l.brief));
    });
  }

  // rails are the lines that the steps of a lane are on.
  rails(from, to) {
    const top = this.scroller.y(from);
    return this.inSight().map((lane) => el("div", {
      class: "rail",
      at: { left: `${this.left(lane) + (this.width - this.gap) / 2}px`, top: `${top}px`, height: `${(to - from) * this.row}px` },
    }));
  }

  item(row, i) {
    const top = this.scroller.y(i);
    const { app } = this;
    const here = app.step >= row.from && app.step <= row.to;
    const future = app.step < row.from;
    const label = (text) => el("div", { class: `row-label${here ? " current" : ""}`, at: { top: `${top}px`, height: `${this.row}px`, width: `${this.gutter - 8}px` } }, text);
    const shared = { id: `s${row.to}`, role: "option", "aria-selected": here ? "true" : "false", "data-to": row.to };
    if (row.kind === "fold") {
      const n = row.to - row.from + 1;
      const what = row.why === "slice" ? `that ${n === 1 ? "does" : "do"} not matter here` : "of other work-items";
      return [label(""), el("div", { ...shared, class: "fold", at: this.across(top), onclick: () => app.unfold(row.why) }, `${n} ${n === 1 ? "step" : "steps"} ${what}`)];
    }
    if (row.kind === "band") return [label(`${row.from}–${row.to}`), this.band(row, shared, top, here, future)];
    const step = app.execution.step(row.from);
    const classes = ["chip", step.kind, here && "current", future && "future", app.faults.has(step.id) && "fault", step.writes && "writes", app.inSlice(step.id) && "sliced"];
    return [label(step.line > 0 ? `${step.id} · ${step.line}` : String(step.id)), el("div", {
      ...shared, class: classes.filter(Boolean).join(" "), title: `step ${step.id}: ${step.op}`,
      "aria-label": app.describe(step),
      at: { left: `${this.left(step.lane)}px`, top: `${top + 4}px`, width: `${this.width - this.gap}px`, height: `${this.row - 8}px` },
      onclick: () => app.go(step.id),
    }, el("i", { class: "glyph" }, glyphs[step.kind] ?? "·"), el("span", { class: "brief" }, step.brief))];
  }

  // band is a barrier that a group passes, over the lanes that do.
  band(row, shared, top, here, future) {
    const lanes = row.barrier.departures.map((id) => this.app.execution.laneOf(id)).filter((lane) => this.columns.has(lane));
    const at = this.across(top);
    if (lanes.length > 0) {
      const ends = lanes.map((lane) => this.left(lane));
      at.left = `${Math.min(...ends) - 6}px`;
      at.width = `${Math.max(...ends) - Math.min(...ends) + this.width - this.gap + 12}px`;
    }
    const n = row.barrier.departures.length;
    return el("div", {
      ...shared, class: `band${here ? " current" : ""}${future ? " future" : ""}`, at, title: row.barrier.text,
      "aria-label": `steps ${row.from} to ${row.to}: ${n} work-items pass the ${row.barrier.text}`, onclick: () => this.app.go(row.to),
    }, el("b", {}, row.barrier.text), el("span", { class: "muted" }, ` · ${n} ${n === 1 ? "work-item" : "work-items"}`));
  }

  across(top) {
    return { left: `${this.gutter}px`, top: `${top + 4}px`, width: `${Math.max(this.app.lanes.length, 1) * this.width}px`, height: `${this.row - 8}px` };
  }

  // place returns where a step is drawn, undefined if it is not.
  place(id) {
    const { rows, execution } = this.app;
    const i = rows.of[id];
    const row = rows.list[i];
    const lane = execution.laneOf(id);
    if (!row || row.kind === "fold" || !this.columns.has(lane)) return undefined;
    return { x: this.left(lane), y: this.scroller.y(i) + this.row / 2, column: this.columns.get(lane), row: i };
  }

  drawArrows(list, from, to) {
    const { app } = this;
    const seen = new Set();
    const out = [];
    const top = this.scroller.y(from) - this.row;
    for (const row of list) {
      for (let id = row.from; id <= row.to && row.kind !== "fold"; id++) {
        for (const edge of app.execution.edgesOf[id] ?? []) {
          if (seen.has(edge) || out.length >= maxArrows || !app.shows(edge)) continue;
          seen.add(edge);
          out.push(...this.arrow(edge));
        }
      }
    }
    const near = (node) => Number(node.getAttribute("data-near"));
    out.sort((a, b) => near(a) - near(b));
    const height = (to - from + 2) * this.row + base.head;
    this.svg.setAttribute("width", this.scroller.canvas.clientWidth);
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("viewBox", `0 ${top} ${this.scroller.canvas.clientWidth} ${height}`);
    this.svg.style.top = `${top}px`;
    this.svg.replaceChildren(heads(), ...out);
  }

  // arrow draws a relation between two lanes, and within one if one of the steps is looked at.
  arrow(edge) {
    const a = this.place(edge.from);
    const b = this.place(edge.to);
    const { step } = this.app;
    const near = edge.from === step || edge.to === step || edge.relation === "race";
    if (!a || !b || a.row === b.row || (a.column === b.column && !near)) return [];
    if (!near && edge.relation === "rf" && this.app.execution.lanes[this.app.execution.laneOf(edge.from)].host) return []; // all read what the host wrote
    if (edge.to > step && edge.from > step && edge.relation !== "race") return []; // still to come
    const shift = (ports[edge.relation] ?? 0) * this.row;
    const inner = this.width - this.gap;
    const rightwards = b.column > a.column;
    const same = a.column === b.column;
    const x0 = a.x + (rightwards || same ? inner : 0);
    const x1 = b.x + (rightwards && !same ? 0 : inner);
    const bend = same ? this.gap * 0.7 : Math.max(this.gap, Math.abs(x1 - x0) / 2);
    const c0 = rightwards || same ? x0 + bend : x0 - bend;
    const c1 = same ? x1 + bend : rightwards ? x1 - bend : x1 + bend;
    const y0 = a.y + shift;
    const y1 = b.y + shift;
    const classes = `arrow ${edge.relation} ${edge.regions.join(" ")}${near ? " near" : ""}`;
    const line = svg("path", {
      class: classes, d: `M${x0},${y0} C${c0},${y0} ${c1},${y1} ${x1},${y1}`, "data-near": near ? 1 : 0,
      "data-relation": edge.relation, "data-from": edge.from, "data-to": edge.to,
      "marker-end": `url(#head-${kindOf(edge)})`, "marker-start": edge.relation === "race" ? "url(#head-race)" : null,
    }, svg("title", {}, this.app.say(edge)));
    return [line];
  }

  reveal(id) {
    if (id > 0) this.scroller.reveal(this.app.rows.of[id]);
    else this.box.scrollTop = 0;
    const place = id > 0 && this.place(id);
    if (!place) return;
    if (place.x - this.gutter < this.box.scrollLeft) this.box.scrollLeft = place.x - this.gutter;
    else if (place.x + this.width > this.box.scrollLeft + this.box.clientWidth) this.box.scrollLeft = place.x + this.width - this.box.clientWidth;
  }
}

// kindOf tells which colour an arrow has.
export function kindOf(edge) {
  return edge.relation === "sw" && edge.regions[0] === "local" ? "sw-local" : edge.relation;
}

// heads are the heads of arrows, one for each colour.
function heads() {
  return svg("defs", {}, ["rf", "mo", "sw", "sw-local", "command", "early", "race"].map((kind) => svg("marker", {
    id: `head-${kind}`, class: kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse",
  }, svg("path", { d: "M0,0.5 L8,4 L0,7.5 z" }))));
}
