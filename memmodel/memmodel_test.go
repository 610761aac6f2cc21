package memmodel_test

import (
	"bytes"
	"testing"

	"github.com/clmc/clmc/memmodel"
)

// What the operations of a work-item do to memory and to what others may see of it, one rule a
// script. The numbers are those of docs/semantics.md.
func TestRules(t *testing.T) {
	for _, c := range []struct{ rule, script string }{
		{"7.2 a relaxed load may return any value that nothing newer has been seen of", `
			a x = 1 relaxed device
			a x = 2 relaxed device
			? b x may read 0 1 2
			b x reads 1 relaxed device
			? b x may read 1 2
			? a x may read 2`},
		{"7.3 a store goes anywhere behind what its unit has seen", `
			a x = 1 relaxed device
			? b x may insert 2
			? a x may insert 1
			b x = 2 relaxed device behind 1
			? final x 1
			? a x may read 1`},
		{"7.7 nothing comes between a read-modify-write and what it reads", `
			a x 0 becomes 1 relaxed device
			? b x may insert 1
			? b x may read 0 1`},
		{"6.1 a release and an acquire that reads it order what is around them", `
			a p = 1
			a x = 1 release device
			b x reads 1 acquire device
			b p
			? fine`},
		{"6.1 a relaxed load acquires nothing", `
			a p = 1
			a x = 1 release device
			b x reads 1 relaxed device
			b p
			? race p`},
		{"6.1 who has acquired sees nothing older than the releasing unit did", `
			a y = 1 relaxed device
			a x = 1 release device
			? b y may read 0 1
			b x reads 1 acquire device
			? b y may read 1`},
		{"3.5 a scope that covers one of them only is no synchronisation", `
			a p = 1
			a x = 1 release work_group
			c x reads 1 acquire work_group
			? race x`},
		{"3.5 within a work-group, work_group scope will do", `
			a p = 1
			a x = 1 release work_group
			b x reads 1 acquire work_group
			b p
			? fine`},
		{"5.4 a read-modify-write of anybody continues a release sequence", `
			a p = 1
			a x = 1 release device
			c x 1 becomes 2 relaxed device
			b x reads 2 acquire device
			b p
			? fine`},
		{"5.4 another unit's store ends a release sequence", `
			a p = 1
			a x = 1 release device
			c x = 2 relaxed device
			b x reads 2 acquire device
			b p
			? race p`},
		{"5.4 the releasing unit's own store continues it", `
			a p = 1
			a x = 1 release device
			a x = 2 relaxed device
			b x reads 2 acquire device
			b p
			? fine`},
		{"6.5 an acquire fence turns earlier relaxed loads into acquires", `
			a p = 1
			a x = 1 release device
			b x reads 1 relaxed device
			b fence acquire device global
			b p
			? fine`},
		{"6.3 a release fence turns later relaxed stores into releases", `
			a p = 1
			a fence release device global
			a x = 1 relaxed device
			b x reads 1 relaxed device
			b fence acquire device global
			b p
			? fine`},
		{"6.6 a fence orders the memory of its flags only", `
			a p = 1
			a fence release device local
			a x = 1 relaxed device
			b x reads 1 acquire device
			b p
			? race p`},
		{"5.5 a local flag orders local memory only", `
			a p = 1
			a l = 1
			a m = 1 release work_group
			b m reads 1 acquire work_group
			b l
			? fine
			b p
			? race p`},
		{"6.7 two-flag fences on both sides order both regions", `
			a p = 1
			a fence release work_group global,local
			a m = 1 relaxed work_group
			b m reads 1 relaxed work_group
			b fence acquire work_group global,local
			b p
			? fine`},
		{"6.8 what seq_cst operations order in one region they order in both", `
			a p = 1
			a m = 1 seq_cst work_group
			b m reads 1 seq_cst work_group
			b p
			? fine`},
		{"11.3 a barrier orders the memory of its flags", `
			a p = 1
			a l = 1
			a,b barrier global
			b p
			? fine
			b l
			? race l`},
		{"11.4 a barrier without flags orders nothing", `
			a p = 1
			a,b barrier none
			b p
			? race p`},
		{"9.1 two ordinary accesses race if neither happens before the other and one is a store", `
			a p = 1
			b q
			c q
			? fine
			b p = 2
			? race p`},
		{"9.2 an atomic and an ordinary access race as well", `
			a x = 1 relaxed device
			b x = 2
			? race x`},
		{"1.4 nobody may read what nobody has written", `
			a r
			? uninitialised r
			a r = 1
			a r
			? fine`},
		{"8.2 seq_cst operations have one order: store buffering is out", `
			a x = 1 seq_cst device
			b y = 1 seq_cst device
			a y reads 0 seq_cst device
			? fine
			b x reads 0 seq_cst device
			? inconsistent`},
		{"8.6 seq_cst fences between forbid it for relaxed operations", `
			a x = 1 relaxed device
			a fence seq_cst device global
			b y = 1 relaxed device
			b fence seq_cst device global
			a y reads 0 relaxed device
			? fine
			b x reads 0 relaxed device
			? inconsistent`},
		{"8.7 one fence alone does not", `
			a x = 1 relaxed device
			a fence seq_cst device global
			b y = 1 relaxed device
			a y reads 0 relaxed device
			b x reads 0 relaxed device
			? fine`},
	} {
		t.Run(c.rule, func(t *testing.T) { run(t, memmodel.Specs[0], c.script) })
	}
}

// Versions of the specification differ in when scopes include each other.
func TestInclusiveScopes(t *testing.T) {
	for _, c := range []struct{ spec, script string }{
		{"3.0", "b x reads 1 acquire work_group\n ? race x"}, // rule 3.5
		{"2.0", "b x reads 1 acquire work_group\n ? race x"},
		{"3.1", "b x reads 1 acquire work_group\n b p\n ? fine"}, // rule 3.6
		{"3.1", "c x reads 1 acquire work_group\n ? race x"},
	} {
		spec, err := memmodel.ParseSpec(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		run(t, spec, "a p = 1\n a x = 1 release device\n"+c.script)
	}
}

// Memories are equal if no future can tell them apart. Each case says what is still to come
// in the words of Future, and whether two pasts are the same to it.
func TestCanonicalForm(t *testing.T) {
	readsX := map[string]memmodel.Future{"b": future("x", "")}
	for _, c := range []struct {
		why, one, other string
		future          map[string]memmodel.Future
		same            bool
	}{
		{"a value that everybody has overwritten is gone", `
			a x = 1 relaxed device
			a x = 2 relaxed device
			b x reads 2 relaxed device`, `
			a x = 7 relaxed device
			a x = 2 relaxed device
			b x reads 2 relaxed device`, readsX, true},
		{"one that somebody may still read is not", `
			a x = 1 relaxed device
			a x = 2 relaxed device`, `
			a x = 7 relaxed device
			a x = 2 relaxed device`, readsX, false},
		{"what a unit has seen of a location matters while it may read it", `
			a x = 1 relaxed device
			b x reads 0 relaxed device`, `
			a x = 1 relaxed device
			b x reads 1 relaxed device`, readsX, false},
		{"and no longer", `
			a x = 1 relaxed device
			b x reads 0 relaxed device`, `
			a x = 1 relaxed device
			b x reads 1 relaxed device`, map[string]memmodel.Future{"b": future("y", "")}, true},
		{"in which order two units read does not matter", `
			a x = 1 relaxed device
			b x reads 1 relaxed device
			c x reads 1 relaxed device`, `
			a x = 1 relaxed device
			c x reads 1 relaxed device
			b x reads 1 relaxed device`, map[string]memmodel.Future{"b": future("x", "x"), "c": future("x", "x")}, true},
		{"events are counted only as far as something refers to them", `
			a x = 1 relaxed device
			b x reads 1 relaxed device`, `
			b y reads 0 relaxed device
			b y reads 0 relaxed device
			a x = 1 relaxed device
			b x reads 1 relaxed device`, readsX, true},
		{"an access that may still race is remembered", `
			a p = 0`, `
			a q`, map[string]memmodel.Future{"b": future("p", "p")}, false},
		{"one that nobody can race with is forgotten", `
			a p = 0
			a,b barrier global`, `
			a,b barrier global`, map[string]memmodel.Future{"b": future("p", "p")}, true},
		{"what a release publishes matters while somebody may acquire it", `
			a p = 0
			a x = 1 release device`, `
			a p = 0
			a x = 1 relaxed device`, map[string]memmodel.Future{"b": future("x p", "")}, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			one, other := canonical(t, c.one, c.future), canonical(t, c.other, c.future)
			if same := bytes.Equal(one, other); same != c.same {
				t.Errorf("same: %v, want %v\n%x\n%x", same, c.same, one, other)
			}
		})
	}
}

// future returns that of a unit which may load some locations and store to some.
func future(loads, stores string) memmodel.Future {
	f := memmodel.NewFuture(len(locNames))
	for x, name := range locNames {
		if bytes.Contains([]byte(loads), []byte(name)) {
			f.Access[0] |= 1 << x
			f.Peek[0] |= 1 << x
		}
		if bytes.Contains([]byte(stores), []byte(name)) {
			f.Access[0] |= 1 << x
			f.Store[0] |= 1 << x
		}
	}
	f.Acquires = true
	return f
}

// canonical returns the canonical form of what a script leads to, when units have these
// futures and all others have ended.
func canonical(t *testing.T, script string, futures map[string]memmodel.Future) []byte {
	t.Helper()
	m := run(t, memmodel.Specs[0], script)
	h := memmodel.Horizon{Units: make([]*memmodel.Future, len(unitNames)), Wanted: make([]uint64, 1), Closed: true}
	for u, name := range unitNames {
		if f, ok := futures[name]; ok {
			h.Units[u] = &f
		} else {
			m.End(memmodel.Unit(u))
		}
	}
	c := memmodel.Canon{Horizon: h}
	c.Normalise(m)
	first := m.Append(nil)
	c.Normalise(m)
	if again := m.Append(nil); !bytes.Equal(first, again) {
		t.Errorf("the canonical form of a canonical form differs from it:\n%x\n%x", first, again)
	}
	var back memmodel.Memory
	back.Reset(m.L)
	if rest, err := back.Decode(m.L, first); err != nil || len(rest) > 0 || !bytes.Equal(back.Append(nil), first) {
		t.Errorf("decoded, it differs: %v, %d bytes left", err, len(rest))
	}
	return first
}
