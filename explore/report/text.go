package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Text writes a report for people. The last line is the verdict.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, OpenCL %s\n", visible.Line(r.Model), r.Result.Spec.Name)
	for i, t := range r.Traces {
		if len(r.Traces) > 1 {
			fmt.Fprintf(&b, "\nviolation %d of %d\n", i+1, len(r.Traces))
		}
		r.violation(&b, r.Shown(t))
		r.dependents(&b, t)
	}
	r.known(&b)
	if text := r.Beyond(); text != "" {
		b.WriteString("\n" + indent(text, "", "", r.Width))
	}
	r.outcomes(&b)
	r.unexecuted(&b)
	r.awaits(&b)
	r.table(&b)
	if r.Condition != nil {
		b.WriteString("\n" + indent(fmt.Sprintf("%s: %s", r.Condition.Text, r.Condition.Verdict), "condition ", "  ", r.Width))
	}
	r.statistics(&b)
	r.advice(&b)
	r.required(&b)
	b.WriteString(r.Verdict() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// violation writes what happened, why, and the schedule.
func (r *Report) violation(b *strings.Builder, t *trace.Trace) {
	b.WriteString("\n" + indent(t.Message, t.ID+": ", "        ", r.Width))
	b.WriteString(r.afterRace(t))
	race := len(t.Accesses) > 1 // both are in the message already: what is to be done about it comes first
	if !race {
		b.WriteString(r.accesses(t))
	}
	if len(t.Why) > 0 {
		b.WriteString("\n" + WhyHeading(t) + ":\n")
		for _, why := range t.Why {
			b.WriteString(indent(why.Text+Rules(why.Rule), "  - ", "    ", r.Width))
			if why.Repair != "" {
				b.WriteString(indent(why.Advised(), "    "+t.Advice()+": ", "      ", r.Width))
			}
			if why.Idea != "" {
				b.WriteString(indent(why.Idea, "    Idea: ", "      ", r.Width))
			}
		}
	}
	if race {
		b.WriteString(r.accesses(t))
	}
	r.private(b, t)
	if text := r.Cut(t); text != "" {
		b.WriteString("\n" + indent(text, "", "", r.Width))
	}
	r.consequence(b, t)
	r.early(b, t)
	r.waits(b, t)
	if len(t.Steps) > 0 {
		b.WriteString("\n" + Schedule(t, r.Width))
	}
	if text := Round(t); text != "" {
		b.WriteString(text + "\n")
	}
	if slices.ContainsFunc(t.Memory, func(l trace.Location) bool { return l.Sliced }) {
		b.WriteString(indent("A ? stands for a value that nothing depends on; --keep-values shows it.", "", "", r.Width))
	}
	fmt.Fprintf(b, "\nclmc explain %s says more about this kind of violation.\n", t.ID)
}

// WhyHeading is what stands above the reasons of a violation.
func WhyHeading(t *trace.Trace) string {
	if t.ViolationKind() == state.DataRace {
		return "Why they are unordered"
	}
	return "What is behind it"
}

// Cut says what of an execution is not told, as there is too much of it or no time.
func (r *Report) Cut(t *trace.Trace) string {
	switch {
	case t.Untold && r.Result.Interrupted:
		return "clmc was interrupted before it could repeat this execution: its steps and their causes are missing."
	case t.Untold && r.Result.Until.IsZero():
		return fmt.Sprintf("To repeat this execution takes more than %s: its steps and their causes are missing. With a --time-limit clmc takes until then to show them.",
			max(maxTelling, tellingShare*r.Result.Stats.Elapsed).Round(time.Second))
	case t.Untold:
		return "The time limit was met before clmc could repeat this execution: its steps and their causes are missing. With a larger --time-limit clmc shows them."
	case t.Skipped > 0:
		return fmt.Sprintf("clmc did not follow %s in the middle of the private computation. Variables that only these set are missing, "+
			"and all steps are shown, also those on which the violation does not depend.", count(t.Skipped, "instruction"))
	case t.Unseen:
		return "What a step lets its work-item see is not told of later steps: there is too much of it."
	}
	return ""
}

// Beyond says what it means that executions were followed beyond their data races, if they were.
func (r *Report) Beyond() string {
	if !r.Result.After {
		return ""
	}
	return "clmc followed executions beyond their data races, as if the racing read had returned the newest value that it may see. " +
		"By the specification they are undefined from there on (rule 9.3): this list may be incomplete, and so may what it says about later steps."
}

// afterRace says of a violation that it comes after a data race, or before one that is bound to come.
func (r *Report) afterRace(t *trace.Trace) string {
	if t.Beside {
		return indent("However the execution goes on, it comes to a data race; this does not depend on what is read there.", "", "  ", r.Width)
	}
	if text := AfterRace(t); text != "" {
		return indent(text, "", "  ", r.Width)
	}
	return ""
}

// afterBlank says of a violation that what nobody had written was read before, if it was.
func afterBlank(t *trace.Trace) string {
	if len(t.Blanks) == 0 {
		return ""
	}
	id := t.Blanks[len(t.Blanks)-1]
	text := fmt.Sprintf("after undefined behaviour: step %d of this execution reads %s, which nobody has written, as if it were 0", id, t.Step(id).Location)
	if t.Depends {
		return text + ", and this depends on that."
	}
	return text + "."
}

// AfterRace says of a violation that it comes after a data race, if it does.
func AfterRace(t *trace.Trace) string {
	if len(t.Races) == 0 {
		return afterBlank(t)
	}
	s := t.Races[len(t.Races)-1]
	text := fmt.Sprintf("after undefined behaviour: steps %d and %d of this execution race", s[0], s[1])
	if s := t.Step(s[1]); s.Location != "" {
		text += " on " + s.Location
	}
	if t.Depends {
		return text + ", and this depends on what is read there: repair the race first."
	}
	return text + "."
}

// dependents names what depends on a data race.
func (r *Report) dependents(b *strings.Builder, race *trace.Trace) {
	if len(race.Accesses) != 2 {
		return
	}
	for i, t := range r.Traces {
		if t.Depends && t.After && slices.ContainsFunc(t.Races, func(s [2]int) bool { return sameRace(race, t, s) }) {
			b.WriteString(indent(fmt.Sprintf("%s: %s (violation %d)", t.ID, t.Message, i+1), "consequence: ", "  ", r.Width))
		}
	}
}

// sameRace reports whether two steps of a trace race as those do that another is about.
func sameRace(race, t *trace.Trace, s [2]int) bool {
	a, b := *race.Step(race.Accesses[0]).Pos, *race.Step(race.Accesses[1]).Pos
	c, d := *t.Step(s[0]).Pos, *t.Step(s[1]).Pos
	return t.Step(s[1]).Location == race.Location && (a == c && b == d || a == d && b == c)
}

// accesses writes the steps at fault with their source lines, or else the line
// of the violation, if nothing below shows it.
func (r *Report) accesses(t *trace.Trace) string {
	var b strings.Builder
	if len(t.Accesses) == 0 && !waitsBelow(t) && t.At.Source != "" {
		b.WriteString("\n" + r.source(t.At))
	}
	for _, id := range t.Accesses {
		s := t.Step(id)
		l := &t.Lanes[s.Lane]
		where := l.Where()
		if p := s.Pos.String(); p != "" {
			where = p + ", " + where
		}
		b.WriteString("\n" + indent(fmt.Sprintf("step %d, %s (%s)", id, l, where), "  ", "    ", r.Width))
		b.WriteString(r.source(*s.Pos))
		b.WriteString(indent(s.Op+sort(s), "        | ", "        | ", r.Width))
	}
	return b.String()
}

// source writes the line of a place, and by which calls the execution has come there.
func (r *Report) source(p trace.Pos) string {
	if p.Source == "" {
		return ""
	}
	s := fmt.Sprintf("  %5d | %s\n", p.Line, clip(p.Source, 2*maxWord))
	if p.Via != "" {
		s += indent(p.Via, "        ", "        ", r.Width)
	}
	return s
}

// private lists the private variables of the lane at fault.
func (r *Report) private(b *strings.Builder, t *trace.Trace) {
	if len(t.Private) == 0 {
		return
	}
	var all []string
	for _, v := range t.Private {
		s := v.Name + " = " + v.Value
		if v.Step > 0 && t.Needed(v.Step) {
			s += fmt.Sprintf(" (since step %d)", v.Step)
		}
		all = append(all, s)
	}
	whose := t.Lanes[t.PrivateLane()].String()
	b.WriteString("\n" + indent("Private variables of "+whose+" there: "+strings.Join(all, ", "), "", "  ", r.Width))
}

// consequence says what a data race comes with.
func (r *Report) consequence(b *strings.Builder, t *trace.Trace) {
	if t.Unsettled {
		b.WriteString("\n" + indent("This may be the consequence of a data race in the rest of this execution: clmc stopped looking for one after some time.", "", "", r.Width))
	}
	c := t.Consequence
	if c == nil {
		return
	}
	b.WriteString("\n" + indent(c.ID+": "+c.Message+" An execution with a data race is undefined: repair the race first.", "consequence: ", "  ", r.Width))
	b.WriteString(r.source(c.At))
}

// early says which writes others saw before program order had come to them.
func (r *Report) early(b *strings.Builder, t *trace.Trace) {
	if len(t.Early) == 0 {
		return
	}
	b.WriteString("\nThis execution has load buffering: a write becomes visible before an earlier read.\n")
	for _, e := range t.Early {
		b.WriteString(indent(e.Text, "  - ", "    ", r.Width))
	}
	b.WriteString("clmc explain load-buffering says more.\n")
}

// sort says of what sort an access is.
func sort(s *trace.Step) string {
	if s.Atomic || s.Region == "" {
		return ""
	}
	return "   (not atomic, " + s.Region + " memory)"
}

// waitsBelow reports whether more is to be said about who waits than in the message.
func waitsBelow(t *trace.Trace) bool { return len(t.Waits) >= 2 }

// waits lists who waits where.
func (r *Report) waits(b *strings.Builder, t *trace.Trace) {
	if !waitsBelow(t) {
		return
	}
	b.WriteString("\n")
	for _, w := range t.Waits {
		line := fmt.Sprintf("%s %s", &t.Lanes[w.Lane], w.Text)
		if w.Line > 0 {
			line += " at " + w.Pos.String()
		}
		b.WriteString(indent(line, "  ", "    ", r.Width))
		b.WriteString(r.source(w.Pos))
	}
}

// outcomes lists what the executions without violation end in.
func (r *Report) outcomes(b *strings.Builder) {
	all := r.Result.Outcomes
	if len(all) == 0 || len(all) == 1 && len(all[0]) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", r.OutcomesHeading())
	for i, o := range all {
		if r.Outcomes >= 0 && i == r.Outcomes {
			fmt.Fprintf(b, "  ... and %s more\n", number(len(all)-i))
			break
		}
		b.WriteString("  " + visible.Line(r.Result.Names.Text(o)) + "\n")
	}
}

// OutcomesHeading says how many outcomes there are, and of what.
func (r *Report) OutcomesHeading() string {
	heading := count(len(r.Result.Outcomes), "outcome")
	if r.Result.Verdict == explore.Violated {
		heading += " without violation"
	}
	if !r.Result.Complete || r.Result.Verdict == explore.Violated {
		heading += " so far"
	}
	return heading
}

// statistics writes what the search did and whether it was complete.
func (r *Report) statistics(b *strings.Builder) {
	s := &r.Result.Stats
	if r.Result.Simulated != nil {
		b.WriteString("\n" + r.simulated() + r.legacy())
		return
	}
	if r.Replayed {
		fmt.Fprintf(b, "\nOne recorded execution was repeated, %s.\n", count(s.Steps, "step"))
		return
	}
	if r.Terse {
		b.WriteString("\n" + indent(fmt.Sprintf("%s, %s, %s", count(s.States, "state"), count(s.Steps, "step"), s.Elapsed.Round(time.Millisecond)), "", "", r.Width))
		r.taken(b)
		return
	}
	line := fmt.Sprintf("%s, %s, %s complete, %s redundant, %s given up, %s, reduction %s, %s",
		count(s.States, "state"), count(s.Steps, "step"), count(s.Ends, "execution"), number(s.Redundant), number(s.Blocked), count(s.Cuts, "cut"), r.Result.POR,
		s.Elapsed.Round(time.Millisecond))
	b.WriteString("\n" + indent(line, "", "", r.Width))
	if s.Probed > 0 {
		b.WriteString(indent(count(s.Probed, "state")+" looked at once more, to find a way out", "", "", r.Width))
	}
	b.WriteString(r.saved())
	b.WriteString(indent(r.visited(), "", "", r.Width))
	r.taken(b)
}

// taken says what was taken for granted, and left out.
func (r *Report) taken(b *strings.Builder) {
	b.WriteString(r.promises())
	b.WriteString(r.legacy())
	for _, n := range r.Notes {
		b.WriteString(indent(n, "", "", r.Width))
	}
	for _, line := range r.Unchecked {
		b.WriteString(indent("Not checked: the assertion in "+line+".", "", "", r.Width))
	}
	if !r.Result.Complete {
		b.WriteString(indent("Not everything was explored: "+because(r.Result.Incomplete)+".", "", "", r.Width))
	}
}

// Facts lists what Text says of the search, a line each.
func (r *Report) Facts() []string {
	wide, b := *r, strings.Builder{}
	wide.Width = 1 << 30
	wide.awaits(&b)
	wide.statistics(&b)
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

// saved says what each reduction left out, if it did.
func (r *Report) saved() string {
	s := &r.Result.Stats.Saved
	var parts []string
	for _, p := range []struct {
		n         int
		of, which string
	}{
		{s.Eager, "step", "at once"}, {s.Asleep, "reader", "asleep"}, {s.Turns, "turn", "not needed"}, {s.Symmetric, "turn", "of those alike"}, {s.Waits, "round", "of waiting"},
		{s.Dominated, "outcome", "dominated"}, {s.Renamed, "state", "renamed by symmetry"},
	} {
		if p.n > 0 {
			parts = append(parts, count(p.n, p.of)+" "+p.which)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return indent("saved: "+strings.Join(parts, ", "), "", "", r.Width)
}

// promises says what was done about load buffering, where it can matter.
func (r *Report) promises() string {
	switch res := r.Result; {
	case !res.LoadBuffering:
		return ""
	case res.Promises == 0:
		return indent("Load buffering was left out (--promises 0): a write becomes visible only after all earlier operations of its work-item.", "", "", r.Width)
	case res.Unpromised:
		return indent("Found without load buffering. clmc explores load buffering only if nothing else goes wrong (with --all, in any case).", "", "", r.Width)
	case res.FirstCut:
		return indent("Load buffering was not explored: the search without it, which comes first, did not come to its end.", "", "", r.Width)
	default:
		first := ""
		if n := res.Stats.First; n > 0 {
			first = " A search without it came first, with " + count(n, "state") + "."
		}
		return indent(fmt.Sprintf("Load buffering was explored: up to %s of each work-item may become visible before its earlier operations (--promises %d).%s",
			count(res.Promises, "write"), res.Promises, first), "", "", r.Width)
	}
}

// legacy says how atomic functions of OpenCL 1.x were read, where it can matter.
func (r *Report) legacy() string {
	if !r.Result.LegacyShared {
		return ""
	}
	text := fmt.Sprintf("Several work-groups call atomic functions of OpenCL 1.x, which have no scope argument; here their scope is %s (--legacy-atomics %s). ",
		r.Result.LegacyScope, legacyName(r.Result.LegacyScope))
	if r.Result.LegacyScope == memmodel.ScopeDevice {
		return indent(text+"Implementations do this, but the specification does not say it. With --legacy-atomics work_group such calls race between work-groups.", "", "", r.Width)
	}
	return indent(text+"Implementations give them memory_scope_device, which is the default.", "", "", r.Width)
}

// legacyName is the value of --legacy-atomics; litmus tests have no such functions.
func legacyName(s memmodel.Scope) string {
	if s == memmodel.ScopeWorkGroup {
		return "work_group"
	}
	return "device"
}

// visited says how visited states were kept, and what that may have cost.
func (r *Report) visited() string {
	which, where := "visited states", "in memory"
	if r.Result.NoCache {
		which = "only the states of the present execution"
	}
	if r.Result.Store != "" {
		where = "in " + r.Result.Store
	}
	if r.Result.Exact {
		return which + " kept whole " + where + ": no two have the same fingerprint"
	}
	odds := "0"
	if p := store.Collision(r.Result.Stats.States); p > 0 {
		odds = fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%s kept %s as 128-bit fingerprints: probability of a collision %s", which, where, odds)
}
