package explore

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Waits for a write of a unit that need not run. OpenCL does not promise that a work-group ever runs while another one waits, nor a
// work-item beside others of its sub-group (rule 11.8). So an execution that ends if all units are scheduled need not end on a device. That changes no
// verdict. It is noted for executions in which each unit reads what is newest; a few of them are performed one after the other.

// Await is a wait of a work-item for a write of another one which nothing obliges to run.
type Await struct {
	Who  string // who waits
	At   ir.Pos // where
	For  string // whose write ends the wait,
	Near bool   // in the same sub-group;
	Of   string // else of which kernel,
	In   int    // and which work-group of it
	Far  bool   // of another kernel-instance than who waits
}

// Bounds on the executions that are performed to find waits, in steps: of all, beside a share of those of the search, of one, and of a round.
const (
	awaitSteps   = 1 << 12
	awaitShare   = 4
	awaitOne     = 1 << 11
	awaitBytes   = 1 << 12 // of a state, which count as a step
	awaitRound   = 64
	awaitFirsts  = 24 // units that come first in an execution
	awaitRandom  = 16
	maxAwaits    = 8
	awaitOnwards = 0.75 // how likely a unit is to go on in a random execution
)

// awaits are the executions that are performed to find waits.
// docs/exploration/waiting.md, "Waits that nothing ends for certain".
type awaits struct {
	m     *state.Machine    // performs them
	por   por.Reducer       // tells what comes round
	left  int               // steps that may still be taken
	rand  *rand.Rand        // draws who is next, and what is chosen
	units memmodel.Unit     // the most that have been there
	cast  *state.Cast       // who is there
	multi bool              // so are work-items of several work-groups at a time, or were
	next  state.State       // scratch space: of a round, where it has come to,
	was   state.State       // and where it began;
	turn  state.State       // and what an execution has come to before its last step
	had   map[awaitKey]bool // the waits that are found
	round []int             // by which instructions the last round of waiting has come
	moves []Move            // of the execution that is performed
	laps  []Move            // of the unit that was last seen to wait, until it was back
	lap   int               // where in these its last round begins
	shown []lassoOf         // of the waits for other work-groups: how they go on for ever, unless somebody of the own one ends them
	found []Await           // what is to be told
	out   []state.Choice    // scratch space: outcomes
	canon memmodel.Canon    // scratch space: what is over is forgotten, or each step would take longer than the one before
	ctx   context.Context   // how long there is time
}

// awaited finds waits of work-items for writes that nothing obliges others to make. Who asks whether executions end is told of them by the answer.
func (s *search) awaited() {
	r := s.result
	waits := s.opt.POR != por.DPOR || s.stats.Saved.Waits > 0 || slices.Contains(s.m.Goes, true)
	r.Awaits, r.Between = nil, nil
	if s.opt.NoAwaits || s.opt.Liveness != nil || !s.m.Loops || len(r.Violations) > 0 && r.Verdict == Violated || s.ctx.Err() != nil || !waits && !s.cyclic {
		return
	}
	a := s.waitsOf()
	if waits {
		a.performAll()
	} else {
		a.inTurns()
	}
	r.Awaits = a.found
	if a.multi {
		s.scheduled(a.shown)
	}
}

// waitsOf returns what finds waits, and has found none yet.
func (s *search) waitsOf() *awaits {
	m := state.Knowing(s.m.Facts)
	m.HaltWith(s.m)
	return &awaits{m: m, por: por.Reducer{Mode: por.None, Machine: m}, left: awaitSteps + s.stats.Steps/awaitShare, rand: rand.New(rand.NewPCG(1, 1)), had: map[awaitKey]bool{}, ctx: s.ctx}
}

// performAll performs executions: in turns, one after the other, the last ones first, each one before the others, and at random.
func (a *awaits) performAll() {
	last := a.inTurns()
	a.perform(func(ready []memmodel.Unit) memmodel.Unit { return ready[0] })
	a.perform(func(ready []memmodel.Unit) memmodel.Unit { return ready[len(ready)-1] })
	for first := range min(a.units, awaitFirsts) {
		a.perform(func(ready []memmodel.Unit) memmodel.Unit { return nextAfter(ready, first-1) })
	}
	for range awaitRandom {
		a.perform(func(ready []memmodel.Unit) memmodel.Unit {
			if !slices.Contains(ready, last) || a.rand.Float64() > awaitOnwards {
				last = ready[a.rand.IntN(len(ready))]
			}
			return last
		})
	}
}

// inTurns performs the execution in which units take steps in turns, and returns who took the last one.
func (a *awaits) inTurns() memmodel.Unit {
	last := memmodel.Unit(-1)
	a.perform(func(ready []memmodel.Unit) memmodel.Unit {
		last = nextAfter(ready, last)
		return last
	})
	return last
}

// nextAfter returns the first unit of a list that comes after another one, or the first of all.
func nextAfter(ready []memmodel.Unit, u memmodel.Unit) memmodel.Unit {
	return ready[max(0, slices.IndexFunc(ready, func(v memmodel.Unit) bool { return v > u }))]
}

// perform performs an execution in which each unit reads what is newest, and a unit that waits takes no step. Function choose says which
// unit takes the next step.
func (a *awaits) perform(choose func(ready []memmodel.Unit) memmodel.Unit) {
	n := a.m.Start(nil)
	a.moves = a.moves[:0]
	var ready []memmodel.Unit
	for range awaitOne {
		if a.left <= 0 || a.ctx.Err() != nil || len(a.found) >= maxAwaits || n.Abandoned || n.Violation.Kind != state.NoViolation || n.MessageBoundHit != state.NoLimit {
			return
		}
		a.meets(n.Cast)
		ready = ready[:0]
		for u := range n.Cast.Count() {
			if a.choice(n, u) && !a.waits(n, u) {
				ready = append(ready, u)
			}
		}
		if len(ready) == 0 {
			return
		}
		u := choose(ready)
		a.choice(n, u)
		c := a.out[a.rand.IntN(len(a.out))]
		a.turn.CopyFrom(n)
		a.pay(n)
		a.m.Try(n, u, c)
		if n.Cast == a.turn.Cast && !n.Abandoned {
			a.ends(&a.turn, n, u)
		}
		a.moves = append(a.moves, Move{u, c})
		a.m.Normalise(&a.canon, n)
	}
}

// meets takes note of who is there.
func (a *awaits) meets(c *state.Cast) {
	if a.cast == c || a.multi {
		a.units = max(a.units, c.Count())
		return
	}
	a.cast, a.units = c, max(a.units, c.Count())
	items := slices.DeleteFunc(slices.Clone(c.Units), func(r state.Role) bool { return r.Func < 0 || r.Place.Host })
	a.multi = slices.ContainsFunc(items, func(r state.Role) bool { return !r.Place.SameGroup(items[0].Place) })
}

// pay counts a step from a state, and with it that the state was copied.
func (a *awaits) pay(n *state.State) {
	a.left -= 1 + (n.Mem.Size()+64*int(n.Cast.Count()))/awaitBytes
}

// choice reports whether a unit can take a step, and lists its outcomes: of what reads only that with the newest message.
func (a *awaits) choice(n *state.State, u memmodel.Unit) bool {
	a.out = a.m.Choices(n, u, a.out[:0])
	if n.Status(u) == state.Ready && n.Cast.Units[u].Func >= 0 && a.m.Operation(n, u).Instr.Op.Access() {
		a.out = slices.DeleteFunc(a.out, func(c state.Choice) bool { return !newest(c) })
		a.out = a.out[:min(len(a.out), 1)]
	}
	return len(a.out) > 0
}

// waits reports whether a unit, if it goes on alone, comes back to where it is, and has changed nothing:
// for as long as it runs and nobody else does (rule 11.8), it waits.
func (a *awaits) waits(n *state.State, u memmodel.Unit) bool {
	if n.Status(u) != state.Ready || a.m.Reading(n, u) < 0 || !a.por.ComesBack(n, u) {
		return false
	}
	a.round, a.laps, a.lap = a.round[:0], a.laps[:0], 0
	next, before := &a.next, &a.was
	next.CopyFrom(n)
	before.CopyFrom(n)
	for range awaitRound {
		a.round = append(a.round, next.PC(u))
		if a.ctx.Err() != nil || !a.looks(next, u) || !next.Quiet(before, u) {
			return false
		}
		if next.PC(u) == n.PC(u) {
			if next.Repeats(before, u) {
				return true
			}
			before.CopyFrom(next) // what the first round has left in registers nobody may need
			a.lap = len(a.laps)
		}
	}
	return false
}

// looks performs the next step of a unit if that changes nothing, and reports whether it did. Who reads what nobody has written does not wait.
func (a *awaits) looks(n *state.State, u memmodel.Unit) bool {
	a.pay(n)
	in := a.m.Operation(n, u).Instr
	x := a.m.Reading(n, u)
	if in.Op != ir.OpFence && in.Op != ir.OpLoad && x < 0 || !a.choice(n, u) {
		return false
	}
	if x >= 0 && n.Mem.Messages(x) == 0 {
		return false
	}
	var was int64
	if x >= 0 {
		was = n.Mem.Value(x, 0)
	}
	cast := n.Cast
	a.laps = append(a.laps, Move{u, a.out[0]})
	a.m.Try(n, u, a.out[0])
	return !n.Abandoned && n.Cast == cast && (x < 0 || n.Mem.Value(x, 0) == was)
}

// ends notes whose wait a step of a unit has ended.
func (a *awaits) ends(before, after *state.State, by memmodel.Unit) {
	if q := &before.Cast.Units[by]; q.Func < 0 || q.Place.Host {
		return // a command, or the host, which goes on
	}
	if in := a.m.Operation(before, by).Instr; !in.Op.Access() || in.Op == ir.OpLoad || in.Order == memmodel.NonAtomic {
		return
	}
	for u := range before.Cast.Count() {
		if !a.free(before, u, by) || a.had[awaitOf(before, u, by, before.PC(u))] {
			continue
		}
		if a.waits(before, u) {
			round := slices.Clone(a.round)
			if a.waits(after, u) {
				continue
			}
			a.round = round
			if a.note(before, u, by); !a.found[len(a.found)-1].Near {
				a.show(before, u)
			}
		}
	}
}

// lassoOf is an execution whose last moves, from one on, are repeated for ever.
type lassoOf struct {
	moves []Move // from the start on
	loop  int    // the first that is repeated
}

// show takes note of the execution in which unit u, which waits at n, goes on so for ever, and the host and commands go on as far as they can. The rounds come
// twice: in the first one u sees what is newest. No step of this is paid for.
func (a *awaits) show(n *state.State, u memmodel.Unit) {
	defer func(left int) { a.left = left }(a.left)
	at, who := &state.State{}, n.Cast.Units[u].ID
	at.CopyFrom(n)
	moves := slices.Clone(a.moves)
	for range awaitRound {
		v := memmodel.Unit(0)
		for v < at.Cast.Count() && (at.Cast.Units[v].Func >= 0 && !at.Cast.Units[v].Place.Host || !a.choice(at, v)) {
			v++
		}
		if v == at.Cast.Count() {
			break
		}
		moves = append(moves, Move{v, a.out[0]})
		a.m.Try(at, v, a.out[0])
	}
	if u = at.Cast.Find(who); u >= 0 && !at.Abandoned && a.waits(at, u) {
		moves = append(moves, a.laps...)
		a.shown = append(a.shown, lassoOf{append(moves, a.laps[a.lap:]...), len(moves)})
	}
}

// awaitKey tells waits apart: by who goes round where, and whether another work-item of the sub-group ends that.
type awaitKey struct {
	fn, pc int  // where one goes round
	near   bool // for one of the sub-group
}

func awaitOf(n *state.State, u, by memmodel.Unit, pc int) awaitKey {
	p := &n.Cast.Units[u]
	return awaitKey{p.Func, pc, p.Place.SameGroup(n.Cast.Units[by].Place)}
}

// free reports whether a unit need not run while another one, u, waits (rule 11.8). That is so for a work-item of another work-group. It is
// so for one of u's sub-group, unless it makes the write in the loop in which u waits: in lockstep it comes by there.
func (a *awaits) free(n *state.State, u, by memmodel.Unit) bool {
	p, q := &n.Cast.Units[u], &n.Cast.Units[by]
	switch {
	case u == by || p.Func < 0 || p.Place.Host || n.Status(u) != state.Ready:
		return false
	case !p.Place.SameGroup(q.Place):
		return true
	case p.Place.Sub != q.Place.Sub || p.Place.Copies():
		return false
	}
	return p.Func != q.Func || !a.inLoop(p.Func, n.PC(u), n.PC(by))
}

// inLoop reports whether code leads from one instruction to another one and back.
func (a *awaits) inLoop(fn, pc, other int) bool {
	f := a.m.Program.Funcs[fn]
	leads := func(from, to int) bool { return f.Flow().Reach(len(f.Code), from, nil)[to] }
	return leads(pc, other) && leads(other, pc)
}

// note adds a wait to those that are found.
func (a *awaits) note(n *state.State, u, by memmodel.Unit) {
	for _, pc := range a.round {
		a.had[awaitOf(n, u, by, pc)] = true
	}
	p, q := &n.Cast.Units[u], &n.Cast.Units[by]
	program := a.m.Program
	a.found = append(a.found, Await{
		Who: p.Name, At: program.Positions[program.Funcs[p.Func].Code[n.PC(u)].Pos], For: q.Name, Near: p.Place.SameGroup(q.Place),
		Of: program.Funcs[q.Func].Name, In: int(q.Place.Group), Far: p.Place.Kernel != q.Place.Kernel || p.Place.Device != q.Place.Device,
	})
}
