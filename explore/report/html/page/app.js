import { byId, el } from "./dom.js";
import { Execution } from "./execution.js";
import { Lanes } from "./lanes.js";
import { Rows } from "./rows.js";
import { Source } from "./source.js";
import { State } from "./state.js";

// What is looked at: an execution, a step of it, and what is shown of them. It is in the
// page's address, so that a link leads to it.

const zooms = [0.5, 0.65, 0.8, 1, 1.25, 1.6, 2];

class App {
  constructor(document_) {
    this.document = document_;
    this.executions = [];
    this.relations = new Set(["rf", "mo", "sw"]);
    this.regions = new Set(["global", "local", "image"]);
    this.zoomAt = 3;
    this.allLanes = false;
    this.sliced = false;
    this.current = -1;
    this.step = 0;
    byId("explorer").hidden = false;
    this.source = new Source(document_.files ?? [], (file, line) => this.toLine(file, line));
    this.lanesView = new Lanes(this);
    this.state = new State(this);
    this.listen();
    this.follow();
    new ResizeObserver(() => this.lay()).observe(byId("lanes-view"));
  }

  get zoom() {
    return zooms[this.zoomAt];
  }

  get execution() {
    return this.executions[this.current];
  }

  // open shows an execution, at a step or at what is wrong with it.
  open(index, step) {
    const data = this.document.executions[index];
    this.executions[index] ??= new Execution(data);
    this.current = index;
    const { execution } = this;
    this.faults = new Set(data.accesses);
    this.waits = new Set(data.waits);
    this.slice = data.slice ? new Set(data.slice) : null;
    for (const article of document.querySelectorAll("article.finding")) article.hidden = article.id !== `finding-${index + 1}` && index < this.document.violations;
    for (const a of document.querySelectorAll("[data-violation]")) {
      if (Number(a.dataset.violation) === index + 1) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
    for (const b of document.querySelectorAll("[data-relation]:not(path)")) b.hidden = !execution.related(b.dataset.relation);
    byId("slice").hidden = !this.slice;
    byId("all").hidden = data.cast.length >= new Set(data.steps.lane).size;
    const regions = execution.regions();
    for (const b of document.querySelectorAll("[data-region]")) b.hidden = !regions.has(b.dataset.region) || regions.size < 2;
    byId("slider").max = String(execution.size);
    byId("fault").hidden = index >= this.document.violations || data.focus === 0;
    const outcome = this.document.outcomes.indexOf(index) + 1;
    byId("explorer-title").textContent = outcome > 0 ? `Execution, outcome ${outcome}` : "Execution";
    for (const b of document.querySelectorAll("[data-outcome]")) b.setAttribute("aria-pressed", Number(b.dataset.outcome) === outcome ? "true" : "false");
    this.state.lane = -1;
    this.state.location = -1;
    this.sliced = Boolean(this.slice) && !this.document.full;
    this.step = Math.min(Math.max(step ?? data.focus, 0), execution.size);
    this.arrange();
  }

  // arrange finds the rows and columns anew.
  arrange() {
    const { execution } = this;
    const { steps, ...first } = this.document.executions[this.current];
    const cast = this.sliced ? first.cast : first.whole;
    const acting = [...new Set(steps.lane ?? [])].sort((a, b) => a - b);
    this.lanes = this.allLanes || cast.length === 0 ? acting : cast;
    this.rows = new Rows(execution, new Set(this.lanes), this.sliced ? this.slice : null);
    this.press();
    this.lay();
    this.show();
  }

  lay() {
    if (!this.rows) return;
    this.lanesView.layOut();
    this.lanesView.draw();
  }

  // press shows which toggles are on.
  press() {
    const set = (b, on) => b.setAttribute("aria-pressed", on ? "true" : "false");
    for (const b of document.querySelectorAll("[data-relation]:not(path)")) set(b, this.relations.has(b.dataset.relation));
    for (const b of document.querySelectorAll("[data-region]")) set(b, this.regions.has(b.dataset.region));
    set(byId("slice"), this.sliced);
    set(byId("all"), this.allLanes);
  }

  // go goes to a step.
  go(step) {
    this.step = Math.min(Math.max(step, 0), this.execution.size);
    this.show();
  }

  // loop is the first and the last step of what is repeated for ever, if something is.
  get loop() {
    return this.document.executions[this.current].loop;
  }

  // onward goes to the next step; behind the last one of what is repeated for ever that is its first.
  onward() {
    const { loop, step } = this;
    this.go(loop && step >= loop[1] ? loop[0] : this.rows.beside(step, true));
  }

  show() {
    const { execution, step } = this;
    this.lanesView.reveal(step);
    this.lanesView.draw();
    this.source.show(execution, step, this.lanes);
    this.state.draw();
    const s = execution.step(step);
    const within = this.loop && step >= this.loop[0] && step <= this.loop[1];
    byId("where").textContent = `step ${step} of ${execution.size}${within ? ", again and again" : ""}`;
    byId("slider").value = String(step);
    byId("slider").setAttribute("aria-valuetext", `step ${step} of ${execution.size}`);
    byId("back").disabled = byId("first").disabled = step === 0;
    byId("forward").disabled = byId("last").disabled = step === execution.size;
    if (this.loop) byId("forward").disabled = false;
    byId("said").textContent = s ? this.describe(s) : "Before the first step";
    this.remember();
  }

  // describe says what a step is, for those who listen.
  describe(s) {
    const line = s.line > 0 ? `, line ${s.line}` : "";
    return `Step ${s.id}, ${this.execution.lanes[s.lane].name}${line}: ${s.brief}${this.faults.has(s.id) ? ", at fault" : ""}`;
  }

  inSlice(id) {
    return this.slice?.has(id) ?? false;
  }

  // shows tells whether a relation is to be drawn.
  shows(edge) {
    if (edge.relation === "race" || edge.relation === "early") return true;
    if (this.execution.races(edge)) return false; // "race" says enough
    return this.relations.has(edge.relation) && (edge.regions.length === 0 || edge.regions.some((r) => this.regions.has(r)));
  }

  // say is what an arrow says.
  say(edge) {
    const words = { rf: "reads from", mo: "follows in modification order", sw: "synchronises with", command: "comes after, by commands,", early: "performs what was visible since", race: "races with" };
    return `step ${edge.to} ${words[edge.relation]} step ${edge.from}`;
  }

  verb(edge) {
    return { rf: "reads from", mo: "follows in modification order", sw: "synchronises with", command: "comes after", early: "made visible what is performed in", race: "races with" }[edge.relation];
  }

  about(edge) {
    if (edge.relation === "sw") return ` (${edge.regions[0]} memory)`;
    return edge.relation === "command" ? " by order of commands" : "";
  }

  link(id, size = "") {
    return el("button", { type: "button", class: `jump ${size}`, onclick: () => this.go(id) }, size ? `#${id}` : `step ${id}`);
  }

  // toLine goes to the next step at a line of the source, after the present one if there is any.
  toLine(file, line) {
    const { steps } = this.execution.data;
    const n = this.execution.size;
    for (let k = 1; k <= n; k++) {
      const id = ((this.step - 1 + k + n) % n) + 1;
      if (steps.line[id - 1] === line && steps.file[id - 1] === file) {
        this.go(id);
        return;
      }
    }
  }

  unfold(why) {
    if (why === "slice") this.sliced = false;
    else this.allLanes = true;
    this.arrange();
  }

  zoomTo(at) {
    this.zoomAt = Math.min(Math.max(at, 0), zooms.length - 1);
    this.lay();
    this.lanesView.reveal(this.step);
  }

  // fault goes to the steps at fault, in turn.
  fault() {
    const { accesses, focus } = this.document.executions[this.current];
    const all = accesses.length > 0 ? accesses : [focus];
    const next = all.indexOf(this.step) + 1;
    this.go(all[next % all.length]);
  }

  turn(by) {
    const n = this.document.violations;
    if (n > 0) this.open((this.current + by + n) % n);
  }

  toggle(set, key) {
    if (!set.delete(key)) set.add(key);
    this.press();
    this.lanesView.draw();
    this.state.draw();
  }

  listen() {
    const click = (id, f) => byId(id).addEventListener("click", f);
    click("first", () => this.go(0));
    click("last", () => this.go(this.execution.size));
    click("back", () => this.go(this.rows.beside(this.step, false)));
    click("forward", () => this.onward());
    click("fault", () => this.fault());
    click("slice", () => this.keys.x());
    click("all", () => this.keys.a());
    click("smaller", () => this.zoomTo(this.zoomAt - 1));
    click("larger", () => this.zoomTo(this.zoomAt + 1));
    click("help", () => byId("keys").showModal());
    byId("slider").addEventListener("input", (e) => this.go(Number(e.target.value)));
    document.addEventListener("click", (e) => this.clicked(e.target.closest("[data-step], [data-relation]:not(path), [data-region], [data-outcome]")));
    document.addEventListener("keydown", (e) => this.pressed(e));
    addEventListener("hashchange", () => this.follow());
  }

  clicked(target) {
    if (!target) return;
    const { step, relation, region, outcome } = target.dataset;
    if (relation) this.toggle(this.relations, relation);
    else if (region) this.toggle(this.regions, region);
    else if (outcome) {
      this.open(this.document.outcomes[Number(outcome) - 1]);
      byId("explorer").scrollIntoView();
    } else {
      const shown = target.closest("article");
      if (shown && shown.id !== `finding-${this.current + 1}`) this.open(Number(shown.id.slice("finding-".length)) - 1);
      this.go(Number(step));
      byId("explorer").scrollIntoView({ block: "nearest" });
    }
  }

  get keys() {
    const relation = (key) => () => this.toggle(this.relations, key);
    const region = (key) => () => this.toggle(this.regions, key);
    return {
      ArrowLeft: () => this.go(this.rows.beside(this.step, false)),
      ArrowRight: () => this.onward(),
      Home: () => this.go(0),
      End: () => this.go(this.execution.size),
      k: () => this.go(this.rows.beside(this.step, false)),
      j: () => this.onward(),
      f: () => this.fault(),
      n: () => this.turn(1),
      p: () => this.turn(-1),
      r: relation("rf"), m: relation("mo"), s: relation("sw"), c: relation("command"),
      g: region("global"), l: region("local"), i: region("image"),
      x: () => { if (this.slice) { this.sliced = !this.sliced; this.arrange(); } },
      a: () => { this.allLanes = !this.allLanes; this.arrange(); },
      "+": () => this.zoomTo(this.zoomAt + 1),
      "=": () => this.zoomTo(this.zoomAt + 1),
      "-": () => this.zoomTo(this.zoomAt - 1),
      0: () => this.zoomTo(3),
      "?": () => byId("keys").showModal(),
    };
  }

  pressed(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open || e.target.closest("select, input, textarea")) return;
    let action = this.keys[e.key];
    const within = byId("lanes-view") === e.target;
    if (within && e.key === "ArrowDown") action = this.keys.j;
    if (within && e.key === "ArrowUp") action = this.keys.k;
    if (e.shiftKey && (e.key === "ArrowLeft" || e.key === "ArrowRight")) action = () => this.alongLane(e.key === "ArrowRight");
    if (!action) return;
    e.preventDefault();
    action();
  }

  // alongLane goes to the next step of the lane of the present one.
  alongLane(down) {
    const lane = this.execution.step(this.step)?.lane ?? this.lanes[0];
    const next = down ? this.execution.nextIn(lane, this.step) : this.execution.lastIn(lane, this.step - 1);
    if (next > 0) this.go(next);
  }

  // follow goes where the page's address says: #step=12, #violation=2&step=12.
  follow() {
    if (location.hash === this.address) return;
    const at = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (/^\d+$/.test(at.get(name) ?? "") ? Number(at.get(name)) : undefined);
    const last = this.document.executions.length;
    const outcome = number("outcome");
    const index = outcome === undefined ? (number("violation") ?? 1) - 1 : this.document.outcomes[outcome - 1] ?? -1;
    if (index < 0 || index >= last) return;
    if (index !== this.current || number("step") === undefined) this.open(index, number("step"));
    else this.go(number("step"));
  }

  // remember puts what is looked at into the page's address.
  remember() {
    const outcome = this.document.outcomes.indexOf(this.current) + 1;
    const which = outcome > 0 ? `outcome=${outcome}&` : this.current > 0 ? `violation=${this.current + 1}&` : "";
    this.address = `#${which}step=${this.step}`;
    try {
      history.replaceState(null, "", this.address);
    } catch {
      // a page that is shown within another may not have an address of its own
    }
  }
}

const data = JSON.parse(byId("data").textContent);
const app = data.executions?.length > 0 ? new App(data) : null;
