package state_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// A play takes a program through one execution, one step a line. Variables d and e are
// plain, x and y atomic integers in global memory, and the host starts two work-items of one
// group that run the kernel k, and waits for them.
//
//	k(0)              the unit performs its next operation, which has one outcome
//	k(0) 2            likewise, with the second of its outcomes
//	everybody         each unit that can goes on with its first outcome, until none can
//
// Lines that begin with ? are questions; one that does not hold fails the test.
//
//	? k(0) has 2      so many outcomes may its next operation have
//	? k(0) ready      or waits, running, pending, ended: see statusOf
//	? done            every unit has ended
//	? CL1003          this is wrong
//	? fine            nothing is
//	? shows r=1 s=2   what the execution, which has ended, shows
type play struct {
	t *testing.T
	m *state.Machine
	s *state.State
}

const header = `package main

import "github.com/clmc/clmc/models/cl"

var (
	d, e int32
	x, y cl.AtomicInt
)

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}

`

// perform takes the program whose kernel is given through the lines of a script.
func perform(t *testing.T, kernel, script string) *play {
	t.Helper()
	program, err := load.Source("play.go", []byte(header+kernel), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := state.NewMachine(program, memmodel.Specs[0])
	p := &play{t: t, m: m, s: m.Initial()}
	p.launch()
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "?":
			if err := p.ask(words[1:]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		case words[0] == "everybody":
			p.run()
		default:
			p.step(words)
		}
	}
	return p
}

func (p *play) step(words []string) {
	u := p.unit(words[0])
	choices := p.m.Choices(p.s, u, nil)
	which := 1
	if len(words) > 1 {
		fmt.Sscan(words[1], &which)
	} else if len(choices) != 1 {
		p.t.Fatalf("%s has %d outcomes", words[0], len(choices))
	}
	if which > len(choices) {
		p.t.Fatalf("%v: it has %d outcomes", words, len(choices))
	}
	p.m.Do(p.s, u, choices[which-1])
}

// launch has the host enqueue the kernel and begin to wait for it.
func (p *play) launch() {
	const host = 0
	for p.s.Status(host) == state.Ready {
		p.m.Do(p.s, host, p.m.Choices(p.s, host, nil)[0])
	}
}

// run goes on until nobody can.
func (p *play) run() {
	for again := true; again && p.s.Violation.Kind == state.NoViolation; {
		again = false
		for u := range p.s.Cast.Count() {
			if choices := p.m.Choices(p.s, u, nil); p.s.Status(u) == state.Ready && len(choices) > 0 {
				p.m.Do(p.s, u, choices[0])
				again = true
				break // the units may be others now
			}
		}
	}
}

func (p *play) ask(words []string) error {
	switch {
	case words[0] == "done":
		if !p.s.Done() {
			return fmt.Errorf("units have not ended")
		}
	case words[0] == "fine", strings.HasPrefix(words[0], "CL"):
		if kind := p.s.Violation.Kind; kind == state.NoViolation && words[0] != "fine" || kind != state.NoViolation && kind.ID() != words[0] {
			return fmt.Errorf("it is %v", kind)
		}
	case words[0] == "shows":
		var got []string
		for _, v := range p.m.Notes().Outcome(p.s, nil) {
			got = append(got, fmt.Sprintf("%s=%d", v.Name, v.Value))
		}
		if !slices.Equal(got, words[1:]) {
			return fmt.Errorf("it shows %v", got)
		}
	case words[1] == "has":
		if n := len(p.m.Choices(p.s, p.unit(words[0]), nil)); fmt.Sprint(n) != words[2] {
			return fmt.Errorf("%d", n)
		}
	default:
		if status := statusOf[p.s.Status(p.unit(words[0]))]; status != words[1] {
			return fmt.Errorf("it is %s", status)
		}
	}
	return nil
}

var statusOf = map[state.Status]string{state.Ready: "ready", state.AtBarrier: "waits", state.Finishing: "waits",
	state.Pending: "pending", state.Running: "running", state.Ended: "ended", state.Stuck: "stuck"}

// unit returns the unit of a name.
func (p *play) unit(name string) memmodel.Unit {
	var names []string
	for u, unit := range p.s.Cast.Units {
		if unit.Name == name {
			return memmodel.Unit(u)
		}
		names = append(names, unit.Name)
	}
	p.t.Fatalf("no %s among %v", name, names)
	return 0
}

// encoding returns the canonical form of the state that the play has come to.
func (p *play) encoding() []byte {
	p.m.Normalise(&memmodel.Canon{}, p.s)
	return p.s.Append(nil)
}
