package trace

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// One access is atomic and the other is not: that is the commonest race of all, and it is named as such before anything else is said.

// mixed explains a race of an atomic access and an ordinary one.
func (q *stranger) mixed() (Reason, bool) {
	plain, other := q.a, q.b
	if plain.Atomic {
		plain, other = other, plain
	}
	if plain.Atomic || !other.Atomic || plain.Kind != Load && plain.Kind != Store || q.l.region == memmodel.Image {
		return Reason{}, false
	}
	out := Reason{Kind: "mixed", Rule: "9.1; OpenCL 3.0 section 3.3.7", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("One side is atomic, the other is not: %s %s %s%s by an ordinary access, and %s %s it%s.",
			q.lanes[plain.Lane].Name, verb(plain), q.l.Name, line(plain), q.lanes[other.Lane].Name, verb(other), line(other))}
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	sameGroup := !a.Host && !b.Host && a.place.SameGroup(b.place)
	if sets := plain.Kind == Store && q.setsUp(plain, other); sets || plain.Kind == Load && q.looksBack(plain, other) {
		if sameGroup && q.barrierBetween(&out, false) {
			if sets {
				out.Text += fmt.Sprintf(" Line %d gives it its first value, and nothing has the others wait for that.", plain.Line)
			} else {
				out.Text += fmt.Sprintf(" Line %d looks at what becomes of it, and does not wait for the others.", plain.Line)
			}
			return out, true
		}
		if sets && !sameGroup && !a.Host && !b.Host {
			out.Text += fmt.Sprintf(" Line %d gives it its first value while others use it already, in other work-groups, for which no barrier waits.", plain.Line)
			out.Repair = fmt.Sprintf("Give %s its first value before the kernel starts: by the host (clEnqueueFillBuffer), or by a kernel that comes first.", q.l.Name)
			return out, true
		}
	}
	if sameGroup && q.decidesWhoMeets(&out, plain, other) {
		return out, true
	}
	if flag, ok := q.plainFlag(); ok && other.instr.Legacy && q.waitsBy(plain) {
		flag.Kind, flag.Text = out.Kind, "One side is atomic, the other is not: "+flag.Text
		return flag, true
	}
	q.atomically(&out, plain, other)
	return out, true
}

// waitsBy reports whether a loop goes round for nothing but the value of a read.
func (q *accessPair) waitsBy(s *Step) bool {
	f := q.p.Funcs[q.funcs[s.Lane]]
	_, waits := steered(f, indexOf(f, s.instr))
	return s.Kind == Load && waits
}

// polls reports whether a loop goes round until a read returns what its lane waits for, whatever that is.
func (q *accessPair) polls(s *Step) bool {
	f := q.p.Funcs[q.funcs[s.Lane]]
	_, waits := decides(f, indexOf(f, s.instr), true)
	return s.Kind == Load && waits
}

// decidesWhoMeets finds that what an ordinary read returns decides who comes to a barrier, while others change it: all have to read it first.
func (q *stranger) decidesWhoMeets(out *Reason, read, other *Step) bool {
	f := q.p.Funcs[q.funcs[read.Lane]]
	if read.Kind != Load || !q.sameCode() || len(f.Code) > maxParted {
		return false
	}
	m := q.newMeeting(q.a, q.b, false)
	if m == nil {
		return false
	}
	for pc := range f.Code {
		if f.Code[pc].Op != ir.OpBranch || m.operand(m.values[pc], f.Code[pc].A) != racing {
			continue
		}
		d := m.ways.of(pc)
		region := m.next.Reach(len(f.Code), pc, func(q int) bool { return int32(q) == d.meets })
		for at, in := range region {
			if b := &f.Code[at]; in && int32(at) != d.meets && b.Op == ir.OpBarrier && !b.SubGroup {
				out.Text += fmt.Sprintf(" What line %d reads decides who comes to the barrier%s: all have to read the same there.", read.Line, inLine(position(q.p, b.Pos)))
				if q.barrierBetween(out, false) {
					return true
				}
				out.Repair = fmt.Sprintf("Read %s into a private variable first, have all come by a %s(%s) behind that and before line %d changes it, and go by the variable.", q.l.Name, q.barrierName(), q.flag(), other.Line)
				return true
			}
		}
	}
	return false
}

// setsUp reports whether an ordinary write gives a variable the value that it starts with: it stands before the atomic access in the text, no loop
// leads from that back to it, and what is written comes of nothing that was read.
func (q *stranger) setsUp(plain, other *Step) bool {
	if !q.sameCode() || q.updates(plain) != nil {
		return false
	}
	if n := q.ledger.made(plain.ID); n != nil && n.b != 0 && q.comesOfReads(n.b) {
		return false
	}
	from, to := q.leadsTo(plain, other)
	return from && !to
}

// looksBack reports whether an ordinary read comes when all is over: no way leads from it to the atomic access.
func (q *stranger) looksBack(plain, other *Step) bool {
	if !q.sameCode() {
		return false
	}
	to, from := q.leadsTo(other, plain)
	return to && !from
}

// leadsTo reports whether the code of two steps of one kernel leads from the one to the other, and back.
func (q *accessPair) leadsTo(one, other *Step) (there, back bool) {
	p := q.private[one.Lane]
	if p == nil {
		return false, false
	}
	i, k := indexOf(p.f, one.instr), indexOf(p.f, other.instr)
	if i < 0 || k < 0 {
		return false, false
	}
	return p.leads(i, k, -1), p.leads(k, i, -1)
}

// comesOfReads reports whether a value is made of what some step has read.
func (q *accessPair) comesOfReads(c cause) bool {
	return q.ledger.some(c, func(step int32) bool {
		s := q.t.Step(int(max(step, 0)))
		return s != nil && s.Read != nil
	})
}

// atomically gives a reason the change that makes an ordinary access atomic. An access by which others are to find out how to go on acquires
// or releases, too.
func (q *mender) atomically(out *Reason, plain, other *Step) {
	scope, ok := q.narrowest(q.lanes[plain.Lane].place, q.lanes[other.Lane].place, q.l)
	if !ok {
		out.Repair = fmt.Sprintf("Make the access%s atomic, too. %s", line(plain), q.advice(q.lanes[plain.Lane].place, q.lanes[other.Lane].place, q.l))
		return
	}
	c, possible := q.asAtomic(plain, other.instr.Legacy, scope)
	changes := []Change{c}
	switch legacy := other.instr.Legacy; {
	case legacy && (q.flagged(plain) || q.readForFlag(plain)):
		out.Idea = "Where others go on by its value, put a fence beside each access, too: a function of OpenCL 1.x orders nothing else."
	case legacy:
	case q.flagged(plain) && other.Writes() && !other.order.Releases():
		changes = append(changes, orderChange(other, memmodel.Release))
	case plain.Kind == Store && q.readForFlag(plain) && !other.order.Acquires():
		changes = append(changes, orderChange(other, memmodel.Acquire))
	}
	out.mends(changes...)
	if !possible {
		out.Changes = nil
	}
}

// flagged reports whether a read decides how its work-item goes on: then what comes behind it relies on what came before the write.
func (q *accessPair) flagged(s *Step) bool {
	if s.Kind != Load {
		return false
	}
	f := q.p.Funcs[q.funcs[s.Lane]]
	steers, _ := steered(f, indexOf(f, s.instr))
	return steers || q.polls(s)
}

// asAtomic returns the change that makes an ordinary access atomic, in the terms of OpenCL 1.x or of 2.0, and whether a program can make it.
func (q *mender) asAtomic(plain *Step, legacy bool, scope memmodel.Scope) (Change, bool) {
	c := change(MakeAtomic, plain)
	c.What = "access"
	possible := plain.Line > 0
	update := q.inPlace(plain)
	updates := plain.Kind == Store && update != ""
	if legacy {
		switch {
		case plain.Kind == Load:
			c.Function = fmt.Sprintf("atomic_or(&%s, 0)", q.l.Name)
		case updates:
			c.Function = "atomic_" + update
		default:
			c.Function = "atomic_xchg"
		}
		return c, possible && (!q.l.typ.Float() || plain.Kind == Store && !updates) && q.l.typ.Bits() == 32
	}
	c.Order, c.Scope = memmodel.Relaxed.String(), scope.String()
	c.Type = fmt.Sprintf("%s %s *", q.l.region, atomicType(q.l.typ))
	switch {
	case plain.Kind == Load:
		c.Function = "atomic_load_explicit"
		if q.flagged(plain) {
			c.Order = memmodel.Acquire.String()
		}
	case updates:
		c.Function = "atomic_fetch_" + update + "_explicit"
		possible = possible && !q.l.typ.Float()
	default:
		c.Function = "atomic_store_explicit"
	}
	if q.readForFlag(plain) && plain.Kind == Store {
		c.Order = memmodel.Release.String()
	}
	return c, possible && !strings.HasSuffix(plain.File, ".go")
}

// readForFlag reports whether the other access of the race decides how its work-item goes on.
func (q *mender) readForFlag(plain *Step) bool {
	other := q.a
	if other == plain {
		other = q.b
	}
	if other.Kind == CompareExch || other.Kind == Modify {
		return false
	}
	return q.flagged(other)
}

// updateFunctions are the names, within those of atomic functions, of what operators do.
var updateFunctions = [][2]string{{"++", "add"}, {"--", "add"}, {"+=", "add"}, {"-=", "add"}, {"|=", "or"}, {"&=", "and"}, {"^=", "xor"}}

// inPlace names what a statement does, of which an ordinary store is the second half, if it changes a variable in place, as x++ or x |= 1.
func (q *mender) inPlace(s *Step) string {
	_, text, _ := q.sourceAround(*s.Pos)
	for _, f := range updateFunctions {
		if strings.HasPrefix(text, f[0]) {
			return f[1]
		}
	}
	return ""
}

// updateWords are what the rest of a statement has that updates a variable otherwise than by adding to it.
var updateWords = regexp.MustCompile(`\b(max|min)\s*\(|[^|]([|&^])[^|&^]`)

// updateOf names what an update does, as the names of atomic functions have it: as far as its statement tells, and else that it adds.
func (q *mender) updateOf(store *Step) string {
	if does := q.inPlace(store); does != "" || store.Pos == nil {
		return cmp.Or(does, "add")
	}
	_, text, _ := q.sourceAround(*store.Pos)
	statement, _, _ := strings.Cut(text, ";")
	m := updateWords.FindStringSubmatch(statement)
	if m == nil {
		return "add"
	}
	return cmp.Or(m[1], map[string]string{"|": "or", "&": "and", "^": "xor"}[m[2]])
}

// sourceAround is the line of a place, up to its column and from it on.
func (r *execution) sourceAround(at Pos) (before, after string, ok bool) {
	for _, src := range r.p.Sources {
		if src.Name != at.File {
			continue
		}
		lines := strings.Split(src.Text, "\n")
		if at.Line < 1 || at.Line > len(lines) || at.Col < 1 || at.Col > len(lines[at.Line-1]) {
			return "", "", false
		}
		return lines[at.Line-1][:at.Col-1], lines[at.Line-1][at.Col-1:], true
	}
	return "", "", false
}

// atomicType is the atomic type of OpenCL C that holds values of a type.
func atomicType(t ir.Type) string {
	switch t {
	case ir.F32:
		return "atomic_float"
	case ir.F64:
		return "atomic_double"
	case ir.I64:
		return "atomic_long"
	case ir.U64:
		return "atomic_ulong"
	case ir.U32:
		return "atomic_uint"
	}
	return "atomic_int"
}
