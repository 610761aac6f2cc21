// Rows are what is shown below each other: a step, a group's passing a barrier, or steps that
// are not shown.

// Rows are those of an execution of which some lanes are shown, and, if there is a slice,
// only its steps.
export class Rows {
  constructor(execution, lanes, slice) {
    this.list = [];
    this.of = new Int32Array(execution.size + 1);
    for (let id = 1; id <= execution.size;) {
      const row = rowAt(execution, lanes, slice, id);
      this.of.fill(this.list.length, id, row.to + 1);
      this.list.push(row);
      id = row.to + 1;
    }
  }

  // beside returns the step to go to from a step, up or down, over what is not shown.
  beside(id, down) {
    let i = id === 0 ? -1 : this.of[id];
    do i += down ? 1 : -1; while (this.list[i]?.kind === "fold");
    if (this.list[i]) return this.list[i].to;
    return down ? id : 0;
  }
}

function rowAt(execution, lanes, slice, id) {
  const barrier = passed(execution, slice, id);
  if (barrier) return { kind: "band", from: id, to: barrier.departures.at(-1), barrier };
  const why = hidden(execution, lanes, slice, id);
  if (!why) return { kind: "step", from: id, to: id, lane: execution.laneOf(id) };
  let to = id;
  while (to < execution.size && !passed(execution, slice, to + 1) && hidden(execution, lanes, slice, to + 1) === why) to++;
  return { kind: "fold", from: id, to, why };
}

// passed returns the barrier whose being passed begins with a step, if that is shown.
function passed(execution, slice, id) {
  const barrier = execution.barrierAt.get(id);
  return barrier && (!slice || barrier.departures.some((d) => slice.has(d))) ? barrier : undefined;
}

// hidden says why a step is not shown.
function hidden(execution, lanes, slice, id) {
  if (slice && !slice.has(id)) return "slice";
  return lanes.has(execution.laneOf(id)) ? "" : "lanes";
}
