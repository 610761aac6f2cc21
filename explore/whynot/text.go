package whynot

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/internal/visible"
)

// excludes says what the rules are that a chain can break.
var excludes = map[string]string{
	"5.6":  "nothing happens before itself",
	"7.1":  "an ordinary read returns a value whose write happens before it",
	"7.2":  "nothing reads what happens after it",
	"7.3":  "modification order agrees with what happens before what",
	"7.4":  "of two reads the one that happens later does not read the older value",
	"7.5":  "a read that happens before a write reads nothing newer",
	"7.6":  "a read returns nothing older than a write that happens before it",
	"7.7":  "a read-modify-write comes right behind what it reads, in modification order",
	"7.8":  "no value comes out of thin air",
	"11.4": "nobody passes a barrier before all have come",
	"11.6": "nobody passes a collective function before all have come",
	"12":   "host threads, commands and their events are told in one order",
}

// String writes the answer for people, in several lines.
func (a *Answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", a.Text)
	for i, p := range a.Race {
		fmt.Fprintf(&b, "%s %s\n", [...]string{"  It has a data race (rule 9.1) of", "  and"}[i], p.String())
	}
	if len(a.Forbidden) > 1 || len(a.Forbidden) == 1 && a.Forbidden[0].Candidates < a.Candidates {
		b.WriteString("Forbidden are ")
		for i, f := range a.Forbidden {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d by %s", f.Candidates, rules(f.Rule))
		}
		b.WriteString(".\n")
	}
	if a.Chain == nil {
		if a.Reason == Forbidden {
			fmt.Fprintf(&b, "That is forbidden by %s: %s.\n", rules(a.Rule), why(a.Rule))
		}
		return b.String()
	}
	circle := a.Chain[len(a.Chain)-1].Relation != ""
	if circle {
		b.WriteString("The one that comes furthest would go round in a circle:\n\n")
	} else {
		b.WriteString("In the one that comes furthest\n\n")
	}
	for _, l := range a.Chain {
		fmt.Fprintf(&b, "  %s\n", l.Place.String())
		if l.Relation == "" {
			continue
		}
		fmt.Fprintf(&b, "      %s", l.Relation)
		if l.Rule != "" {
			fmt.Fprintf(&b, " (%s)", rules(l.Rule))
		}
		b.WriteString("\n")
	}
	if circle {
		fmt.Fprintf(&b, "  %s\n", a.Chain[0].Place.String())
	}
	fmt.Fprintf(&b, "\nThat is forbidden by %s: %s.\n", rules(a.Rule), why(a.Rule))
	return b.String()
}

// String writes an operation in a line.
func (p *Place) String() string {
	parts := []string{p.At.String(), p.Thread, p.Op}
	if p.At.String() == "" {
		parts = parts[1:]
	}
	return visible.Line(strings.TrimSpace(strings.Join(parts, "  ")))
}

func rules(list string) string {
	if strings.Contains(list, ",") {
		return "rules " + list
	}
	return "rule " + list
}

func why(rule string) string {
	if s, ok := excludes[rule]; ok {
		return s
	}
	return "the seq_cst operations have a total order S that agrees with these"
}
