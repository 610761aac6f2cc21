package trace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/seedset"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// private is a random model of private computation that ends in a failing assertion,
// together with what its variables hold there: it is executed while it is written.
type private struct {
	*rand.Rand
	text   strings.Builder
	scopes []map[string]int32 // innermost last
	depth  int
}

func (p *private) line(format string, args ...any) {
	fmt.Fprintf(&p.text, strings.Repeat("\t", p.depth+1)+format+"\n", args...)
}

// lookup returns the innermost scope with a name, or nil.
func (p *private) lookup(name string) map[string]int32 {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if _, ok := p.scopes[i][name]; ok {
			return p.scopes[i]
		}
	}
	return nil
}

// pick returns a variable that is in scope.
func (p *private) pick() string {
	for {
		name := fmt.Sprintf("v%d", p.IntN(5))
		if name == "v4" {
			return "w.a"
		}
		if p.lookup(name) != nil {
			return name
		}
	}
}

// expr returns an expression and its value.
func (p *private) expr() (string, int32) {
	a := p.pick()
	va := p.lookup(a)[a]
	switch p.IntN(6) {
	case 0:
		n := int32(p.IntN(9))
		return fmt.Sprintf("int32(%d)", n), n
	case 1:
		return a, va
	case 2:
		b := p.pick()
		return a + " + " + b, va + p.lookup(b)[b]
	case 3:
		return "double(" + a + ")", va*2 + 1
	case 4:
		return a + "*3", va * 3
	}
	return a + " - 1", va - 1
}

// statements writes and executes some statements, if they are reached.
func (p *private) statements(n int, live bool) {
	for range n {
		text, v := p.expr()
		name := fmt.Sprintf("v%d", p.IntN(4))
		top := p.scopes[len(p.scopes)-1]
		_, here := top[name]
		switch kind := p.IntN(8); {
		case kind < 2 && !here:
			p.line("%s := %s", name, text)
			p.line("_ = %s", name)
			top[name] = v
		case kind < 5:
			name = p.pick()
			p.line("%s = %s", name, text)
			if live {
				p.lookup(name)[name] = v
			}
		case kind < 7 && p.depth < 3:
			cond := p.pick()
			taken := p.lookup(cond)[cond]%2 == 0
			p.line("if %s%%2 == 0 {", cond)
			p.block(live && taken)
			p.line("} else {")
			p.block(live && !taken)
			p.line("}")
		case p.depth < 3: // a loop whose rounds all do the same is executed in one go
			name = p.pick()
			rounds := int32(p.IntN(4))
			p.line("for i := int32(0); i < %d; i++ {", rounds)
			p.line("\t%s += i + 1", name)
			p.line("}")
			if live {
				p.lookup(name)[name] += rounds * (rounds + 1) / 2
			}
		}
	}
}

func (p *private) block(live bool) {
	p.scopes = append(p.scopes, map[string]int32{})
	p.depth++
	p.statements(1+p.IntN(3), live)
	p.depth--
	p.scopes = p.scopes[:len(p.scopes)-1]
}

func (p *private) model() string {
	p.text.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar in [2]int32\n\n" +
		"func double(v0 int32) int32 {\n\tv1 := v0\n\tif v1 > 100 {\n\t\tv1 = v0 + v0\n\t\treturn v1 + 1\n\t}\n\treturn v1*2 + 1\n}\n\n" +
		"type pair struct{ a, b int32 }\n\nfunc k() {\n\tvar w pair\n\t_ = w\n\tv0 := in[0]\n\tv1 := in[1]\n\t_ = v1\n")
	p.scopes = []map[string]int32{{"v0": 5, "v1": 8, "w.a": 0, "w.b": 0}}
	p.statements(8, true)
	p.text.WriteString("\tcl.Assert(v0 == 1000003, \"end\")\n}\n\nfunc main() {\n\tin[0] = 5\n\tin[1] = 8\n" +
		"\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))\n\tcl.Finish()\n}\n")
	return p.text.String()
}

// TestPrivateValues checks that what reports tell of private variables is so, whatever
// the loader has left out of the code.
func TestPrivateValues(t *testing.T) {
	tried := seeds.Times(20)
	if told, want := privateValues(t, tried, maxAttended), tried.N(); told < want {
		t.Errorf("%d values are told, want %d or more", told, want)
	}
}

// TestAttendedInPart does so where there is more private code than is attended to.
func TestAttendedInPart(t *testing.T) {
	for _, most := range []int{1, 30, 60} {
		if n := privateValues(t, seeds.Times(20), most); n == 0 && most > 1 {
			t.Errorf("with %d instructions, no value is told", most)
		}
	}
}

// privateValues returns how many values are told where at most so many instructions are attended to.
func privateValues(t *testing.T, tried *seedset.Set, most int) (told int) {
	for seed := range tried.All() {
		p := &private{Rand: rand.New(rand.NewPCG(uint64(seed), 3))}
		src := p.model()
		prog, err := load.Source("m.go", []byte(src), load.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		r := explore.Run(context.Background(), prog, explore.Options{})
		if len(r.Violations) != 1 || r.Violations[0].Kind != state.AssertionFailed {
			t.Fatalf("seed %d: %v\n%s", seed, r.Violations, src)
		}
		tr, err := build(prog, r.Spec, r.Violations[0], time.Time{}, most)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("left %d", p.scopes[0]["v0"])
		if tr.Skipped > 0 && !strings.Contains(tr.Message, ": left ") {
			continue // what is compared was not attended to
		}
		if !strings.Contains(tr.Message, want) || !strings.Contains(tr.Message, "right 1000003") {
			t.Errorf("seed %d: %s: want %q\n%s", seed, tr.Message, want, src)
		}
		for _, v := range tr.Private {
			val, ok := p.scopes[0][v.Name]
			if told++; !ok || fmt.Sprint(val) != v.Value {
				t.Errorf("seed %d: %s = %s is told, it is %d (%v)\n%s%s", seed, v.Name, v.Value, val, ok, src, prog)
			}
		}
	}
	return told
}

// opaques fails where events, queues and an index space are in private variables, beside a number.
const opaques = `package main

import "github.com/clmc/clmc/models/cl"

var x, y int32

func k() {
	n := int32(cl.Choose(2)) + 7
	var e [2]cl.ClkEvent
	q, nd := cl.GetDefaultQueue(), cl.NDRange1D(1, 1)
	cl.EnqueueKernelEvents(q, cl.CLKEnqueueFlagsNoWait, nd, nil, &e[0], func() { x = 1 })
	cl.ReleaseEvent(e[0])
	cl.Assert(n == 7, "one way of two")
	cl.EnqueueKernel(q, cl.CLKEnqueueFlagsNoWait, nd, func() { y = n })
}

func other(e cl.Event, n int32) {
	cl.Assert(cl.WaitForEvents(e) && n < 0, "never")
}

func main() {
	first := true
	if first {
		cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
		cl.Finish()
	}
	e := cl.EnqueueMarkerWithWaitList()
	go other(e, 7)
}
`

// What a model cannot look into, it is not told of: the numbers of events and queues are clmc's own.
func TestPrivateOfOpaqueTypes(t *testing.T) {
	for _, place := range []string{"true", "false"} {
		p, err := load.Source("opaque.go", []byte(strings.Replace(opaques, "first := true", "first := "+place, 1)), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(context.Background(), p, explore.Options{})
		if len(r.Violations) != 1 || r.Violations[0].Kind != state.AssertionFailed {
			t.Fatalf("first %s: %+v", place, r.Violations)
		}
		tr, err := Build(p, r.Spec, r.Violations[0])
		if err != nil {
			t.Fatal(err)
		}
		told := false
		for _, v := range tr.Private {
			told = told || v.Name == "n"
			if v.Name != "n" {
				t.Errorf("first %s: %s = %s is told", place, v.Name, v.Value)
			}
		}
		if !told {
			t.Errorf("first %s: n is not told: %+v", place, tr.Private)
		}
	}
}
