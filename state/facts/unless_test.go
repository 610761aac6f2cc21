package facts_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/facts"
)

// Facts that are given up, whenever that is, are none; and whoever gives up is heard soon: the code of a function is not gone through for each of its
// instructions without a question.
func TestUnless(t *testing.T) {
	kernel := strings.Repeat("for load(&x) == 0 {\nif load(&y) == 1 {\nreturn\n}\ncl.AtomicFetchAddExplicit(&z, 1, cl.MemoryOrderRelaxed)\n}\n", 12) +
		"cl.WorkGroupBarrier(cl.CLKGlobalMemFence)\ncl.Reachable(\"here\")"
	p, err := load.Source("unless.go", []byte(roundsHeader+kernel+"\n}\n"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	if facts.Unless(func() bool { asked++; return false }, p, memmodel.Specs[0]) == nil {
		t.Fatal("nobody gave up")
	}
	if asked < 1000 {
		t.Errorf("it was asked %d times", asked)
	}
	for last := 0; last < asked; last += 1 + last/8 {
		n := 0
		if facts.Unless(func() bool { n++; return n > last }, p, memmodel.Specs[0]) != nil {
			t.Errorf("given up at question %d of %d, and there are facts", last, asked)
		}
		if n > last+len(p.Funcs)*2000 {
			t.Errorf("given up at question %d, and it went on for %d more", last, n-last)
		}
	}
	if n := 0; facts.Unless(func() bool { n++; return n >= asked }, p, memmodel.Specs[0]) != nil {
		t.Error("given up at the last question, and there are facts")
	}
}
