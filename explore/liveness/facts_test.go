package liveness_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// fact is a program and what is known of it from elsewhere.
type fact struct {
	name         string
	threads      [][]instruction
	weak, strong string // by model, p if every execution ends
}

// instruction is one of a thread: loc, check, exch, jump; "-" for none.
type instruction [4]string

// factModels are the models of the facts, in their order.
var factModels = []liveness.Model{liveness.HSA, liveness.OBE, liveness.HSAOBE, liveness.LOBE, liveness.Fair}

// readFacts reads a file of facts.
func readFacts(t testing.TB, name string) (all []fact) {
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(strings.TrimSpace(line), "|")
		f := fact{name: part[0], weak: part[2], strong: part[3]}
		for thread := range strings.SplitSeq(part[1], "/") {
			var code []instruction
			for in := range strings.SplitSeq(thread, ";") {
				code = append(code, instruction(strings.Fields(in)))
			}
			f.threads = append(f.threads, code)
		}
		all = append(all, f)
	}
	return all
}

// source is the program of a fact as a model: thread i is work-group i, of one work-item.
func (f *fact) source() string {
	var b, kernel strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar m [2]cl.AtomicInt\n")
	for i, code := range f.threads {
		fmt.Fprintf(&kernel, "case %d:\nt%d()\n", i, i)
		fmt.Fprintf(&b, "func t%d() {\npc := 0\nfor pc != %d {\nswitch pc {\n", i, len(code))
		for k, in := range code {
			loc, check, exch, jump := in[0], in[1], in[2], in[3]
			read := fmt.Sprintf("cl.AtomicLoad(&m[%s])", loc)
			if exch != "-" {
				read = fmt.Sprintf("cl.AtomicExchange(&m[%s], %s)", loc, exch)
			}
			if check == "-" {
				fmt.Fprintf(&b, "case %d:\ncl.AtomicStore(&m[%s], %s)\npc = %d\n", k, loc, exch, k+1)
			} else {
				fmt.Fprintf(&b, "case %d:\nif %s == %s {\npc = %s\n} else {\npc = %d\n}\n", k, read, check, jump, k+1)
			}
		}
		b.WriteString("}\n}\n}\n")
	}
	fmt.Fprintf(&b, "func k() {\nswitch cl.GetGroupID(0) {\n%s}\n}\nfunc main() {\ncl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, 1))\ncl.Finish()\n}\n", &kernel, len(f.threads))
	return b.String()
}

// program loads a model.
func program(t testing.TB, text string) *ir.Program {
	p, err := load.Source("main.go", []byte(text), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// graph builds the graph of a program.
func graph(p *ir.Program, keep memmodel.Keep, opt liveness.Options) *liveness.Graph {
	m := state.NewMachine(p, memmodel.Specs[0])
	m.Keep |= memmodel.KeepRounds | keep
	por.Interleave(m)
	return liveness.Build(context.Background(), m, opt)
}

var letters = map[liveness.Verdict]byte{liveness.Ends: 'p', liveness.Runs: 'f', liveness.Unknown: '?'}

// verdicts answers the questions about all models of the facts.
func verdicts(t *testing.T, g *liveness.Graph, f liveness.Fairness) string {
	var out []byte
	for _, x := range factModels {
		a := g.Check(context.Background(), liveness.Question{Levels: liveness.Whole(x), Fairness: f})
		if a.Verdict == liveness.Runs && (a.Lasso == nil || len(a.Lasso.Loop) == 0) {
			t.Errorf("%v, %v: it may run for ever, and no execution shows it", x, f)
		}
		out = append(out, letters[a.Verdict])
	}
	return string(out)
}

// TestFacts compares verdicts with those of other checkers.
func TestFacts(t *testing.T) {
	for file, least := range map[string]int{"progress.txt": 241, "random.txt": 125} {
		facts := readFacts(t, file)
		if len(facts) < least {
			t.Errorf("%s has %d facts", file, len(facts))
		}
		for _, f := range facts {
			p := program(t, f.source())
			if weak, strong := reduced(t, p, liveness.Weak), reduced(t, p, liveness.Strong); weak != f.weak || strong != f.strong {
				t.Errorf("%s, where less is looked at: weak %s, want %s; strong %s, want %s", f.name, weak, f.weak, strong, f.strong)
			}
			g := graph(p, 0, liveness.Options{Starts: true})
			if weak, strong := verdicts(t, g, liveness.Weak), verdicts(t, g, liveness.Strong); weak != f.weak || strong != f.strong {
				t.Errorf("%s: weak %s, want %s; strong %s, want %s", f.name, weak, f.weak, strong, f.strong)
			}
		}
	}
}

// reduced answers the questions about all models of the facts where less is looked at.
func reduced(t *testing.T, p *ir.Program, f liveness.Fairness) string {
	return decided(t, p, f, liveness.Options{})
}

// decided answers these questions as the options say.
func decided(t *testing.T, p *ir.Program, f liveness.Fairness, opt liveness.Options) string {
	var all []liveness.Question
	for _, x := range factModels {
		all = append(all, liveness.Question{Levels: liveness.Whole(x), Fairness: f})
	}
	m := state.NewMachine(p, memmodel.Specs[0])
	m.Keep |= memmodel.KeepRounds
	por.Interleave(m)
	var answers []liveness.Answer
	if opt.Look == 1 { // each alone, so that none is an answer to another
		for i := range all {
			answers = append(answers, liveness.Decide(context.Background(), m, all[i:i+1], opt).Answers...)
		}
	} else {
		answers = liveness.Decide(context.Background(), m, all, opt).Answers
	}
	var out []byte
	for _, a := range answers {
		if a.Verdict == liveness.Runs && (a.Lasso == nil || len(a.Lasso.Loop) == 0) {
			t.Errorf("%v, %v: it may run for ever, and no execution shows it", a.Levels, f)
		}
		out = append(out, letters[a.Verdict])
	}
	return string(out)
}
