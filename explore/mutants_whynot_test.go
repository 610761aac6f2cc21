package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfWitnesses breaks the answers to what executions there are, and why there are none, in one
// way after the other.
func TestMutantsOfWitnesses(t *testing.T) {
	mutant.Try(t, witnessMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		switch m.Tell {
		case "": // what is derived by hand
			return m.Survives(t, "-run", "^TestWhyNot", "../internal/axiom")
		case "barred":
			return m.Survives(t, "-run", "^TestWhyNotBehindBarriers$", ".")
		case "points":
			return m.Survives(t, "-run", "^TestPointBesideViolations$", ".")
		}
		return m.Survives(t, "-run", "^TestWitness|^TestWhyNot", "-seeds", "60", "-styles", m.Tell, ".")
	})
}

// Witnesses and accounts that are wrong on purpose.
var witnessMutants = mutant.List([][5]string{
	{"values are known by their long names", "explore/names.go",
		"if name == v.Long && v.Long != \"\" || name == n.of(v) {", "if name == v.Name {", "observed"},
	{"only what is asked for is kept", "explore/witness.go",
		" || !s.wants(s.outcomes.values[key]) {", " {", "observed"},
	{"candidates are asked for their outcome", "internal/axiom/why.go",
		"!holds || !known {", "!holds && !known {", "glob"},
	{"candidates that races make undefined count apart", "internal/axiom/why.go",
		"if wrong, race := c.goesWrong(); wrong {", "if wrong, race := c.goesWrong(); wrong && race == nil {", ""},
	{"values out of thin air are forbidden", "internal/axiom/why.go",
		"if !c.causal() && !c.independent() {", "if false && !c.independent() {", "lb"},
	{"coherence is asked for by what happens before", "internal/axiom/chains.go",
		"c.hb[m].has(k, i) {", "c.hb[m].has(i, k) {", ""},
	{"read-modify-writes come right behind what they read", "internal/axiom/chains.go",
		"	list.updates()\n", "", ""},
	{"S is asked for", "internal/axiom/chains.go",
		"if !c.sequentiallyConsistent() {", "if false {", ""},
	{"of a point behind what goes wrong nothing is known", "explore/finish.go",
		"		if wrong {\n", "		if wrong && false {\n", "points"},
	{"points are seen behind what goes wrong", "explore/ends.go",
		"	s.m.Notes().Reached(n)\n	if s.onlyRaces() {\n", "	if s.behind == nil {\n		s.m.Notes().Reached(n)\n	}\n	if s.onlyRaces() {\n", "points"},
	{"paths may end at what goes wrong", "internal/axiom/why.go",
		"	q.account.Ended = q.account.Ended || ends\n", "", ""},
	{"paths may end at an assumption", "internal/axiom/unfold.go",
		"u.e.why.account.Ended = true", "_ = u", ""},
	{"a chain tells why, if one does", "internal/axiom/why.go",
		"cmp.Compare(futile(shortest.chain), futile(a.Chain))", "0", ""},
	{"7.3 when the code tells it", "internal/axiom/why.go",
		"{{}, {loose: true}, {air: true}}", "{{}, {air: true}}", ""},
	{"11.5 work-items of a host's kernel are in sub-groups", "internal/axiom/commands.go",
		"place.Group, place.Sub = uint16(i/group), uint16(item.SubGroupID)", "place.Group, place.Sub = uint16(i/group), 0", "barred"},
	{"11.3 barriers of kernels that the host launches are asked for", "internal/axiom/commands.go",
		"len(e.instances) > 0 && e.why == nil && slices", "len(e.instances) > 0 && slices", "barred"},
})
