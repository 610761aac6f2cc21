package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfAlone forgets something of that by which what a unit can do alone is remembered.
func TestMutantsOfAlone(t *testing.T) {
	mutant.Try(t, aloneMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestAlone|TestAloneAgain|TestAloneByHand)$/^(heard|carried|guarded|resets|rs|help|lb|cas|)$", "-seeds", "900", ".")
	})
}

var aloneMutants = mutant.List([][5]string{
	{"what messages tell", "memmodel/alone.go", "		b = m.appendTold(b, u, m.srcs, q.src, matter)\n", ""},
	{"what they tell, and not only that they do", "memmodel/alone.go", "max(snap[at], view[at])-view[at])", "min(view[at], 0))"},
	{"by what release", "memmodel/alone.go", "		b = s.append(append(b, 1))\n", "		b = append(b, 1)\n"},
	{"what a fence may acquire", "memmodel/alone.go", "	b = m.appendTold(append(b, 0), u, m.pend, m.pendHead[u], matter)\n", ""},
	{"what a newer message may carry", "memmodel/alone.go", "			first = c.at\n", "			_ = c.at\n"},
	{"what others rely on", "memmodel/alone.go", "			b = m.appendGuard(b, u, g)\n", "			_ = g\n"},
	{"data", "memmodel/alone.go", "		return m.appendValue(b, x)\n", "		return b\n"},
	{"where the unit has written since", "state/alone.go", "		k.wrote = l.number(x)\n", "		_ = l.number(x)\n"},
	{"values", "memmodel/alone.go", "		b = binary.AppendVarint(b, q.val)\n		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n", "		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n"},
	{"what has been modified", "memmodel/alone.go", "		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n", "		b = append(b, bit(q.na)<<1)\n"},
	{"what decides", "state/certifier.go", "			b = binary.AppendVarint(b, regs[i<<6+bits.TrailingZeros64(set)])\n", "			_, _, _ = i, regs, bits.Len64(set)\n"},
	{"that a load decides", "por/loadbuffering/dependencies.go", " || in.Dst >= 0 && d.after(fn, pc).Has(int(in.Dst)))", ")"},
	{"where a store goes", "state/matters.go", "Code[pc].Op != ir.OpLoad) {", "Code[pc].Op == ir.OpEnd) {"},
	{"what the unit has learnt on its way to a write", "state/alone.go", "k.learnt&(1<<min(l.layout.Atom(p.loc), 63)) == 0", "k.learnt >= 0"},
	{"what it owes beside a write", "state/alone.go", "l.nodes[k.from].free && !p.Order", "!p.Order"},
	{"what a write releases", "state/alone.go", "&& !p.Order.Releases() && k.learnt", "&& k.learnt"},
	{"what is known of where it comes", "state/alone.go", "\tfor which, list := range [...][]memmodel.Loc{setValueMatters: p.known.ValueMatters,", "\tfor which, list := range [...][]memmodel.Loc{setValueMatters: nil,"},
	{"what it may write from there", "state/alone.go", "		r.set(i, setWrites).Add(k)\n", ""},
	{"in what way", "state/alone.go", "		if p.known.easy[j] {\n", "		if j >= 0 {\n"},
	{"where it goes round", "state/alone.go", "\t\t\tagain = l.pass(r, &l.edges[i]) || again\n", "\t\t\tl.pass(r, &l.edges[i])\n"},
	{"what it can keep, and where it has not come to that", "state/alone.go", "\tfor i := l.kept; i >= 0; i = l.nodes[i].from {\n", "\tfor i := range l.nodes {\n"},
	{"what it cannot keep, and where it can", "state/alone.go", "	if l.kept < 0 {\n		for", "	if true {\n		for"},
	{"that a way to a write is barred", "state/certifier.go", "q.straight() && !where.Doubts", "!where.Doubts"},
	{"that a step makes a difference to others", "state/certifier.go", "		if u == t || q.matters(s, u, x) {\n			s.alone", "		if u == t {\n			s.alone"},
	{"that a write has been missed", "memmodel/promise.go", "p.at < int32(m.seen(u, p.loc)) {", "p.at <= int32(m.seen(u, p.loc)) {"},
	{"what is owed", "memmodel/alone.go", "			b = m.appendOwed(b, u, p)\n", ""},
})
