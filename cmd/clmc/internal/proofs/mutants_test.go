package proofs

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks the facts that proofs rest on, and sees kernels proved that go wrong.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestIdioms$/^("+m.Tell+").cl", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"accesses that overlap have a cell in common", "models/clc/internal/code/open.go",
		"		p = lowered(known)\n", "		known = nil\n		p = lowered(known)\n", "overlap"},
	{"a barrier that does not count begins content of one work-item", "internal/prove/machine.go",
		"	m.forget(m.now)\n	m.carry(", "	m.forget(group)\n	m.carry(", "heads"},
	{"so does the head of a round that nobody counts", "internal/prove/loop.go",
		"	case v == groups && counted:\n", "	case v == groups:\n", "heads2"},
	{"the tail of a round meets the head of the next", "internal/prove/rounds.go",
		"	m.across(ends, x.again(r, r.head, m.add(r.k, one)))\n", "", "ring"},
	{"what comes before a loop meets the head of its first round", "internal/prove/rounds.go",
		"	m.across(before, x.again(r, r.head, m.num(64, 0)))\n", "", "entry"},
	{"what a loop ends with meets what comes after it", "internal/prove/rounds.go",
		"			w.old = slices.Concat(old, x.again(r, own.all(), last))\n", "			w.old = x.again(r, own.all(), last)\n", "leave"},
	{"what follows a loop meets the end of any round, if later ones may pass without a barrier", "internal/prove/rounds.go",
		"		end = m.counter(\"k\", m.now)\n", "", "rest"},
	{"so does the head of a round", "internal/prove/rounds.go", "		m.across(ends, other)\n", "", "rest2"},
	{"what nobody has written may be anything", "internal/prove/machine.go",
		"	if o < 0 && m.f.Consts[^o] == ir.Unwritten {\n", "	if o < 0 && m.f.Consts[^o] == ir.Unwritten && m.f == nil {\n", "unset"},
	{"nothing is computed of it", "models/clc/internal/code/open.go",
		"p.anyScalars, p.p.Opaque = true, true", "p.anyScalars, p.p.Opaque = true, false", "unset"},
	{"two groups share no symbols of groups", "internal/prove/ask.go",
		"s.scope == item || s.scope == group && !sameGroup", "s.scope == item", "scopes|copy"},
	{"two groups of one number in a dimension may have the same global ids there", "internal/prove/sizes.go",
		"two(z.globalID(x, d))), x.eq(g1, g2)))", "two(z.globalID(x, d))), x.no))", "flat"},
	{"there are as many dimensions as the kernel asks for, whatever needs the answers", "models/clc/internal/code/builtin.go",
		"	f.asked = max(f.asked, d+1)\n", "", "rows2|stored"},
	{"there are as many dimensions as a kernel says sizes of", "models/clc/open.go",
		"				o.Asked = d + 1\n", "				_ = d\n", "required"},
	{"counters that something else changes are none", "internal/prove/machine.go",
		"	if !m.mixed[places[0].obj] {\n", "	if true {\n", "reset"},
	{"what a loop leaves in one branch has not been asked about with what is left in another", "internal/prove/region.go",
		"slices.DeleteFunc(o.all(), func", "slices.DeleteFunc(slices.Clone(o.tail), func", "zero"},
	{"what a loop leaves behind meets what follows", "internal/prove/ask.go", "	q.across(w.tail, w.old)\n", "", "leave"},
	{"what a counter begins with fits its type", "internal/prove/loop.go", "m.ask(in.pc, m.not(same)) == impossible {", "m.ask(in.pc, m.not(same)) <= impossible {", "cast"},
	{"counters that are set back are others then", "internal/prove/ask.go", "	if m.stored[a.obj] && p.one", "	if m.no == nil && p.one", "tickets"},
	{"an interval of rounds that nobody counts is a work-item's", "internal/prove/memory.go",
		"m.unknown(\"interval\", countBits, s)", "m.unknown(\"interval\", countBits, group)", "turns"},
	{"a loop in which all meet has intervals of its own", "internal/prove/memory.go", "	if !stops {\n		m.mem.interval = interval", "	if stops || !stops {\n		m.mem.interval = interval", "turns"},
	{"who makes a copy may meet any work-item", "internal/prove/ask.go", "		p = q.couple(as, bs)\n", "", "load"},
	{"work-items agree on the arguments of a copy, and on who broadcasts", "internal/prove/machine.go", "m.all && m.quiet == 0 && t.scope > group {", "m.all && m.quiet == 0 && t.scope > item {", "agree"},
	{"the header gives scalars", "models/clc/open.go", "		r.args = l.headerValues(h, k, slices.Clone(r.args))\n", "", "header"},
	{"a copy goes on behind a barrier", "internal/prove/machine.go", "w.tail, w.old, w.open = w.underway(), nil, false", "w.tail, w.old, w.open = nil, nil, false", "passes"},
	{"who waits, waits for the copies that are named", "internal/prove/copy.go", "		if !slices.Contains(events, c.event) {", "		if len(events) == 0 {", "load"},
	{"a copy of another group is another one", "internal/prove/ask.go", "sameGroup && a.copy != nil && a.copy == b.copy", "a.copy != nil && a.copy == b.copy", "store"},
	{"what a copy accesses meets all up to the wait", "internal/prove/copy.go", "			m.across(c.accesses, w.tail)\n", "", "passes"},
	{"results of different counters may be equal", "internal/prove/ask.go",
		"	p.all = append(p.all, m.implies(same, m.not(", "	p.all = append(p.all, m.or(m.and(same, m.no), m.not(", "counters"},
	{"a form is exact only if no round wraps around", "internal/prove/loop.go",
		"f.exact = f.sign && f.w == 32 || f.never(m, back) //", "f.exact = true //", "narrow"},
	{"0 has no bit to lose", "internal/prove/loop.go",
		"	return m.or(m.eq(v0, m.num(f.w, 0)), m.and(few", "	return m.or(m.no, m.and(few", "doubled"},
	{"scopes must be the same", "internal/prove/ask.go",
		"	return s == t && s >= least\n", "	return s >= least && t >= least\n", "scopes"},
	{"of two groups, both must be the device", "internal/prove/ask.go",
		"	least := memmodel.ScopeDevice\n", "	least := memmodel.ScopeWorkGroup\n", "scopes"},
	{"what depends on ids may part work-items", "internal/prove/ask.go",
		"	if pc.scope <= group {\n", "	if pc.scope <= item {\n", "part|reduce"},
	{"a digit is below its radix", "internal/prove/radix.go",
		"|| !q.below(list, r, unit)", "|| unit == nil", "rows"},
	{"a barrier without the flag ends no interval", "internal/prove/prove.go",
		"return in.Flags&flag != 0 && in.Scope", "return (in.Flags&flag != 0 || true) && in.Scope", "reduce"},
	{"a collective function orders no memory", "internal/prove/machine.go",
		"	m.agreed(w, in, p, who)\n	s := m.now\n", "	m.agreed(w, in, p, who)\n	w.tail = nil\n	s := m.now\n", "all"},
	{"a remainder differs from the number by a multiple", "internal/prove/quotient.go", "				r = x.sub(a, x.mul(q, b))\n", "				r = a\n", "turned"},
	{"what may be 0 is not divided by", "internal/prove/quotient.go", "m.ask(w.pc, m.not(m.positive(y))) != impossible", "m.ask(w.pc, m.not(m.positive(y))) > impossible", "table"},
	{"a remainder is below what is not 0", "internal/prove/quotient.go", "x.implies(x.positive(b), bounds)", "bounds", "guarded"},
	{"a quotient is known of what is not 0", "internal/prove/quotient.go", "fit := x.and(x.positive(b), ", "fit := x.and(", "guarded"},
	{"the remainder of a negative number is negative", "internal/prove/quotient.go",
		"	if x.upper(a) <= wordMax {\n		return x.less(false, r, b)", "	if x.upper(a) >= 0 {\n		return x.less(false, r, b)", "sign"},
	{"a sum that wraps around is not divided", "internal/prove/compare.go", "common == 1 || x.extent(d) >= 1<<63", "common == 1 || x.extent(d) > 1<<63", "high"},
	{"a sum is never 0 only if its number is no multiple", "internal/prove/compare.go", "if magnitude(d.k)%common != 0 {", "if magnitude(d.k) != 0 {", "colours"},
	{"a product of 24 bits wraps around", "models/clc/internal/code/integer.go", "	if !l.t.Signed() {\n		return l.bin(op, a, b)", "	if true {\n		return l.bin(op, a, b)", "product24"},
	{"what has been written last is carried over a barrier", "internal/prove/memory.go", "range c.writes[i+1:]", "range c.writes[max(i+1, len(c.writes)):]", "perm"},
	{"it is only where it has been written", "internal/prove/memory.go", "known := m.and(pc, o.pc)", "known := pc", "partly"},
})
