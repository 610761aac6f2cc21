package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Inputs that are decided late. An object may be any: nobody knows what it holds at first. What is loaded from it is then one
// of all values of its type, and which one matters only as far as something depends on it. So the load becomes a choice, of one value
// for each way in which all that depends on it can go. What two unknown values are computed to, such as a < b, is unknown again, and
// chosen where it is computed. docs/exploration/late.md argues that each execution with any data has one of these that does the same.

// Late says what came of the inputs that are decided late.
type Late struct {
	// Failed says, at position At, why they cannot be; "" if they can.
	Failed string
	At     int32
	// Exact: the classes of the inputs are all that can matter. Else what was computed of several unknown values was chosen by itself.
	Exact bool
	// Waits: some loop may go on for as long as data say, so that the program with choices may end where the given one never does.
	Waits bool
	// Objects has, by index, the values that tell all classes apart of what an object holds; so Values has for what Func.AnyValue
	// returned, in order.
	Objects map[int][]int64
	Values  [][]int64
}

// Classifier returns values of a type, one for each way in which outcomes can be together, or none if there are more than most or that is not known
// (prove.Classes).
type Classifier func(t ir.Type, list []ir.Outcome, most int) []int64

// anyValue is the number of values of a choice that is still to be decided: any value of its type.
const anyValue = 0

// AnyValue emits a value of a type of which nothing is known.
func (f *Func) AnyValue(t ir.Type) int32 {
	r := f.NewReg("")
	f.prog.anyValues++
	f.Emit(ir.Instr{Op: ir.OpChoose, Type: t, Dst: r, A: f.Constant(anyValue), Str: int32(f.prog.anyValues - 1)})
	return r
}

// AnyObject says that nothing is known of what the object with that index holds at first.
func (p *Program) AnyObject(index int) {
	if p.anyObjects == nil {
		p.anyObjects = map[int]bool{}
	}
	p.anyObjects[index] = true
}

// place is where an instruction is. The end of a block has the index of no instruction.
type place struct {
	f *needingFunc
	b *Block
	i int
}

func (at place) in() *ir.Instr { return &at.b.ins[at.i] }

func (at place) pos() int32 {
	if at.i < len(at.b.ins) {
		return at.in().Pos
	}
	return at.b.pos
}

// node is what a value can be in: a register of a function, with its number, or an object, in no function. Private memory that
// pointers reach is the object -1 of its function.
type node struct {
	f   *needingFunc
	reg int32
}

// source is where an unknown value comes into being.
type source struct {
	at place
	t  ir.Type
}

// group are sources whose classes are told apart together: loads of the same objects.
type group struct {
	t        ir.Type
	objects  map[int]bool
	sources  []*source
	outcomes []ir.Outcome
	sinks    []sink // by outcome
	values   []int64
	seen     map[node]map[string]bool
}

// sink is where something depends on a value.
type sink struct {
	at   place
	cuts bool // the value may be taken for unknown there, once more
}

// deciding finds out what can be decided late, and does so (docs/exploration/late.md, "Inputs that are decided late").
type deciding struct {
	*needing
	Late
	most    int
	tell    Classifier
	unknown map[int]bool       // objects
	cut     map[place]bool     // where unknown values are made of others
	made    map[*ir.Expr]place // where it is computed last
	uses    map[node][]place
	reads   map[node][]place // instructions by the memory that they read
	groups  []*group
	known   map[*needingFunc]*knownItems
	changed bool
}

// decideLate makes choices of what is any. At most so many values are told apart in one place.
func (p *Program) decideLate(most int, tell Classifier) *Late {
	d := &deciding{needing: p.findNeeds(), most: most, tell: tell, unknown: map[int]bool{}, cut: map[place]bool{}, made: map[*ir.Expr]place{}, known: map[*needingFunc]*knownItems{},
		uses: map[node][]place{}, reads: map[node][]place{}}
	for o := range p.anyObjects {
		d.unknown[o] = true
	}
	if d.index(); len(p.Final) > 0 {
		d.Failed = "the outcome is asked for, which each content has its own of"
	}
	for d.changed = true; d.changed && d.Failed == ""; {
		d.changed = false
		d.Exact = true
		d.findSources()
		for _, g := range d.groups {
			if d.trace(g); d.changed || d.Failed != "" {
				break
			}
			if g.values == nil {
				d.classes(g)
			}
			if d.changed || d.Failed != "" {
				break
			}
		}
	}
	if d.Failed == "" {
		d.Waits = d.waits()
		d.result()
		d.rewrite()
	}
	return &d.Late
}

// fail says why nothing can be decided late.
func (d *deciding) fail(at place, why string) {
	if d.Failed == "" {
		d.Failed, d.At = why, at.pos()
	}
}

// each calls do with each instruction and each branch.
func (d *deciding) each(do func(at place)) {
	for _, f := range d.funcs {
		for _, b := range f.blocks {
			for i := range len(b.ins) {
				do(place{f, b, i})
			}
			if b.op == ir.OpBranch {
				do(place{f, b, len(b.ins)})
			}
		}
	}
}

// index notes who uses what.
func (d *deciding) index() {
	d.each(func(at place) {
		if at.i == len(at.b.ins) {
			d.use(at, at.b.cond)
			return
		}
		in := at.in()
		uses(in, func(o *int32) { d.use(at, *o) })
		switch in.Op {
		case ir.OpLoad, ir.OpRMW, ir.OpCmpXchg:
			for _, m := range d.memoryAt(at.f, in.A) {
				d.reads[m] = append(d.reads[m], at)
			}
		case ir.OpAsyncCopy:
			for _, m := range d.memoryAt(at.f, in.Args[1]) {
				d.reads[m] = append(d.reads[m], at)
			}
		}
	})
}

func (d *deciding) use(at place, o int32) {
	if o >= 0 && !slices.Contains(d.uses[node{at.f, o}], at) {
		d.uses[node{at.f, o}] = append(d.uses[node{at.f, o}], at)
	}
}

// memoryAt lists what may be at an address.
func (d *deciding) memoryAt(f *needingFunc, addr int32) (list []node) {
	if a, known := f.Known(addr); known {
		if a&ir.SegMask == ir.SegPrivate {
			return []node{{f, -1}}
		}
		f.constantPointsTo(a, false).each(func(i int32) { list = append(list, node{nil, i - 1}) })
		return list
	}
	set := f.sets[addr]
	if set.empty() {
		set = f.all
	}
	set.each(func(i int32) {
		if i == inPrivate {
			list = append(list, node{f, -1})
		} else {
			list = append(list, node{nil, i - 1})
		}
	})
	return list
}

// isUnknown reports whether nothing is known of a piece of memory.
func (d *deciding) isUnknown(m node) bool { return m.f == nil && d.unknown[int(m.reg)] }

// forget takes a piece of memory for unknown from now on, as what is written to it in a place is.
func (d *deciding) forget(m node, at place) {
	switch {
	case m.f != nil:
		d.fail(at, "private memory comes to hold what is not known")
	case !d.unknown[int(m.reg)]:
		d.unknown[int(m.reg)], d.changed = true, true
	}
}

// findSources lists where unknown values come from, and puts together those that are loaded from the same objects.
func (d *deciding) findSources() {
	d.groups = nil
	byObject := map[node]*group{}
	d.each(func(at place) {
		if at.i == len(at.b.ins) {
			return
		}
		in := at.in()
		var from []node
		switch in.Op {
		case ir.OpLoad, ir.OpRMW, ir.OpCmpXchg:
			from = d.unknownAt(at.f, in.A)
		case ir.OpAsyncCopy:
			if len(d.unknownAt(at.f, in.Args[1])) > 0 {
				for _, m := range d.memoryAt(at.f, in.Args[0]) {
					d.forget(m, at)
				}
			}
		}
		switch {
		case in.Op == ir.OpCmpXchg && len(from) > 0:
			d.fail(at, "a compare-exchange compares with what is not known")
		case isAnyValue(at.f, in), d.cut[at] && in.Dst >= 0, len(from) > 0 && in.Dst >= 0:
			d.add(byObject, at, from)
		}
		if in.Op == ir.OpRMW && len(from) > 0 && in.Alu != ir.Xchg {
			d.Exact = false
		}
	})
}

// unknownAt lists the memory at an address of which nothing is known.
func (d *deciding) unknownAt(f *needingFunc, addr int32) []node {
	return slices.DeleteFunc(d.memoryAt(f, addr), func(m node) bool { return !d.isUnknown(m) })
}

func isAnyValue(f *needingFunc, in *ir.Instr) bool {
	if in.Op != ir.OpChoose {
		return false
	}
	n, known := f.Known(in.A)
	return known && n == anyValue
}

// add adds a source.
func (d *deciding) add(byObject map[node]*group, at place, from []node) {
	in := at.in()
	t := in.Type
	if in.Op == ir.OpBin && in.Alu >= ir.Eq && in.Alu <= ir.Ge || in.Op == ir.OpUn && in.Alu == ir.Not {
		t = ir.Bool
	}
	var g *group
	for _, m := range from {
		if o := byObject[m]; o != nil && o.t == t && g == nil {
			g = o
		}
	}
	if g == nil {
		g = &group{t: t, objects: map[int]bool{}}
		d.groups = append(d.groups, g)
	}
	for _, m := range from {
		if o := byObject[m]; o != nil && o != g && o.t == t { // one group from now on
			g.sources = append(g.sources, o.sources...)
			for k := range o.objects {
				g.objects[k] = true
			}
			d.groups = slices.DeleteFunc(d.groups, func(x *group) bool { return x == o })
			for k, v := range byObject {
				if v == o {
					byObject[k] = g
				}
			}
		}
		byObject[m] = g
		if m.f == nil {
			g.objects[int(m.reg)] = true
		}
	}
	g.sources = append(g.sources, &source{at: at, t: t})
	if in.Op == ir.OpBin || in.Op == ir.OpUn || in.Op == ir.OpConv || in.Op == ir.OpCollective || d.cut[at] {
		d.Exact = false
	}
}

// classes finds the classes of a group. Where there are too many, what its values are computed to together with others is taken
// for unknown; if nothing is left to be taken so, it cannot be decided.
func (d *deciding) classes(g *group) {
	if len(g.outcomes) == 0 {
		g.values = []int64{0}
		return
	}
	d.guard(g)
	if g.values = d.tell(g.t, g.outcomes, d.most); g.values != nil {
		return
	}
	for i, s := range g.sinks {
		if s.cuts && !g.outcomes[i].Truth {
			d.cutAt(s.at)
		}
	}
	if d.changed {
		return
	}
	for i, s := range g.sinks {
		if !g.outcomes[i].Truth {
			d.fail(s.at, "more values make a difference here than --any-width allows")
			return
		}
	}
	d.fail(g.sources[0].at, "more values make a difference than --any-width allows, or it takes too long to find out")
}

// cutAt takes what is computed in a place for unknown.
func (d *deciding) cutAt(at place) {
	switch in := at.in(); in.Op {
	case ir.OpRMW:
		for _, m := range d.memoryAt(at.f, in.A) {
			d.forget(m, at)
		}
	case ir.OpBin, ir.OpUn, ir.OpConv, ir.OpCollective:
		if !d.cut[at] {
			d.cut[at], d.changed = true, true
		}
	default:
		d.fail(at, "what is not known is used in a way that clmc does not follow")
	}
}

// result notes the classes of inputs.
func (d *deciding) result() {
	d.Objects, d.Values = map[int][]int64{}, make([][]int64, d.p.anyValues)
	merge := func(a, b []int64) []int64 {
		a = append(slices.Clone(a), b...)
		slices.Sort(a)
		return slices.Compact(a)
	}
	for o := range d.p.anyObjects {
		d.Objects[o] = nil
	}
	for o := range d.unknown {
		if !d.p.anyObjects[o] {
			d.Exact = false
		}
	}
	d.Exact = d.Exact && len(d.p.Final) == 0
	for _, g := range d.groups {
		for o := range g.objects {
			if d.p.anyObjects[o] {
				d.Objects[o] = merge(d.Objects[o], g.values)
			}
		}
		for _, s := range g.sources {
			if isAnyValue(s.at.f, s.at.in()) {
				d.Values[s.at.in().Str] = g.values
			}
		}
	}
}

// rewrite makes choices of the sources (docs/exploration/late.md, "Why nothing is lost").
func (d *deciding) rewrite() {
	at := map[*Block]map[int]*group{}
	owner := map[*Block]*needingFunc{}
	for _, g := range d.groups {
		for _, s := range g.sources {
			if at[s.at.b] == nil {
				at[s.at.b] = map[int]*group{}
			}
			at[s.at.b][s.at.i], owner[s.at.b] = g, s.at.f
		}
	}
	for b, sources := range at {
		f := owner[b]
		var out []ir.Instr
		for i, in := range b.ins {
			g := sources[i]
			if g == nil {
				out = append(out, in)
				continue
			}
			dst := in.Dst
			if !pure(&in) && in.Op != ir.OpChoose {
				in.Dst = -1
				out = append(out, in)
			}
			out = append(out, f.choice(dst, g.values, in.Pos)...)
		}
		b.ins = out
	}
	for _, f := range d.funcs { // what is chosen now is no copy of what was loaded
		f.folded = map[int32]ir.Instr{}
	}
}

// choice returns instructions that set a register to one of some values.
func (f *Func) choice(dst int32, values []int64, pos int32) (out []ir.Instr) {
	bin := func(op ir.Alu, a, b int32) int32 {
		r := f.NewReg("")
		out = append(out, ir.Instr{Op: ir.OpBin, Alu: op, Type: ir.I64, Dst: r, A: a, B: b, Pos: pos})
		return r
	}
	if len(values) == 1 {
		return []ir.Instr{{Op: ir.OpMove, Dst: dst, A: f.Constant(values[0]), Pos: pos}}
	}
	n := f.NewReg("")
	out = append(out, ir.Instr{Op: ir.OpChoose, Dst: n, A: f.Constant(int64(len(values))), Str: f.prog.Str(""), Pos: pos})
	consecutive := true
	for i, v := range values {
		consecutive = consecutive && v == values[0]+int64(i)
	}
	sum := f.Constant(values[0])
	if consecutive {
		sum = bin(ir.Add, n, sum)
	} else {
		for i, v := range values[1:] {
			sum = bin(ir.Add, sum, bin(ir.Mul, bin(ir.Eq, n, f.Constant(int64(i+1))), f.Constant(v-values[0])))
		}
	}
	return append(out, ir.Instr{Op: ir.OpMove, Dst: dst, A: sum, Pos: pos})
}
