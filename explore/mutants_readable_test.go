package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfReadable breaks what tells whether any promise may be read in one way after the other.
func TestMutantsOfReadable(t *testing.T) {
	mutant.Try(t, readableMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		if m.Tell == "por" {
			return m.Survives(t, "-run", "^(TestSourceSet|TestPromiseReadable|TestLift|TestLiftLooks|TestMergeImages)$", "../por")
		}
		return m.Survives(t, "-run", "^(TestNoneReadable|TestSomeReadable|TestNoneReadableByHost)$", ".")
	})
}

var readableMutants = mutant.List([][5]string{
	{"a turn shows that a promise may be read if it is overtaken", "por/turn.go",
		"return t.Below.Any || t.Early && t.Below.ReadsPromised(t.Unit) || t.Looks", "return t.Below.Any || t.Looks", "por"},
	{"or if another one looks beside it", "por/turn.go",
		" || t.Looks && t.Below.looksBeside(t.Unit)\n", "\n", "por"},
	{"or if not all is known", "por/turn.go",
		"return t.Below.Any || t.Early && t.Below.ReadsPromised(t.Unit) || t.Looks", "return t.Early && t.Below.ReadsPromised(t.Unit) || t.Looks", "por"},
	{"who looks after the step does not look beside it", "por/turn.go",
		"return r.reads() && memmodel.Unit(r.Unit) != t && !r.After.Has(t) })", "return r.reads() && memmodel.Unit(r.Unit) != t })", "por"},
	{"the search without promises sees what may be read", "explore/dpor.go",
		"		s.readable, s.stopped = true, true\n", "		s.readable, s.stopped = false, true\n", ""},
	{"only where none can be read there is no other search", "explore/readable.go",
		"	none := !w.readable && ", "	none := ", ""},
	{"a look that is not the first of a step depends on what the step reads", "por/summary.go",
		"			if w.Kind == Look && !first {\n				w = s.dependent(w)\n			}\n", "", "por"},
	{"whose rivals are all taken need not be asked again, others must", "por/turn.go",
		" && z.allTaken() {", " {", "por"},
	{"units alike are exchanged one at a time", "por/summary.go",
		"			if len(others) == 1 {\n				continue\n			}\n", "			continue\n", "por"},
	{"what is known of them speaks of none of them", "por/summary.go",
		"		w.After, w.Readers = w.After.Without(memmodel.Unit(a)), w.Readers.Without(memmodel.Unit(a)) //", "		w.After, w.Readers = w.After, w.Readers //", "por"},
	{"the first look of a step does not", "por/summary.go",
		"			if w.Kind == Look && !first {\n", "			if w.Kind == Look {\n", "por"},
	{"what a host reads when all have ended is not read early", "state/matters.go",
		"		return q.m.Beyond || q.m.DeviceQueue || len(s.Cast.threads) < len(s.Cast.Units)\n", "		return true\n", ""},
})
