package clc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// A lived is a random function of blocks, jumps and few names, and what C says of it: a variable lives from where its block is
// entered, in whatever way, and has no value until it is given one (C11 6.2.4); a name means its variable from the end of its declarator
// on, the initialiser included (6.2.1). The lines are executed as they stand, one after the other.
type lived struct {
	r      *rand.Rand
	lines  []line
	scopes []*span  // around what is written next
	labels []string // that a goto leads to, and which are not there yet
	loops  int      // around what is written next
	used   bool
}

type line struct {
	kind string // declare, set, use, jump, label, open, close, break, return
	text string
	v    *mine
	from *mine // what a declaration or a use reads, or nil
	n    int   // the value, or when a jump is made: if n is it
	to   string
	in   *span // which begins or ends here
}

// mine is a variable of the program.
type mine struct {
	name string
	set  bool
	val  int
}

// span is a block, from its first to its last line; a switch goes to the line of its case.
type span struct {
	kind     string // block, loop, switch
	from, to int
	vars     []*mine
	cases    map[int]int // lines by value; -1 is default
	fixed    int         // labels that were open when it began
	rounds   int
}

func randomLived(seed uint64) *lived {
	p := &lived{r: rand.New(rand.NewPCG(seed, 5))}
	p.used = p.r.IntN(4) > 0
	p.open("block", "{")
	p.declare("s", 0, nil)
	for range 6 + p.r.IntN(14) {
		p.statement()
	}
	for len(p.scopes) > 1 {
		p.close()
	}
	for len(p.labels) > 0 {
		p.label()
	}
	p.add(line{kind: "use", v: p.find("s"), from: p.find("s"), text: "s += s;"})
	if p.r.IntN(3) > 0 {
		p.add(line{kind: "return", n: -1, v: p.find("s"), text: "return s;"})
	}
	p.close()
	return p
}

func (p *lived) add(l line) { p.lines = append(p.lines, l) }

func (p *lived) open(kind, text string) {
	s := &span{kind: kind, from: len(p.lines), to: -1, cases: map[int]int{}, fixed: len(p.labels)}
	p.scopes = append(p.scopes, s)
	if kind == "loop" {
		p.loops++
	}
	p.add(line{kind: "open", in: s, text: text})
}

func (p *lived) close() {
	s := p.scopes[len(p.scopes)-1]
	s.to = len(p.lines)
	if s.kind == "loop" {
		p.loops--
	}
	p.add(line{kind: "close", in: s, text: "}"})
	p.scopes = p.scopes[:len(p.scopes)-1]
}

func (p *lived) label() {
	n := len(p.labels) - 1
	p.add(line{kind: "label", to: p.labels[n], text: p.labels[n] + ":;"})
	p.labels = p.labels[:n]
}

// floor returns how many of the labels lie outside of the loop around, into which no goto may lead.
func (p *lived) floor() int {
	for _, s := range slices.Backward(p.scopes) {
		if s.kind == "loop" {
			return s.fixed
		}
	}
	return 0
}

// choice returns the switch around that cases can be in.
func (p *lived) choice() *span {
	for _, s := range slices.Backward(p.scopes) {
		if s.kind != "block" {
			if s.kind == "switch" {
				return s
			}
			return nil
		}
	}
	return nil
}

// find returns the variable that a name means.
func (p *lived) find(name string) *mine {
	for _, s := range slices.Backward(p.scopes) {
		for _, v := range s.vars {
			if v.name == name {
				return v
			}
		}
	}
	return nil
}

func (p *lived) declare(name string, n int, from func() *mine) {
	s := p.scopes[len(p.scopes)-1]
	if slices.ContainsFunc(s.vars, func(v *mine) bool { return v.name == name }) {
		return
	}
	v := &mine{name: name}
	s.vars = append(s.vars, v)
	l := line{kind: "declare", v: v, n: n, text: "int " + name + ";"}
	switch {
	case from != nil:
		l.from = from()
		l.text = fmt.Sprintf("int %s = %s + %d;", name, l.from.name, n)
	case n >= 0:
		l.text = fmt.Sprintf("int %s = %d;", name, n)
	}
	p.add(l)
}

func (p *lived) any() *mine {
	for {
		if v := p.find([]string{"s", "a", "b", "c"}[p.r.IntN(4)]); v != nil {
			return v
		}
	}
}

func (p *lived) statement() {
	switch k := p.r.IntN(16); {
	case k < 4:
		n, from := p.r.IntN(9)-1, p.any
		if n < 3 {
			from = nil
		}
		p.declare([]string{"a", "b", "c"}[p.r.IntN(3)], n, from)
	case k < 5:
		v := p.any()
		n := p.r.IntN(9)
		p.add(line{kind: "set", v: v, n: n, text: fmt.Sprintf("%s = %d;", v.name, n)})
	case k < 8:
		v := p.any()
		p.add(line{kind: "use", v: p.find("s"), from: v, text: "s += " + v.name + ";"})
	case k < 9:
		p.open("block", "{")
	case k < 10 && p.loops < 2:
		p.open("loop", fmt.Sprintf("for (int i%d = 0; i%d < 2; i%d++) {", p.loops, p.loops, p.loops))
	case k < 11:
		p.open("switch", "switch (n) {")
	case k < 13 && p.choice() != nil:
		s := p.choice()
		n := p.r.IntN(3) - 1
		if _, ok := s.cases[n]; ok {
			return
		}
		s.cases[n] = len(p.lines)
		text := fmt.Sprintf("case %d:;", n)
		if n < 0 {
			text = "default:;"
		}
		p.add(line{kind: "label", text: text})
	case k < 14:
		to, n := fmt.Sprintf("l%d", len(p.lines)), p.r.IntN(3)
		p.labels = append(p.labels, to)
		p.add(line{kind: "jump", n: n, to: to, text: fmt.Sprintf("if (n == %d) goto %s;", n, to)})
	case k < 15 && len(p.labels) > p.floor():
		p.label()
	case len(p.scopes) > 1:
		p.close()
	case p.r.IntN(4) == 0:
		p.add(line{kind: "return", n: 2, v: p.find("s"), text: "if (n == 2) return s;"})
	}
}

// text returns the kernel for a value of n.
func (p *lived) text(n int) string {
	var b strings.Builder
	for _, l := range p.lines[1 : len(p.lines)-1] {
		b.WriteString("  " + l.text + "\n")
	}
	call := "out[0] = f(n);"
	if !p.used {
		call = "f(n); out[0] = 0;"
	}
	return fmt.Sprintf("//clmc:launch k global=1 local=1 n=%d out=zero[1]\n%%sint f(int n) {\n%s}\nkernel void k(int n, global int *out) { %s }\n", n, b.String(), call)
}

// run executes the lines for a value of n. It returns what out[0] is, or false if a value is used that is none.
func (p *lived) run(n int) (int, bool) {
	where := map[string]int{}
	for i, l := range p.lines {
		if l.kind == "label" {
			where[l.to] = i
		}
		if l.in != nil {
			l.in.rounds = 0
		}
		if l.v != nil && l.kind == "declare" {
			l.v.set = false
		}
	}
	within := func(s *span, i int) bool { return s.from < i && i <= s.to }
	goTo := func(from, to int) int { // enters the blocks around to that are not around from
		for _, l := range p.lines {
			if l.kind == "open" && within(l.in, to) && !within(l.in, from) {
				for _, v := range l.in.vars {
					v.set = false
				}
			}
		}
		return to
	}
	for i := 0; ; {
		l := p.lines[i]
		next := i + 1
		switch l.kind {
		case "declare":
			l.v.set, l.v.val = l.from != nil && l.from.set || l.from == nil && l.n >= 0, l.n
			if l.from != nil {
				if !l.from.set || l.from == l.v {
					return 0, false
				}
				l.v.val += l.from.val
			}
		case "set":
			l.v.set, l.v.val = true, l.n
		case "use":
			if !l.from.set || !l.v.set {
				return 0, false
			}
			l.v.val += l.from.val
		case "jump":
			if n == l.n {
				next = where[l.to]
			}
		case "return":
			if l.n == n || l.n < 0 {
				if !l.v.set {
					return 0, false
				}
				if !p.used {
					return 0, true
				}
				return l.v.val, true
			}
		case "open":
			if l.in.kind == "loop" {
				l.in.rounds = 1
			}
			if l.in.kind == "switch" {
				var ok bool
				if next, ok = l.in.cases[n]; !ok {
					if next, ok = l.in.cases[-1]; !ok {
						next = l.in.to + 1
					}
				}
			}
		case "close":
			if l.in.kind == "loop" && l.in.rounds < 2 {
				l.in.rounds++
				next = goTo(l.in.from, l.in.from+1) // the block of the body is entered anew
				i = next
				continue
			}
			if i == len(p.lines)-1 {
				return 0, !p.used
			}
		}
		i = goTo(i, next)
	}
}

// TestLifetimes compares what clmc finds of random functions with what their lines, executed as C says, find: a value that is none is
// used, or what the result is.
func TestLifetimes(t *testing.T) {
	t.Parallel()
	programs, found, jumped := thorough.Of(300, 1500), 0, 0
	for seed := range uint64(programs) {
		p := randomLived(daily.Seed() + seed)
		for n := range 3 {
			want, ok := p.run(n)
			text := fmt.Sprintf(p.text(n), "")
			if ok {
				text = fmt.Sprintf(p.text(n), fmt.Sprintf("//clmc:assert out[0] == %d\n", want))
			}
			prog, err := clc.Source("k.cl", []byte(text), clc.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r := explore.Run(t.Context(), prog, explore.Options{})
			var got []state.Kind
			for _, v := range r.Violations {
				got = append(got, v.Kind)
			}
			if ok && len(got) > 0 || !ok && !slices.Equal(got, []state.Kind{state.UninitialisedRead}) {
				t.Fatalf("seed %d, n %d: found %v, want a value: %v, %d\n%s", seed, n, got, ok, want, text)
			}
			if !ok {
				found++
			}
			if strings.Contains(text, "goto") || strings.Contains(text, "switch") {
				jumped++
			}
		}
	}
	if runs := 3 * programs; found < runs/10 || found > runs*9/10 || jumped < runs/3 {
		t.Errorf("of %d runs %d use a value that is none, %d have jumps", runs, found, jumped)
	}
}
