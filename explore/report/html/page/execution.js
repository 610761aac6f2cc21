import { lastUpTo } from "./dom.js";

// An execution, and what held after each of its steps. Nothing is played: whatever is
// asked for is looked up at the step, so that any step is as near as the next.

// Timeline is a value that changes at steps.
class Timeline {
  constructor() {
    this.steps = [];
    this.values = [];
  }

  set(step, value) {
    const last = this.steps.length - 1;
    if (last >= 0 && this.steps[last] === step) {
      this.values[last] = value;
      return;
    }
    this.steps.push(step);
    this.values.push(value);
  }

  // at returns the value after a step, undefined before the first.
  at(step) {
    return this.values[lastUpTo(this.steps, step)];
  }

  // since returns the step at which the value after a step was set, or -1.
  since(step) {
    const i = lastUpTo(this.steps, step);
    return i < 0 ? -1 : this.steps[i];
  }
}

const globalBit = 1;
const localBit = 2;

export class Execution {
  constructor(data) {
    this.data = data;
    this.lanes = data.lanes ?? [];
    this.memory = data.memory ?? [];
    this.barriers = data.barriers ?? [];
    this.size = data.steps.lane?.length ?? 0;
    this.ofLane = this.lanes.map(() => []);
    for (let id = 1; id <= this.size; id++) this.ofLane[data.steps.lane[id - 1]].push(id);
    this.positions = this.memory.map((l) => new Map(l.order.map((step, i) => [step, i])));
    this.newest = this.memory.map((l) => newest(l.order));
    this.views = new Map();
    this.sights = new Map();
    for (let i = 0; i < data.sights.length; i += 3) {
      const [step, list, entry] = data.sights.slice(i, i + 3);
      const known = this.sights.get(step) ?? [];
      known.push([list, entry]);
      this.sights.set(step, known);
    }
    this.private = privateVariables(data);
    this.barrierAt = new Map(this.barriers.map((b) => [b.departures[0], b]));
    this.passed = new Map(this.barriers.flatMap((b) => b.departures.map((id) => [id, b])));
    this.relate();
  }

  text(i) {
    return i < 0 ? "" : this.data.strings[i];
  }

  // step returns what is known of a step, undefined if there is none.
  step(id) {
    if (id < 1 || id > this.size) return undefined;
    const c = this.data.steps;
    const i = id - 1;
    return {
      id, lane: c.lane[i], kind: this.text(c.kind[i]), file: c.file[i], line: c.line[i], col: c.col[i],
      brief: this.text(c.brief[i]), op: this.text(c.op[i]), via: this.text(c.via[i]), loc: c.loc[i],
      reads: c.read[i] >= 0, read: this.text(c.read[i]), from: c.from[i], writes: c.wrote[i] >= 0, wrote: this.text(c.wrote[i]),
      before: c.before[i], early: c.early[i], atomic: c.atomic[i] === 1, call: c.call[i], outcome: this.text(c.outcome[i]),
    };
  }

  laneOf(id) {
    return this.data.steps.lane[id - 1];
  }

  // relate makes the edges, and finds those of each step.
  relate() {
    const { steps, sync, commands, accesses } = this.data;
    this.edges = [];
    this.edgesOf = [];
    for (let i = 0; i < this.size; i++) {
      if (steps.from[i] > 0) this.edge("rf", steps.from[i], i + 1, this.regionOf(steps.loc[i]), steps.loc[i]);
      if (steps.early[i] > 0) this.edge("early", i + 1, steps.early[i], [], steps.loc[i]);
    }
    this.memory.forEach((l, loc) => {
      for (let k = 1; k < l.order.length; k++) {
        if (l.order[k - 1] > 0 && l.order[k] > 0) this.edge("mo", l.order[k - 1], l.order[k], this.regionOf(loc), loc);
      }
    });
    for (let i = 0; i < sync.length; i += 3) {
      if (sync[i + 2] & globalBit) this.edge("sw", sync[i], sync[i + 1], ["global"], -1);
      if (sync[i + 2] & localBit) this.edge("sw", sync[i], sync[i + 1], ["local"], -1);
    }
    for (let i = 0; i < commands.length; i += 2) this.edge("command", commands[i], commands[i + 1], [], -1);
    if (this.data.race) this.edge("race", accesses[0], accesses[1], [], steps.loc[accesses[1] - 1]);
  }

  edge(relation, from, to, regions, loc) {
    const edge = { relation, from, to, regions, loc };
    this.edges.push(edge);
    for (const id of [from, to]) (this.edgesOf[id] ??= []).push(edge);
  }

  // races tells whether a relation connects the two accesses of the race.
  races(edge) {
    const { race, accesses } = this.data;
    return race && edge.from === accesses[0] && edge.to === accesses[1];
  }

  // related tells whether a relation connects steps of two lanes.
  related(relation) {
    return this.edges.some((e) => e.relation === relation && this.laneOf(e.from) !== this.laneOf(e.to));
  }

  regionOf(loc) {
    return loc < 0 ? [] : [this.memory[loc].region];
  }

  // regions lists the regions that the execution's memory is in.
  regions() {
    return new Set(this.memory.map((l) => l.region));
  }

  // valueOf returns the text of what a step, or 0 for nobody, has written to a location.
  valueOf(loc, id) {
    if (id === 0) return this.text(this.memory[loc].initial);
    return this.text(this.data.steps.wrote[id - 1]);
  }

  // order returns the modification order of a location after a step.
  order(loc, id) {
    return this.memory[loc].order.filter((step) => step <= id);
  }

  // latest returns the step whose value comes last in modification order after a step, 0
  // for the initial value, undefined for none.
  latest(loc, id) {
    return this.newest[loc].at(id);
  }

  // view returns by location the timeline of what a lane must see: the step that wrote it.
  view(lane) {
    let view = this.views.get(lane);
    if (!view) {
      view = this.memory.map(() => new Timeline());
      for (const id of this.ofLane[lane]) this.look(view, id);
      this.views.set(lane, view);
    }
    return view;
  }

  look(view, id) {
    const raise = (loc, of, when) => {
      const old = view[loc].at(id);
      const position = this.positions[loc];
      if (position.has(of) && (old === undefined || position.get(of) > position.get(old))) view[loc].set(when, of);
    };
    const learn = (entry) => {
      for (const [list, first] of this.sights.get(id) ?? []) {
        if (first !== entry) continue;
        const l = this.data.lists[list];
        for (let i = 0; i < l.length; i += 2) raise(l[i], l[i + 1], entry ? id - 1 : id);
      }
    };
    learn(1);
    const c = this.data.steps;
    const i = id - 1;
    if (c.loc[i] >= 0 && this.text(c.kind[i]) !== "early") {
      if (c.from[i] >= 0) raise(c.loc[i], c.from[i], id);
      if (c.wrote[i] >= 0) raise(c.loc[i], c.early[i] || id, id);
    }
    learn(0);
  }

  // seen returns what a lane must see of a location after a step: the step that wrote it,
  // and how many have written after that, in modification order.
  seen(lane, loc, id) {
    const latest = this.latest(loc, id);
    if (latest === undefined) return undefined;
    const position = this.positions[loc];
    const of = this.view(lane)[loc].at(id) ?? (position.has(0) ? 0 : undefined);
    const order = this.order(loc, id);
    return { of, behind: of === undefined ? order.length : order.length - 1 - order.indexOf(of) };
  }

  // touched lists the locations that a step accesses or that somebody has accessed by then: first those that the violation is about.
  touched(id) {
    const { accesses, steps } = this.data;
    const about = new Set(accesses.map((a) => steps.loc[a - 1]));
    const first = [], others = [];
    this.memory.forEach((_, loc) => {
      if (this.firstUse(loc) <= id) (about.has(loc) ? first : others).push(loc);
    });
    return [...first, ...others];
  }

  firstUse(loc) {
    if (!this.uses) {
      this.uses = this.memory.map(() => Infinity);
      this.data.steps.loc.forEach((l, i) => {
        if (l >= 0 && this.uses[l] > i + 1) this.uses[l] = i + 1;
      });
    }
    return this.uses[loc];
  }

  // lastIn returns the last step of a lane up to a step, or 0.
  lastIn(lane, id) {
    const i = lastUpTo(this.ofLane[lane], id);
    return i < 0 ? 0 : this.ofLane[lane][i];
  }

  // nextIn returns the step of a lane that comes next, or 0.
  nextIn(lane, id) {
    return this.ofLane[lane][lastUpTo(this.ofLane[lane], id) + 1] ?? 0;
  }

  // calls lists an inlined call and those that it is in.
  calls(call) {
    const out = [call];
    while (call > 0 && out.length < 100) {
      call = this.data.calls[call]?.from ?? 0;
      out.push(call);
    }
    return out;
  }
}

// newest is the timeline of what comes last in a modification order.
function newest(order) {
  const line = new Timeline();
  const positions = new Map(order.map((step, i) => [step, i]));
  let last = -1;
  for (const step of [...order].sort((a, b) => a - b)) {
    if (positions.get(step) > last) {
      last = positions.get(step);
      line.set(step, step);
    }
  }
  return line;
}

// privateVariables are those of each lane, with their timelines.
function privateVariables(data) {
  const lanes = (data.lanes ?? []).map(() => []);
  const all = (data.vars ?? []).map((v) => {
    const variable = { ...v, line: v.line, values: new Timeline() };
    lanes[v.lane].push(variable);
    return variable;
  });
  for (let i = 0; i < data.settings.length; i += 3) {
    const [step, variable, text] = data.settings.slice(i, i + 3);
    all[variable].values.set(step, text);
  }
  return lanes;
}
