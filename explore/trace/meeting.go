package trace

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// Where a barrier can stand: only where all work-items of the group come by, all equally often. A line is such a place if no branch that
// may go different ways in different work-items decides whether they come there. What is not known to be the same for all, may differ.

// sameness says for how many work-items of a group a value is the same.
type sameness uint8

const (
	uniform sameness = iota // for all
	varying                 // perhaps not
	racing                  // it is made of what one of the racing accesses reads
)

// meeting is a function in which a barrier is missing.
type meeting struct {
	*accessPair
	fn        int
	f         *ir.Func
	sub       bool // the barrier is one of the sub-group
	ways      *branching
	next      flow.Edges
	doms      *flow.Dominators
	values    [][]sameness // by pc and register, when the code comes there
	divergent []bool       // by pc: not all come there, or not equally often
	split     map[int]bool // branches whose ways differ
	written   ir.ObjectSet // what kernels write
	to        *ir.PointsTo
	call      int32 // in which inlined call the barrier is to stand
}

// spot is a line before which a barrier can stand.
type spot struct {
	line int
	pc   int // that the code comes to first
}

// newMeeting looks at the function of both accesses; nil if they have none in common, or if it is too long.
func (q *accessPair) newMeeting(x, y *Step, sub bool) *meeting {
	fn := q.funcs[x.Lane]
	f := q.p.Funcs[fn]
	if q.funcs[y.Lane] != fn || len(f.Code) > maxParted || x.Line == 0 || y.Line == 0 || indexOf(f, x.instr) < 0 || indexOf(f, y.instr) < 0 {
		return nil
	}
	m := &meeting{accessPair: q, fn: fn, f: f, sub: sub, ways: newBranching(q.p, fn), to: q.p.PointsTo(fn), split: map[int]bool{}}
	m.next = flow.Of(func(pc int) []int32 { return successors(f, pc) })
	m.doms = m.next.Dominators(0)
	m.call = q.sharedCall(x.instr.Pos, y.instr.Pos)
	m.written = q.writtenByKernels()
	m.values, m.divergent = make([][]sameness, len(f.Code)), make([]bool, len(f.Code))
	m.compare()
	return m
}

// sharedCall returns the innermost inlined call that two places lie in, 0 for none.
func (q *accessPair) sharedCall(x, y int32) int32 {
	chain := func(pos int32) []int32 {
		var out []int32
		for range len(q.p.Calls) + 1 {
			c := q.p.Positions[pos].Call
			out = append(out, c)
			if c <= 0 || int(c) >= len(q.p.Calls) {
				break
			}
			pos = q.p.Calls[c].Pos
		}
		return out
	}
	of := chain(y)
	for _, c := range chain(x) {
		if slices.Contains(of, c) {
			return c
		}
	}
	return 0
}

// lineIn returns the place of an instruction in the text of an inlined call: of what is called there, that of the call.
func (q *accessPair) lineIn(pos, call int32) ir.Pos {
	for range len(q.p.Calls) + 1 {
		if pos < 0 || int(pos) >= len(q.p.Positions) {
			break
		}
		at := q.p.Positions[pos]
		if at.Call == call {
			return at
		}
		if at.Call <= 0 || int(at.Call) >= len(q.p.Calls) {
			break
		}
		pos = q.p.Calls[at.Call].Pos
	}
	return ir.Pos{}
}

// writtenByKernels is what functions other than those of host threads may write.
func (q *accessPair) writtenByKernels() ir.ObjectSet {
	out := q.p.NoObjects()
	for fn, f := range q.p.Funcs {
		if slices.ContainsFunc(q.p.Threads, func(t ir.Thread) bool { return t.Func == fn }) {
			continue
		}
		var to *ir.PointsTo
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op.Access() && in.Op != ir.OpLoad {
				if to == nil {
					to = q.p.PointsTo(fn)
				}
				objects, _, _ := to.Address(in)
				out.Union(objects)
			}
		}
	}
	return out
}

// compare finds what is the same for all work-items of the group.
func (m *meeting) compare() {
	for pc := range m.values {
		m.values[pc] = make([]sameness, m.f.Regs)
	}
	for changed := true; changed; {
		changed = false
		for pc := range m.f.Code {
			out := slices.Clone(m.values[pc])
			in := &m.f.Code[pc]
			m.effect(in, pc, out)
			m.next(pc, func(to int) { changed = m.join(to, out) || changed })
			if in.Op == ir.OpBranch && !m.split[pc] && m.parts(pc, m.operand(m.values[pc], in.A)) {
				m.split[pc], changed = true, true
			}
		}
	}
}

func (m *meeting) join(pc int, from []sameness) bool {
	changed := false
	for r, v := range from {
		if v > m.values[pc][r] {
			m.values[pc][r], changed = v, true
		}
	}
	return changed
}

func (m *meeting) operand(values []sameness, o int32) sameness {
	if o < 0 {
		return uniform
	}
	return values[o]
}

// parts notes what a branch decides, if its condition may differ. If a barrier stands there already, the program takes it that all go the same way.
func (m *meeting) parts(pc int, on sameness) bool {
	if on == uniform {
		return false
	}
	d := m.ways.of(pc)
	region := m.next.Reach(len(m.f.Code), pc, func(q int) bool { return int32(q) == d.meets })
	meets := func(q int) bool {
		in := &m.f.Code[q]
		return region[q] && int32(q) != d.meets && in.Op == ir.OpBarrier && (m.sub || !in.SubGroup)
	}
	for q := range m.f.Code {
		if meets(q) {
			return false
		}
	}
	for q, ok := range region {
		if ok && int32(q) != d.meets {
			m.divergent[q] = true
		}
	}
	if d.meets >= 0 {
		at := make([]sameness, m.f.Regs)
		for _, r := range d.sets {
			at[r] = on
		}
		m.join(int(d.meets), at)
	}
	return true
}

// effect computes of an instruction's results how far they are the same.
func (m *meeting) effect(in *ir.Instr, pc int, values []sameness) {
	of := func(o int32) sameness { return m.operand(values, o) }
	dst, dst2 := in.Results()
	result := varying
	switch in.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv:
		result = of(in.A)
	case ir.OpBin:
		result = max(of(in.A), of(in.B))
	case ir.OpQuery:
		result = m.query(in.Query)
	case ir.OpLoad:
		result = m.load(in, values)
	case ir.OpStore:
		m.store(in, pc, values)
		return
	case ir.OpCollective:
		if in.Group == ir.GroupReduce || in.Group == ir.GroupBroadcast {
			if m.sub || !in.SubGroup {
				result = uniform
			}
		}
	case ir.OpAsyncCopy:
		result = uniform
	}
	if in == m.a.instr || in == m.b.instr {
		result = racing
	}
	for _, d := range []int32{dst, dst2} {
		if d >= 0 {
			values[d] = result
		}
	}
}

func (m *meeting) query(k ir.Query) sameness {
	switch k {
	case ir.QueryGlobalID, ir.QueryLocalID, ir.QueryGlobalLinearID, ir.QueryLocalLinearID, ir.QuerySubGroupLocalID:
		return varying
	case ir.QuerySubGroupID, ir.QuerySubGroupSize:
		if !m.sub {
			return varying
		}
	}
	return uniform
}

// load says how far what is read is the same: of memory that no kernel writes, as far as the address is.
func (m *meeting) load(in *ir.Instr, values []sameness) sameness {
	if in.A < 0 && m.f.Consts[^in.A]&ir.SegMask == ir.SegPrivate {
		return values[int(m.f.Consts[^in.A]&^ir.SegMask)]
	}
	out := m.operand(values, in.A)
	for r := range m.f.Private {
		out = max(out, values[r])
	}
	objects, _, _ := m.to.Address(in)
	if objects.Meets(m.written) {
		out = max(out, varying)
	}
	return out
}

// store notes what becomes of private memory.
func (m *meeting) store(in *ir.Instr, pc int, values []sameness) {
	v := m.operand(values, in.B)
	if in.A < 0 {
		if m.f.Consts[^in.A]&ir.SegMask == ir.SegPrivate {
			values[int(m.f.Consts[^in.A]&^ir.SegMask)] = v
		}
		return
	}
	v = max(v, values[in.A])
	if m.divergent[pc] {
		v = max(v, varying)
	}
	for r := range m.f.Private {
		values[r] = max(values[r], v)
	}
}

// spots lists the lines before which a barrier can stand.
func (m *meeting) spots() []spot {
	file := m.lineIn(m.a.instr.Pos, m.call).File
	byLine, bad := map[int][]int{}, map[int]bool{}
	for pc := range m.f.Code {
		if p := m.f.Code[pc].Pos; p > 0 && int(p) < len(m.p.Positions) {
			here := m.lineIn(p, m.call) // a branch within the line itself does no harm: all come to where it begins
			if at := m.p.Positions[p]; at.File == file && m.divergent[pc] && (here.File != file || here.Line != at.Line) {
				bad[int(at.Line)] = true
			}
		}
		if at := m.lineIn(m.f.Code[pc].Pos, m.call); at.Line > 0 && at.File == file {
			byLine[int(at.Line)] = append(byLine[int(at.Line)], pc)
		}
	}
	begins := statements(m.p.Sources[file])
	var out []spot
	for line, pcs := range byLine {
		if pc := m.first(pcs); pc >= 0 && !bad[line] && !m.divergent[pc] && begins(line) != none && (begins(line) != loop || !m.comesBack(pc)) {
			out = append(out, spot{line, pc})
		}
	}
	slices.SortFunc(out, func(a, b spot) int { return a.line - b.line })
	return out
}

// first returns the one of some instructions by which the code comes to all of them, or -1.
func (m *meeting) first(pcs []int) int {
	for _, pc := range pcs {
		if !slices.ContainsFunc(pcs, func(other int) bool { return !m.doms.Dominates(pc, other) }) {
			return pc
		}
	}
	return -1
}

// comesBack reports whether a loop begins at an instruction.
func (m *meeting) comesBack(pc int) bool {
	back := false
	for p := range m.f.Code {
		m.next(p, func(to int) { back = back || to == pc && m.doms.Dominates(pc, p) })
	}
	return back
}

// beginning says what begins in a line of the source.
type beginning uint8

const (
	none      beginning = iota // no statement that another one could be put before
	statement                  // one
	loop                       // one that goes round
)

// statements tells of the lines of a text which statements begin in them, as far as that shows without reading the language.
func statements(src ir.Source) func(line int) beginning {
	lines := strings.Split(src.Text, "\n")
	code := func(i int) string {
		text, _, _ := strings.Cut(lines[i], "//")
		return strings.TrimSpace(text)
	}
	inGo := strings.HasSuffix(src.Name, ".go")
	return func(line int) beginning {
		if line < 1 || line > len(lines) {
			return none
		}
		text := code(line - 1)
		word, _, _ := strings.Cut(strings.NewReplacer("(", " ", ":", " ", "{", " ").Replace(text), " ")
		if text == "" || text[0] == '}' || text[0] == '{' || text[0] == '#' || word == "else" || word == "case" || word == "default" {
			return none
		}
		before := ""
		for i := line - 2; i >= 0 && before == ""; i-- {
			if before = code(i); strings.HasPrefix(before, "#") {
				before = ""
			}
		}
		if before == "" {
			return none
		}
		last := before[len(before)-1]
		if ends := strings.IndexByte(";{}:", last) >= 0; !inGo && !ends || inGo && strings.IndexByte(",(+-*/&|=.<>", last) >= 0 {
			return none
		}
		if word == "for" || word == "while" {
			return loop
		}
		return statement
	}
}

// separate reports whether barriers at some spots, with those that are there, have no two work-items come to the one access and to the other between the
// same two barriers.
func (m *meeting) separate(at ...spot) bool {
	x, y := indexOf(m.f, m.a.instr), indexOf(m.f, m.b.instr)
	added := func(pc int) bool { return slices.ContainsFunc(at, func(s spot) bool { return s.pc == pc }) }
	flags := m.flag()
	if m.l.region == memmodel.Image {
		flags = memmodel.ImageFence
	}
	there := func(pc int) bool {
		in := &m.f.Code[pc]
		return in.Op == ir.OpBarrier && in.Flags&flags != 0 && (m.sub || !in.SubGroup)
	}
	stop := func(pc int) bool { return added(pc) || there(pc) }
	for from := range m.f.Code {
		if from != 0 && !stop(from) {
			continue
		}
		reached := m.next.Reach(len(m.f.Code), from, stop)
		comes := func(pc int) bool { return pc == from && (from == 0 || added(pc)) || reached[pc] && !added(pc) }
		if comes(x) && comes(y) {
			return false
		}
	}
	return true
}

// Bounds on what is looked at for a place for barriers.
const (
	maxSpots = 60
	maxPairs = 200
)

// places returns the lines before which barriers are missing, one or two; none if there is no place for them.
func (m *meeting) places(round bool) []int {
	all := m.spots()
	if len(all) > maxSpots {
		return nil
	}
	early, late := min(m.lineOf(m.a), m.lineOf(m.b)), max(m.lineOf(m.a), m.lineOf(m.b))
	loops := m.next.ComesBack(len(m.f.Code)) // a barrier outside of loops costs less
	slices.SortStableFunc(all, func(a, b spot) int {
		if loops[a.pc] != loops[b.pc] {
			return map[bool]int{false: -1, true: 1}[loops[a.pc]]
		}
		return m.rank(a, early, late, round) - m.rank(b, early, late, round)
	})
	for _, s := range all {
		if m.separate(s) {
			return []int{s.line}
		}
	}
	for _, s := range all { // another round of a loop: the same pair of accesses may be harmless within one
		if n, k := m.trails.passes(m.a, s.pc), m.trails.passes(m.b, s.pc); n >= 0 && n != k {
			return []int{s.line}
		}
	}
	tries := 0
	for i, s := range all {
		for _, t := range all[:i] {
			if tries++; tries > maxPairs {
				return nil
			}
			if m.separate(s, t) {
				return []int{min(s.line, t.line), max(s.line, t.line)}
			}
		}
	}
	return nil
}

func (m *meeting) lineOf(s *Step) int { return int(m.lineIn(s.instr.Pos, m.call).Line) }

// before returns the last line with code that stands before a line, behind another one or in it.
func (m *meeting) before(line, early int) int {
	last := early
	for pc := range m.f.Code {
		if at := int(m.lineIn(m.f.Code[pc].Pos, m.call).Line); at > last && at < line {
			last = at
		}
	}
	return last
}

// rank orders places: behind the first access and up to the second, then behind both, then before both. Where one work-item is a round ahead,
// what stands between the two in the text comes last.
func (m *meeting) rank(s spot, early, late int, round bool) int {
	switch {
	case s.line > early && s.line <= late && round:
		return 1<<26 + late - s.line
	case s.line > early && s.line <= late:
		return late - s.line
	case s.line > late:
		return 1<<20 + s.line
	}
	return 1<<24 + early - s.line
}
