package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

const roundsHeader = `package main

import "github.com/clmc/clmc/models/cl"

var (
	x, y, z cl.AtomicInt
	a       [2]cl.AtomicInt
)

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}

func load(object *cl.AtomicInt) int32 { return cl.AtomicLoadExplicit(object, cl.MemoryOrderRelaxed) }

func k() {
`

// TestReturns says of kernels which of their accesses, numbered from 0 in the order of the text, may
// end a round of several reads, and with which it begins.
func TestReturns(t *testing.T) {
	for _, c := range []struct {
		what, kernel string
		want         []string
	}{
		{"a round of one read is none of several", `for load(&x) == 0 {
			}`, nil},
		{"two reads, one after the other", `for load(&x) == 0 || load(&y) == 0 {
			}`, []string{"1 ends 0"}},
		{"whatever is done with what they have read", `for load(&x)+load(&y) != 3 {
			}`, []string{"1 ends 0"}},
		{"a look, and an exchange", `for load(&x) == 1 || cl.AtomicExchangeExplicit(&x, 1, cl.MemoryOrderAcquire) == 1 {
			}`, []string{"1 ends 0"}},
		{"three reads: a round may begin with the second", `for load(&x) == 0 || load(&y) == 0 || load(&z) == 0 {
			}`, []string{"1 ends 0", "2 ends 0 by 1"}},
		{"a loop within, of which each round is one", `for load(&x) == 0 {
				for load(&y) == 0 {
				}
			}`, []string{"1 ends 0 by 1"}},
		{"a store between", `for load(&x) == 0 {
				cl.AtomicStoreExplicit(&z, 1, cl.MemoryOrderRelaxed)
				if load(&y) == 1 {
					return
				}
			}`, nil},
		{"a store on one way back to the second", `for {
				if load(&x) == 1 {
					cl.AtomicStoreExplicit(&z, 1, cl.MemoryOrderRelaxed)
				}
				if load(&y) == 1 {
					return
				}
			}`, nil},
		{"a fence between", `for load(&x) == 0 {
				cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
				if load(&y) == 1 {
					return
				}
			}`, nil},
		{"rounds are counted", `for i := 0; load(&x) == 0 || load(&y) == 0; i++ {
				if i == 3 {
					return
				}
			}`, nil},
		{"what is read decides what the round begins with", `i := int32(0)
			for load(&a[i&1]) == 0 {
				i = load(&y)
			}`, nil},
		{"what is read last time is looked at once more", `seen := int32(0)
			for load(&x) == seen {
				seen = load(&y)
			}`, nil},
		{"two ways in", `if load(&z) == 0 {
				goto second
			}
		first:
			if load(&x) == 1 {
				return
			}
		second:
			if load(&y) == 0 {
				goto first
			}`, nil},
		{"the exchange comes again without a look", `for load(&x) == 0 {
				for cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire) == 2 {
				}
			}`, nil},
		{"something is noted between", `for load(&x) == 0 {
				cl.Reachable("here")
				if load(&y) == 1 {
					return
				}
			}`, nil},
	} {
		program, err := load.Source("returns.go", []byte(roundsHeader+c.kernel+"\n}\n"), load.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := returnsOf(program); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// returnsOf lists what ends rounds in the kernel of a program.
func returnsOf(p *ir.Program) (list []string) {
	f := facts.Of(p, memmodel.Specs[0])
	fn := slices.IndexFunc(p.Funcs, func(f *ir.Func) bool { return strings.HasSuffix(f.Name, "k") })
	var accesses []int32
	for pc := range p.Funcs[fn].Code {
		if p.Funcs[fn].Code[pc].Op.Access() {
			accesses = append(accesses, int32(pc))
		}
	}
	for i, pc := range accesses {
		for _, r := range f.Plans[fn][pc].Returns {
			text := fmt.Sprintf("%d ends %d", i, slices.Index(accesses, r.To))
			for _, pc := range r.Between {
				text += fmt.Sprintf(" by %d", slices.Index(accesses, pc))
			}
			list = append(list, text)
		}
	}
	return list
}
