package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Collective describes a collective function.
type Collective struct {
	Group    ir.Group
	Alu      ir.Alu // And and Or combine truth values
	SubGroup bool
	From     Val // who broadcasts
}

// Collect is a collective function; site names the call. The result is observed.
func (t *Thread) Collect(site string, x Val, c Collective) Val {
	in := ir.Instr{Op: ir.OpCollective, Group: c.Group, Alu: c.Alu, Type: ir.I32, SubGroup: c.SubGroup,
		Dst: int32(t.observed()), Str: t.b.str(site), Rounds: around(t.loops), B: int32(x), C: int32(c.From)}
	if c.Alu == ir.And || c.Alu == ir.Or {
		in.Type = ir.Bool
	}
	t.emit(in)
	return Val(in.Dst)
}

// meeting is a barrier or collective that all threads come to.
type meeting struct {
	Collective
	barrier bool
	site    string
	flags   memmodel.Flags
	scope   memmodel.Scope
}

// collectives draws threads of one work-group, mostly, with a few accesses
// before, between and after barriers and collectives.
func (g *gen) collectives() {
	d := &drawing{gen: g, profile: baseProfile()}
	d.oneGroup, d.subGroups, d.fence = g.chance(0.85), g.chance(0.5), 0.15
	if d.subGroups {
		d.scopes = scopes{subGroup, workGroup}
	}
	if g.chance(0.6) {
		d.scopes = scopes{pick(g, d.scopes...)}
	}
	d.variables()
	var meetings []meeting
	for i := range pick(g, 1, 1, 2) {
		meetings = append(meetings, d.meeting(string("BC"[i])))
	}
	if d.image = g.chance(0.3); d.image {
		v := Var{Name: "i", Region: memmodel.Image, Plain: true}
		d.data, d.flags = d.b.Var(v), append(d.flags, imageFlag, imageFlag|globalFlag)
	}
	budget := 5
	for range pick(g, 2, 2, 3) {
		d.passes(d.b.Thread(d.place()), meetings, &budget)
	}
}

func (d *drawing) meeting(site string) meeting {
	m := meeting{site: site, barrier: d.chance(0.2), flags: pick(d.gen, 0, globalFlag, localFlag, bothFlags), scope: workGroup}
	if d.image {
		m.flags |= pick(d.gen, 0, imageFlag, imageFlag)
	}
	m.Group = pick(d.gen, ir.GroupBroadcast, ir.GroupReduce, ir.GroupReduce, ir.GroupScanInclusive, ir.GroupScanExclusive)
	m.Alu = pick(d.gen, ir.Add, ir.Add, ir.Min, ir.Max)
	if m.Group == ir.GroupReduce {
		m.Alu = pick(d.gen, ir.Add, ir.Min, ir.Max, ir.And, ir.Or)
	}
	m.SubGroup = d.subGroups && d.chance(0.6)
	return m
}

// passes draws a thread that comes to the meetings, or, rarely, not to all.
func (d *drawing) passes(t *Thread, meetings []meeting, budget *int) {
	var loaded []Val
	steps := func() {
		for range pick(d.gen, 0, 1, 1, 2) {
			switch *budget--; {
			case *budget < 0:
			case d.image && d.chance(0.5):
				loaded = d.texel(t, loaded)
			default:
				loaded = d.step(t, loaded)
			}
		}
	}
	steps()
	for _, m := range meetings {
		if n := len(loaded); n > 0 && d.chance(0.06) {
			t.ExitUnless(loaded[n-1])
		}
		switch {
		case d.chance(0.03): // stays away
		case m.barrier && m.SubGroup:
			t.SubGroupBarrier(m.site, m.flags, m.scope)
		case m.barrier:
			t.Barrier(m.site, m.flags, m.scope)
		default:
			loaded = append(loaded, d.collect(t, m, loaded))
		}
		steps()
	}
}

// texel draws accesses of an image, with or without fences.
func (d *drawing) texel(t *Thread, loaded []Val) []Val {
	if d.chance(0.5) {
		t.Write(d.data, t.Int(1+d.Int64N(2)))
	}
	if d.chance(0.5) {
		t.Fence(pick(d.gen, globalFlag, imageFlag, imageFlag, imageFlag|globalFlag), pick(d.gen, relaxed, acquire, release, acqRel, acqRel, seqCst), workGroup)
	}
	if d.chance(0.6) {
		loaded = append(loaded, t.Read(d.data))
	}
	return loaded
}

// collect draws what a thread passes to a collective. Few values keep the
// combinations that package axiom must try few.
func (d *drawing) collect(t *Thread, m meeting, loaded []Val) Val {
	x := t.Int(d.Int64N(3))
	if n := len(loaded); n > 0 && d.chance(0.6) {
		x = t.Bin(ir.And, loaded[n-1], t.Int(1))
	} else if m.Alu == ir.And || m.Alu == ir.Or {
		x = t.Int(d.Int64N(2))
	}
	m.From = t.Int(0)
	if n := len(loaded); n > 0 && d.chance(0.2) {
		m.From = t.Bin(ir.And, loaded[n-1], t.Int(1)) // perhaps not the same for all, or nobody's
	}
	if d.chance(0.03) {
		m.site += "'"
	}
	return t.Collect(m.site, x, m.Collective)
}
