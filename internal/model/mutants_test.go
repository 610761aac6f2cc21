package model

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, one after the other, what docs/exploration/late.md relies on.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestLate(Go)?(ByHand|Random)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a check of another value guards nothing", "models/internal/lower/latefollow.go",
		"r == root && at == since {", "r >= 0 && at <= since {"},
	{"what is compared with an unknown value is one itself", "models/internal/lower/latefollow.go",
		"	if comparison || in.Type.Float() || in.Op != ir.OpBin {\n		d.cutAt(at)\n", "	if comparison || in.Type.Float() || in.Op != ir.OpBin {\n"},
	{"a comparison is with what any work-item has", "models/internal/lower/latefollow.go",
		"	for _, v := range values {\n		a, b := e", "	for _, v := range values[:1] {\n		a, b := e"},
	{"values go through memory", "models/internal/lower/latefollow.go",
		"		for _, r := range d.reads[n] {\n			d.read(g, r, e)\n		}\n", ""},
	{"values go to kernels by their parameters", "models/internal/lower/latefollow.go",
		"				d.arrive(g, node{f, f.params[i-fixed]}, e, at)\n", ""},
	{"what an unknown value is added to is unknown", "models/internal/lower/latefollow.go",
		"		if in.Alu != ir.Xchg { // what it writes is computed of what is there\n			d.cutAt(at)\n			return\n		}\n", ""},
	{"a compare-exchange tells values apart", "models/internal/lower/latefollow.go",
		"	case ir.OpCmpXchg:\n		g.sink(at, e, false, false)\n", "	case ir.OpCmpXchg:\n"},
	{"addresses tell values apart", "models/internal/lower/latefollow.go",
		"	case ir.OpStore:\n		if in.A == r {\n			g.sink(at, e, false, false)\n", "	case ir.OpStore:\n		if in.A == r {\n			g.sink(at, e, true, false)\n"},
	{"what is computed anew in each round is unknown", "models/internal/lower/latefollow.go",
		"		d.cutAt(d.made[e])\n		return\n", "		return\n"},
	{"a loop that waits for data may not end", "models/internal/lower/late.go",
		"		d.Waits = d.waits()\n", ""},
	{"a loop ends by a count, whatever is chosen", "models/internal/lower/latewaits.go",
		"	if step == nil || !l.each(b, at) {\n", "	if step == nil || at == nil {\n"},
	{"a check that some work-item does not pass stays", "models/internal/lower/latereads.go",
		"		if v, ok := k.value(&k.items[i], o, 0); !ok || !right(v) {\n			return false\n		}\n", "		if v, ok := k.value(&k.items[i], o, 0); ok && right(v) {\n			return true\n		}\n"},
	{"reads of what others write stay", "models/internal/lower/latereads.go",
		" || written[int32(i)] {", " {"},
	{"what is cut is not exact", "models/internal/lower/late.go",
		" || in.Op == ir.OpCollective || d.cut[at] {\n		d.Exact = false\n", " || in.Op == ir.OpCollective || d.cut[at] {\n"},
	{"a variable that is any holds more than zeros", "models/load/any.go",
		"			l.p.AnyObject(in.object)\n", ""},
	{"a slice at the end of an array leads to nothing before it", "models/load/any.go",
		"l.p.Within = len(l.embeddings) == 0", "l.p.Within = false"},
	{"a variable that is given several values has one of them", "models/load/any.go",
		"		if o.Init[i] = values[0]; len(values) > 1 {\n", "		if o.Init[i] = values[0]; len(values) > 9 {\n"},
	{"what is found with choices is not reported", "internal/model/late.go",
		"found.Verdict == explore.Verified || len(found.Violations) == 0", "true"},
	{"what is no number is neither less nor equal", "internal/prove/outcomes.go",
		"	return c.c.Or(less(b, a), equal)\n", "	return less(a, b).Not()\n"},
	{"a remainder has the sign of what is divided", "internal/prove/outcomes.go",
		"		return c.choice(negative, minus(rem), rem)\n", "		return rem\n"},
})
