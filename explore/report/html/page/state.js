import { byId, cutName, el } from "./dom.js";
import { kindOf } from "./lanes.js";

// The state after a step: what the step did, memory, what a lane sees of it, and the lane's
// private variables, each with what the step has changed.

const maxRows = 300;
const longestName = 28; // of a lane in the list of views
const maxChain = 60;

export class State {
  constructor(app) {
    this.app = app;
    this.box = byId("state-view");
    this.lane = -1; // whose view is shown; -1: that of the step
    this.location = -1; // whose modification order is shown
  }

  draw() {
    const { app } = this;
    const { execution } = app;
    const step = execution.step(app.step);
    const lane = this.lane >= 0 ? this.lane : step?.lane ?? app.lanes[0] ?? -1;
    const active = document.activeElement;
    const within = this.box.contains(active) && active !== this.box;
    const key = active?.dataset?.focus;
    this.box.replaceChildren(...[
      step ? this.card(step) : el("div", { class: "card" }, el("b", {}, "Before the first step")),
      this.memory(step, lane),
      lane >= 0 && this.variables(lane),
    ].filter(Boolean));
    // What had the focus is gone: what stands in its place gets it.
    if (within) ((key && this.box.querySelector(`[data-focus="${key}"]`)) || this.box).focus({ preventScroll: true });
  }

  // card says what the step did.
  card(step) {
    const { app } = this;
    const { execution } = app;
    const lane = execution.lanes[step.lane];
    const notes = [];
    if (step.via) notes.push(step.via);
    if (step.outcome) notes.push(`compare-exchange: ${step.outcome}`);
    if (step.early > 0) notes.push(["performed now, visible since ", app.link(step.early)]);
    if (step.before > 0) notes.push(["stands before ", app.link(step.before), " in modification order"]);
    for (const edge of execution.edgesOf[step.id] ?? []) {
      if (edge.to === step.id && notes.length < 12) notes.push([el("span", { class: `dot ${kindOf(edge)}` }), `${app.verb(edge)} `, app.link(edge.from), app.about(edge)]);
    }
    if (step.from === 0) notes.push("reads the initial value");
    const barrier = execution.passed.get(step.id);
    if (barrier) notes.push(barrier.text);
    return el("div", { class: `card${app.faults.has(step.id) ? " fault" : ""}` },
      el("p", { class: "card-head" }, el("b", {}, `Step ${step.id}`), ` ${lane.title} `, el("span", { class: "muted" }, lane.where)),
      el("p", { class: "card-op" }, el("code", {}, step.op)),
      step.reads && step.kind !== "store" && el("p", {}, "read ", el("code", {}, step.read)),
      notes.length > 0 && el("ul", { class: "notes" }, notes.map((n) => el("li", {}, n))));
  }

  memory(step, lane) {
    const { app } = this;
    const { execution } = app;
    const locations = execution.touched(Infinity).filter((loc) => app.regions.has(execution.memory[loc].region));
    const first = locations.filter((loc) => execution.firstUse(loc) <= app.step || execution.memory[loc].initial >= 0);
    const choice = el("select", { "aria-label": "Whose view", "data-focus": "lane", onchange: (e) => { this.lane = Number(e.target.value); this.draw(); } },
      el("option", { value: -1 }, step ? `${cutName(execution.lanes[step.lane].name, longestName - 12)} (this step)` : "the first lane"),
      app.lanes.slice(0, maxRows).map((l) => el("option", { value: l, selected: l === this.lane, title: execution.lanes[l].name }, cutName(execution.lanes[l].name, longestName))));
    const rows = first.slice(0, maxRows).flatMap((loc) => this.location_(loc, step, lane));
    return el("section", { "aria-label": "Memory" },
      el("div", { class: "state-head" }, el("h3", {}, "Memory"), el("label", { class: "muted" }, "as seen by ", choice)),
      rows.length === 0 ? el("p", { class: "muted empty" }, "Nothing has been written yet.")
        : el("table", { class: "memory" },
          el("thead", {}, el("tr", {}, ["location", "last value", "must see"].map((t) => el("th", { scope: "col" }, t)))),
          el("tbody", {}, rows)),
      first.length > maxRows && el("p", { class: "muted" }, `and ${first.length - maxRows} more locations`));
  }

  // location_ is the row of a location, and its modification order if that is asked for.
  location_(loc, step, lane) {
    const { app } = this;
    const { execution } = app;
    const l = execution.memory[loc];
    const latest = execution.latest(loc, app.step);
    const changed = step && step.writes && step.loc === loc;
    const seen = lane >= 0 ? execution.seen(lane, loc, app.step) : undefined;
    const was = changed ? execution.latest(loc, app.step - 1) : undefined;
    const open = this.location === loc;
    const sees = !seen ? "" : seen.of === undefined ? el("span", { class: "behind" }, "nothing")
      : seen.behind === 0 ? el("span", { class: "newest", title: "the last value" }, "✓ last")
        : el("span", { class: "behind", title: `${seen.behind} later in modification order` },
          execution.valueOf(loc, seen.of), ` · ${seen.behind} behind`);
    const value = latest === undefined ? el("span", { class: "muted" }, "–") : [
      changed && was !== undefined && [el("s", {}, execution.valueOf(loc, was)), " → "],
      el("b", {}, execution.valueOf(loc, latest)), latest > 0 && [" ", app.link(latest, "small")]];
    const out = [el("tr", { class: [changed && "changed", step?.loc === loc && "touched", open && "open"].filter(Boolean).join(" "), "data-location": l.name },
      el("th", { scope: "row" }, el("button", {
        type: "button", class: "location", "aria-expanded": open ? "true" : "false", title: "Modification order", "data-focus": `location-${loc}`,
        onclick: () => { this.location = open ? -1 : loc; this.draw(); },
      }, l.name), el("span", { class: `tag ${l.region}` }, l.group >= 0 ? `local ${l.group}` : l.region)),
      el("td", {}, value), el("td", {}, sees))];
    if (open) out.push(el("tr", { class: "chain" }, el("td", { colspan: 3 }, this.chain(loc, seen))));
    return out;
  }

  // chain is the modification order of a location: what a lane may still read is marked.
  chain(loc, seen) {
    const { app } = this;
    const { execution } = app;
    const order = execution.order(loc, app.step);
    const from = seen?.of === undefined ? 0 : order.indexOf(seen.of);
    const skipped = Math.max(order.length - maxChain, 0);
    return el("div", {},
      el("span", { class: "muted" }, "modification order "), skipped > 0 && el("span", { class: "muted" }, `${skipped} earlier … `),
      order.slice(skipped).map((id, i) => el("span", { class: `message${i + skipped >= from ? " readable" : ""}`, title: i + skipped >= from ? "can still be read" : "can no longer be read" },
        execution.valueOf(loc, id), " ", id > 0 ? app.link(id, "small") : el("small", { class: "muted" }, "initial"))));
  }

  variables(lane) {
    const { app } = this;
    const { execution } = app;
    const at = app.step;
    const last = execution.lastIn(lane, at);
    const next = execution.nextIn(lane, at);
    const scope = new Set([last, next].filter(Boolean).flatMap((id) => execution.calls(execution.step(id).call)));
    const known = execution.private[lane].map((v) => ({ v, text: v.values.at(at), since: v.values.since(at) }))
      .filter(({ v, text }) => text !== undefined && text >= 0 && scope.has(v.call)).sort((a, b) => b.since - a.since);
    const twice = new Set(known.map(({ v }) => v.name).filter((name, i, all) => all.indexOf(name) !== i));
    return el("section", { "aria-label": "Private variables" },
      el("div", { class: "state-head" }, el("h3", {}, "Private variables"), el("span", { class: "muted" }, execution.lanes[lane].name)),
      known.length === 0 ? el("p", { class: "muted empty" }, "None is known here.")
        : el("table", { class: "private" }, el("tbody", {}, known.slice(0, maxRows).map(({ v, text, since }) => el("tr", { class: since === at && at > 0 ? "changed" : null },
          el("th", { scope: "row" }, el("code", {}, v.name), twice.has(v.name) && el("span", { class: "muted" }, ` line ${v.line}`)),
          el("td", {}, el("b", {}, execution.text(text))), el("td", {}, since > 0 && app.link(since, "small")))))));
  }
}
