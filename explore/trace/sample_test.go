package trace

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// locate gives a program a source text: what randprog.Format writes.
func locate(p *ir.Program) *ir.Program {
	text := randprog.Format(p)
	p.Sources = []ir.Source{{Name: p.Name + ".txt", Text: text}}
	fn, pc := -1, 0
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "thread "), strings.HasPrefix(line, "kernel "):
			fn, pc = fn+1, 0
		case strings.HasPrefix(line, "\t"):
			p.Positions = append(p.Positions, ir.Pos{Line: int32(i + 1), Col: 2})
			p.Funcs[fn].Code[pc].Pos = int32(len(p.Positions) - 1)
			pc++
		}
	}
	return p
}

// first explores a program and traces the first violation of a kind.
func first(t *testing.T, p *ir.Program, spec memmodel.Spec, k state.Kind) *Trace {
	t.Helper()
	r := explore.Run(context.Background(), p, explore.Options{Spec: spec, All: true})
	for _, v := range r.Violations {
		if v.Kind == k {
			tr, err := Build(p, spec, v)
			if err != nil {
				t.Fatal(err)
			}
			return tr
		}
	}
	t.Fatalf("no %v in\n%s", k, randprog.Format(p))
	return nil
}

// describe writes what a trace says, for comparison with a golden text.
func describe(t *Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.Message)
	for _, w := range t.Why {
		fmt.Fprintf(&b, "why (%s, %s): %s\n", w.Kind, w.Rule, w.Text)
		if w.Repair != "" {
			fmt.Fprintf(&b, "repair: %s\n", w.Repair)
		}
	}
	for _, w := range t.Waits {
		fmt.Fprintf(&b, "wait: %s %s at %v\n", t.Lanes[w.Lane].Name, w.Text, w.Pos)
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(&b, "%3d %-4s %s", s.ID, t.Lanes[s.Lane].Name, s.Op)
		if s.ReadsFrom != nil {
			fmt.Fprintf(&b, " = %d from %d", *s.Read, *s.ReadsFrom)
		}
		if s.Outcome != "" {
			fmt.Fprintf(&b, ", %s", s.Outcome)
		}
		if s.Before > 0 {
			fmt.Fprintf(&b, ", before %d", s.Before)
		}
		for _, q := range s.Sync {
			fmt.Fprintf(&b, ", syncs with %d (%s)", q.From, q.Regions())
		}
		for _, v := range s.Sees {
			fmt.Fprintf(&b, ", sees %s = %d", v.Location, v.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}
