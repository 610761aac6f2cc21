package randprog

import (
	"reflect"
	"testing"

	"github.com/clmc/clmc/state/ir"
)

const programsPerStyle = 200

func eachProgram(t *testing.T, f func(style Style, seed uint64, p *ir.Program)) {
	for _, style := range append(Styles(), Loops, Locks, Long) {
		for seed := range uint64(programsPerStyle) {
			f(style, seed, style.Program(seed))
		}
	}
}

func TestGenerationIsDeterministic(t *testing.T) {
	eachProgram(t, func(style Style, seed uint64, p *ir.Program) {
		if !reflect.DeepEqual(p, style.Program(seed)) {
			t.Fatalf("style %s seed %d: two programs", style, seed)
		}
	})
}

func TestParseReadsWhatFormatWrites(t *testing.T) {
	eachProgram(t, func(style Style, seed uint64, p *ir.Program) {
		text := Format(p)
		q, err := Parse(text)
		if err != nil {
			t.Fatalf("style %s seed %d: %v\n%s", style, seed, err, text)
		}
		if again := Format(q); again != text {
			t.Fatalf("style %s seed %d: read back as\n%s\nwas\n%s", style, seed, again, text)
		}
		if !reflect.DeepEqual(p.Final, q.Final) {
			t.Fatalf("style %s seed %d: final values differ", style, seed)
		}
	})
}

func TestParseRejects(t *testing.T) {
	for _, text := range []string{
		"store x 1",
		"thread P0 device 0 kernel 0 group 0 sub 0\n store x 1",
		"thread P0 device 0 kernel 0 group 0 sub 0\n goto L1",
		"object x global nowhere atomic = 0",
		"object x global svm_coarse atomic = 0\nthread P0 host\n store x 1 stronger device",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}

func TestShrink(t *testing.T) {
	hasFence := func(p *ir.Program) bool {
		for _, th := range p.Threads {
			for _, in := range p.Funcs[th.Func].Code {
				if in.Op == ir.OpFence {
					return true
				}
			}
		}
		return false
	}
	eachProgram(t, func(style Style, seed uint64, p *ir.Program) {
		if !hasFence(p) {
			return
		}
		q := Shrink(p, hasFence)
		if code := q.Funcs[q.Threads[0].Func].Code; len(q.Threads) != 1 || len(code) != 2 || !hasFence(q) {
			t.Fatalf("style %s seed %d: not minimal:\n%s", style, seed, Format(q))
		}
	})
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Named() {
		if p.Name == "" || seen[p.Name] {
			t.Errorf("name %q is missing or used twice", p.Name)
		}
		seen[p.Name] = true
	}
}

// TestModificationsHaveNames demands a name of its own for all that a read-modify-write can do: without one, programs are written that
// cannot be read, or are read as others.
func TestModificationsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range ir.Modifications() {
		if int(a) >= len(aluNames) || aluNames[a] == "" || seen[aluNames[a]] {
			t.Errorf("aluNames has no name of its own for %v", a)
			continue
		}
		seen[aluNames[a]] = true
	}
}
