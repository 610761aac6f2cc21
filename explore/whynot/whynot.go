package whynot

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Question is what was asked for.
type Question = axiom.Question

// Answer tells why there is no execution.
type Answer struct {
	// Reason is "forbidden", "undefined", "no values" or "not found".
	Reason string `json:"reason"`
	Text   string `json:"text"` // in one sentence
	// Candidates is the number of ways to read and to order the writes with such an outcome.
	Candidates int `json:"candidates"`
	// Forbidden tells which rules forbid how many of them.
	Forbidden []Count `json:"forbidden,omitempty"`
	// Rule excludes the chain: a circle, whose last step relates to its first.
	Rule  string `json:"rule,omitempty"`
	Chain []Link `json:"chain,omitempty"`
	// Race are the accesses of a data race that makes an execution undefined.
	Race []Place `json:"race,omitempty"`
}

// Count tells how many candidates rules forbid.
type Count struct {
	Rule       string `json:"rule"`
	Candidates int    `json:"candidates"`
}

// Link is an operation of a chain, and how it relates to the next.
type Link struct {
	Place
	Relation string `json:"relation"`
	Rule     string `json:"rule,omitempty"`
}

// Place is an operation.
type Place struct {
	Thread string    `json:"thread,omitempty"`
	Op     string    `json:"op"`
	At     trace.Pos `json:"at"`
}

// The reasons.
const (
	Forbidden = "forbidden" // by rules
	Undefined = "undefined" // an execution would go wrong
	NoValues  = "no values" // nothing has these values
	NotFound  = "not found"
)

// Ask tells why no execution of a program has an outcome, given that a complete search has found none. Of
// programs with load buffering, those executions may have been left out.
func Ask(p *ir.Program, spec memmodel.Spec, q Question, withoutBuffering bool) *Answer {
	a, err := axiom.WhyNot(p, spec, q)
	if err != nil {
		return &Answer{Reason: NotFound, Text: "No chain of rules was found that forbids it: " + strings.TrimPrefix(err.Error(), "axiom: ")}
	}
	w := words{p}
	out := &Answer{Candidates: a.Candidates}
	switch {
	case a.Allowed && withoutBuffering:
		out.Reason, out.Text = NotFound, "The rules allow an execution with it, but one with load buffering, and those were left out: see --promises"
		return out
	case a.Allowed:
		out.Reason, out.Text = NotFound, "No chain of rules was found that forbids it, although no explored execution has it: please report this as a bug of clmc"
		return out
	case a.Candidates == 0 && a.Ended:
		out.Reason, out.Text = NoValues, "Whatever is read, no execution comes to such values at its end: nothing that is written leads to them, unless an assumption fails or something goes wrong on the way"
		return out
	case a.Candidates == 0:
		out.Reason, out.Text = NoValues, "Whatever is read, no execution comes to such values: nothing that is written leads to them"
		return out
	}
	for _, rule := range a.RuleList() {
		out.Forbidden = append(out.Forbidden, Count{rule, a.Rules[rule]})
	}
	out.Reason, out.Text = Forbidden, fmt.Sprintf("Of %s to read and to order the writes, none is an execution", ways(a.Candidates))
	if a.Wrong > 0 {
		out.Reason, out.Text = Undefined, fmt.Sprintf("Of %s to read and to order the writes, %d would be an execution, but one that goes wrong, so that what it ends in means nothing (rule 9.3)", ways(a.Candidates), a.Wrong)
		for i := range a.Race {
			out.Race = append(out.Race, w.place(&a.Race[i]))
		}
		return out
	}
	out.Rule = a.Rule
	for i := range a.Chain {
		e := &a.Chain[i]
		out.Chain = append(out.Chain, Link{w.place(&e.From), string(e.Relation), e.Rule})
	}
	if last := len(a.Chain) - 1; last >= 0 && a.Chain[last].To != a.Chain[0].From { // no circle
		out.Chain = append(out.Chain, Link{Place: w.place(&a.Chain[last].To)})
	}
	return out
}

func ways(n int) string {
	if n == 1 {
		return "1 way"
	}
	return fmt.Sprintf("%d ways", n)
}

// words tells the operations of a program.
type words struct{ p *ir.Program }

func (w words) place(e *axiom.Event) Place {
	if e.Initial {
		return Place{Op: fmt.Sprintf("the initial value of %s, %d", e.Location, e.Operands[0])}
	}
	in := &w.p.Funcs[e.Site.Func].Code[e.Site.PC]
	at := Place{Thread: e.Thread, At: trace.PosOf(w.p, in)}
	switch {
	case e.Access, in.Op == ir.OpFence, in.Op == ir.OpBarrier:
		at.Op = trace.Written(w.p, e.Site.Func, in, e.Location, e.Operands[0], e.Operands[1])
		if e.Reads {
			at.Op += fmt.Sprintf(", which reads %d", e.Read)
		}
	case in.Op.Starts():
		at.Op = "the command that executes " + w.p.Funcs[in.Target].Name
	default:
		at.Op = "a call about commands"
	}
	if e.Moment != "" {
		at.Op = "the " + e.Moment + " of " + at.Op
	}
	return at
}
