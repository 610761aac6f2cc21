package trace

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// commands notes what a step did to commands: kernels enqueued, and hosts
// whose clFinish returns.
func (r *replay) commands(before sight, id int) {
	step := r.t.Step(id)
	if step.Kind == Enqueue {
		r.enqueued(id)
	}
	if step.Kind == Spawn {
		r.spawned(before, id)
	}
	for u, lane := range before.of {
		if lane < 0 || !r.lanes[lane].Host {
			continue
		}
		called := before.status[u] == state.Finishing
		if lane == step.Lane && step.Kind == Finish {
			called = true
		}
		if r.at.violation.Fault.Kind != memmodel.NoFault {
			return // the execution means nothing any more
		}
		if now := r.unit(lane); called && (now < 0 || r.s.Status(now) != state.Finishing) {
			r.finished(lane, step)
		}
	}
}

// enqueued notes the kernel-instance that an enqueue has created: the newest
// command of the cast, or, if it has already come and gone, none.
func (r *replay) enqueued(id int) {
	host := r.t.Step(id).Lane
	for u := len(r.s.Cast.Units) - 1; u >= 0; u-- {
		if _, h := r.s.Cast.Command(u); h < 0 || r.of[h] != host {
			continue
		}
		k := int(r.s.Cast.Units[u].Place.Kernel)
		r.enqueue[k] = id
		if q := r.running[host]; len(q) > 0 {
			r.queued[k] = q[len(q)-1]
		}
		r.running[host] = append(r.running[host], k)
		return
	}
}

// spawned notes which lane a host thread that a step has started is.
func (r *replay) spawned(before sight, id int) {
	for _, lane := range r.of {
		if lane >= 0 && r.lanes[lane].Host && !slices.Contains(before.of, lane) {
			r.parent[lane] = id
		}
	}
}

// launched relates the first step of a work-item to what starts its kernel
// (rules 12.1, 12.5, 12.9).
func (r *replay) launched(id int) {
	if from, ok := r.parent[r.t.Step(id).Lane]; ok {
		r.edge(Edge{Relation: CommandOrder, From: from, To: id, Global: true})
		return
	}
	k := r.lanes[r.t.Step(id).Lane].Kernel
	from, ok := r.enqueue[k]
	if !ok || r.lanes[r.t.Step(id).Lane].Host {
		return
	}
	r.edge(Edge{Relation: CommandOrder, From: from, To: id, Global: true})
	if before, ok := r.queued[k]; ok {
		r.completed(before, id)
	}
}

// completed relates the end of a kernel-instance to what waited for it.
func (r *replay) completed(kernel, id int) {
	for lane := range r.lanes {
		if l := &r.lanes[lane]; !l.Host && l.Kernel == kernel && r.last[lane] > 0 {
			r.edge(Edge{Relation: CommandOrder, From: r.last[lane], To: id, Global: true})
		}
	}
}

// finished records that a host's clFinish returns (rule 12.8).
func (r *replay) finished(lane int, now *Step) {
	to := now.ID
	if now.Lane != lane {
		call := r.t.Step(r.last[lane])
		to = r.add(Step{Lane: lane, Move: now.Move, Pos: call.Pos, Kind: Return, Op: "clFinish returns", Brief: "clFinish returns"},
			call.instr, call.unit).ID
	}
	for _, k := range r.running[lane] {
		r.completed(k, to)
	}
	r.running[lane] = nil
}
