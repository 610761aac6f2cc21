package memmodel_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
)

// A script is what units do to a memory, one operation a line, in the order in
// which they do it. Units a and b are work-items of one work-group, c is one of another
// group of the same kernel. The locations p and q are plain, x and y are atomic, all four in global
// memory and 0 at first; l is a plain location in local memory, m an atomic one, both of the
// group of a and b and 0 at first; r is plain and has no value at first.
//
//	a p = 1                              an ordinary store
//	a p                                  an ordinary load
//	a x = 1 release device               an atomic store, the newest in modification order
//	a x = 1 relaxed device behind 1      the same, but older than the newest message
//	b x reads 1 acquire device           an atomic load of the message with that value
//	b x 1 becomes 2 acq_rel device       a read-modify-write that reads 1 and writes 2
//	b fence acquire device global,local  a fence with flags
//	a,b barrier global                   all of them pass a work-group barrier
//	a ends
//
// Lines that begin with ? are questions; one that does not hold fails the test.
//
//	? b x may read 0 1                   the values that b may load, oldest first
//	? b x may insert 2                   in how many places b may put a store
//	? race p                             the last operation raced with an earlier one
//	? uninitialised r                    the last operation read what nobody wrote
//	? fine                               nothing is wrong so far
//	? final x 2                          the last value in modification order
//	? inconsistent                       the last operation cannot have happened
type script struct {
	t          *testing.T
	m          memmodel.Memory
	consistent bool
}

var (
	unitNames = []string{"a", "b", "c"}
	locNames  = []string{"p", "q", "x", "y", "l", "m", "r"}
	orders    = map[string]memmodel.Order{"relaxed": memmodel.Relaxed, "acquire": memmodel.Acquire, "release": memmodel.Release,
		"acq_rel": memmodel.AcqRel, "seq_cst": memmodel.SeqCst}
	scopes = map[string]memmodel.Scope{"work_group": memmodel.ScopeWorkGroup, "device": memmodel.ScopeDevice, "all": memmodel.ScopeAllSVMDevices}
	flags  = map[string]memmodel.Flags{"global": memmodel.GlobalFence, "local": memmodel.LocalFence, "none": 0,
		"global,local": memmodel.GlobalFence | memmodel.LocalFence}
)

// layout returns the layout of the units and locations of scripts.
func layout(spec memmodel.Spec) *memmodel.Layout {
	everybody := []uint64{1<<len(unitNames) - 1}
	loc := func(region memmodel.Region, atomic, initialised bool) memmodel.Location {
		return memmodel.Location{Region: region, Atomic: atomic, Initialised: initialised, Storers: everybody, Peekers: everybody}
	}
	return memmodel.NewLayout(spec, memmodel.Traits{SeqCst: true, Gaps: true, Fences: true, Local: true},
		[]memmodel.Place{{Kernel: 1, Group: 0}, {Kernel: 1, Group: 0}, {Kernel: 1, Group: 1}},
		[]memmodel.Location{
			loc(memmodel.Global, false, true), loc(memmodel.Global, false, true),
			loc(memmodel.Global, true, true), loc(memmodel.Global, true, true),
			loc(memmodel.Local, false, true), loc(memmodel.Local, true, true),
			loc(memmodel.Global, false, false),
		})
}

// run performs the lines of a script on a memory that nobody has touched.
func run(t *testing.T, spec memmodel.Spec, text string) *memmodel.Memory {
	t.Helper()
	s := &script{t: t, consistent: true}
	s.m.Reset(layout(spec))
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "?":
			if err := s.ask(words[1:]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		default:
			s.m.Fault = memmodel.Fault{}
			s.do(words)
		}
	}
	return &s.m
}

func (s *script) do(words []string) {
	units := s.units(words[0])
	u := units[0]
	switch words[1] {
	case "fence":
		s.consistent = s.m.Fence(u, s.flags(words[4]), s.order(words[2]), s.scope(words[3]))
		return
	case "barrier":
		f := s.flags(words[2])
		for _, u := range units {
			s.m.Arrive(u, f, memmodel.ScopeWorkGroup, true)
		}
		s.m.Depart(units, f, memmodel.ScopeWorkGroup)
		return
	case "ends":
		s.m.End(u)
		return
	}
	x := s.loc(words[1])
	switch {
	case len(words) == 2:
		s.m.Load(u, x, 0, 0, memmodel.NonAtomic, 0)
	case words[2] == "=" && len(words) == 4:
		s.m.Store(u, x, 0, s.number(words[3]), memmodel.NonAtomic, 0)
	case words[2] == "=":
		back := memmodel.Msg(0)
		if len(words) == 8 {
			back = memmodel.Msg(s.number(words[7]))
		}
		if back >= s.m.Writable(u, x) || !s.m.Insertable(u, x, back) {
			s.t.Fatalf("%v: not allowed here", words)
		}
		s.consistent = s.m.Store(u, x, back, s.number(words[3]), s.order(words[4]), s.scope(words[5]))
	case words[2] == "reads":
		_, s.consistent = s.m.Load(u, x, s.back(u, x, words[3]), 0, s.order(words[4]), s.scope(words[5]))
	case words[3] == "becomes":
		back := s.back(u, x, words[2])
		if !s.m.Modifiable(x, back) {
			s.t.Fatalf("%v: not allowed here", words)
		}
		s.consistent = s.m.Modify(u, x, back, 0, s.number(words[4]), s.order(words[5]), s.scope(words[6]))
	default:
		s.t.Fatalf("cannot read %v", words)
	}
}

func (s *script) ask(words []string) error {
	fault := s.m.Fault
	switch words[0] {
	case "fine":
		if fault.Kind != memmodel.NoFault || !s.consistent {
			return fmt.Errorf("fault %v, consistent: %v", fault, s.consistent)
		}
	case "inconsistent":
		if s.consistent {
			return fmt.Errorf("it is consistent")
		}
	case "race", "uninitialised":
		want := map[string]memmodel.FaultKind{"race": memmodel.DataRace, "uninitialised": memmodel.Uninitialised}[words[0]]
		if fault.Kind != want || fault.Loc != s.loc(words[1]) {
			return fmt.Errorf("fault %+v", fault)
		}
	case "final":
		if got := s.m.Final(s.loc(words[1])); got != s.number(words[2]) {
			return fmt.Errorf("it is %d", got)
		}
	default:
		return s.may(s.units(words[0])[0], s.loc(words[1]), words[3], words[4:])
	}
	return nil
}

// may answers what a unit may read, or where it may insert.
func (s *script) may(u memmodel.Unit, x memmodel.Loc, what string, want []string) error {
	if what == "insert" {
		n := 0
		for back := range s.m.Writable(u, x) {
			if s.m.Insertable(u, x, back) {
				n++
			}
		}
		if int64(n) != s.number(want[0]) {
			return fmt.Errorf("in %d places", n)
		}
		return nil
	}
	var got []string
	for back := s.m.Readable(u, x) - 1; back >= 0; back-- {
		got = append(got, fmt.Sprint(s.m.Value(x, back)))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("it may read %v", got)
	}
	return nil
}

// back returns which message has the value, which unit u must be able to read.
func (s *script) back(u memmodel.Unit, x memmodel.Loc, value string) memmodel.Msg {
	for back := range s.m.Readable(u, x) {
		if s.m.Value(x, back) == s.number(value) {
			return back
		}
	}
	s.t.Fatalf("unit %s cannot read %s from %s", unitNames[u], value, locNames[x])
	return 0
}

func (s *script) units(names string) (list []memmodel.Unit) {
	for name := range strings.SplitSeq(names, ",") {
		list = append(list, s.index(unitNames, name))
	}
	return list
}

func (s *script) loc(name string) memmodel.Loc { return memmodel.Loc(s.index(locNames, name)) }

func (s *script) index(names []string, name string) memmodel.Unit {
	i := memmodel.Unit(slices.Index(names, name))
	if i < 0 {
		s.t.Fatalf("no %q among %v", name, names)
	}
	return i
}

func (s *script) number(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) order(word string) memmodel.Order { return lookUp(s.t, orders, word) }
func (s *script) scope(word string) memmodel.Scope { return lookUp(s.t, scopes, word) }
func (s *script) flags(word string) memmodel.Flags { return lookUp(s.t, flags, word) }

func lookUp[T any](t *testing.T, table map[string]T, word string) T {
	v, ok := table[word]
	if !ok {
		t.Fatalf("no %q", word)
	}
	return v
}
