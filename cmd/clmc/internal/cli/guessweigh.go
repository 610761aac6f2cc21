package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// Whether a violation of a launch that was guessed speaks against the kernel, or hangs on the guess.

// judge finds whether the violation of a launch that was explored hangs on a size, a scalar or a content that was guessed.
func (c *tried) judge() {
	v := c.violation()
	if v == nil {
		return
	}
	if c.sized && c.settled == nil {
		c.depends = true
		return
	}
	switch v.Kind {
	case state.BarrierDivergence:
	case state.DataRace:
		data := c.model.Program.Data
		c.depends = !c.expected(v) && (clc.DependsOnIndices(data) || c.settled == nil && c.guess.Misplaces(v.Location, data))
	case state.UninitialisedRead, state.AssertionFailed, state.IndexOutOfRange, state.DivisionByZero:
		c.depends = true
	default:
		c.depends = clc.Depends(c.model.Program.Data)
	}
}

// expected reports whether the text of the kernel says that others access the place of a race: it is written until it holds what has been written.
func (c *tried) expected(v *explore.Violation) bool {
	place, ok := strings.CutPrefix(v.Line, c.model.Program.Sources[0].Name+":")
	line, _, _ := strings.Cut(place, ":")
	n, err := strconv.Atoi(line)
	return ok && err == nil && c.guess.Retries(n)
}

// exit is the exit code of a launch. A violation that hangs on what was guessed decides it only if strict.
func (c *tried) exit(strict bool) int {
	switch {
	case c.err != nil:
		return exitOfError(c.err)
	case c.violation() != nil && c.depends && !strict:
		return exitInconclusive
	}
	return exitOf(c.r.Verdict)
}

// countRaces counts data races in full that every launch shows, whatever the buffers hold, where no layout was guessed.
func countRaces(all []*tried) {
	contents := map[string]bool{}
	for _, c := range all {
		v := c.violation()
		if v == nil || v.Kind != state.DataRace || c.guess.Misplaces(v.Location, c.model.Program.Data) {
			return
		}
		contents[c.guess.Content()] = true
	}
	for _, c := range all {
		if len(contents) > 1 && !c.sized {
			c.depends = false
		}
	}
}

// doubtRaces takes a data race for one that hangs on the guess if a guessed scalar says how the buffer is laid out, and another launch of the kernel
// has no violation: rows overlap where they are too short. So it does if the content of a buffer decides what happens, and another launch, as large and with
// another content, comes to the same place and has no violation.
func doubtRaces(all []*tried) {
	for _, c := range all {
		v := c.violation()
		if v != nil && v.Kind == state.DataRace && !c.expected(v) && slices.ContainsFunc(all, func(d *tried) bool { return d.acquits(c, v) }) {
			c.depends = true
		}
	}
}

// doubtDivergence takes a barrier divergence for one that hangs on the guess if a scalar that bounds no global ids makes the difference: another launch of the same
// sizes and contents comes to the barrier and is verified. Where a bound leaves work-items out, it counts: a kernel that asks for the bound is made for
// sizes that are no multiple of the group.
func doubtDivergence(all []*tried) {
	var places []string
	for _, c := range all {
		if v := c.parted(); v != nil && slices.ContainsFunc(all, func(d *tried) bool { return d.meets(c, v) }) {
			places = append(places, v.Line)
		}
	}
	for _, c := range all {
		if v := c.parted(); v != nil && slices.Contains(places, v.Line) {
			c.depends = true
		}
	}
}

// parted returns the barrier divergence of a launch in which no bound leaves a work-item out.
func (c *tried) parted() *explore.Violation {
	if v := c.violation(); v != nil && v.Kind == state.BarrierDivergence && c.guess.Fits() {
		return v
	}
	return nil
}

// meets reports whether work-items of launch d, which has the sizes and contents of c, all pass the barrier at which those of c do not meet.
func (d *tried) meets(c *tried, v *explore.Violation) bool {
	return d.r != nil && d.r.Verdict == explore.Verified && d.opt.Kernel == c.opt.Kernel && d.opt.Global == c.opt.Global && d.opt.Local == c.opt.Local &&
		d.guess.SameContent(c.guess) && d.cameTo(v.Line)
}

// acquits reports whether launch d, which is verified, shows that a race of c hangs on what was guessed.
func (d *tried) acquits(c *tried, v *explore.Violation) bool {
	if d.r == nil || d.r.Verdict != explore.Verified || d.opt.Kernel != c.opt.Kernel {
		return false
	}
	data := c.model.Program.Data
	return c.guess.LaidOut(v.Location, data) ||
		clc.DependsOnContent(data) && d.guess.AsLarge(c.guess) && d.guess.Content() != c.guess.Content() && d.cameTo(v.Line)
}

// cameTo reports whether a line ran in a launch that was explored whole: one of file:line:col.
func (c *tried) cameTo(place string) bool {
	return c.rep != nil && !slices.ContainsFunc(c.rep.Unexecuted, func(at trace.Pos) bool {
		return strings.HasPrefix(place, fmt.Sprintf("%s:%d:", at.File, at.Line))
	})
}
