// Package trial tries the repairs that reports advise: each is made in the text, and what comes of it is explored for a moment.
package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// What is said of a repair that was tried.
const (
	Verified = "(verified)"
	Together = "(verified together)"
	NotToEnd = "(not tried to the end)"
)

// Options say how a model was loaded and explored, and how much processor time its repairs may take.
type Options struct {
	Load   model.Options   // as the model was
	Search explore.Options // likewise
	States int             // that the search of one repair may have; 0 for no bound
	Each   time.Duration   // for one repair
	All    time.Duration   // for all of a report
}

// Repairs tries the repairs of a report. One that leaves the violation that it is for is taken out, and one that cannot be made is an idea.
func Repairs(ctx context.Context, m *model.Model, rep *report.Report, opt Options) {
	ctx, cancel := cputime.Within(ctx, opt.All)
	defer cancel()
	for _, t := range rep.Traces {
		if t.Mechanical() {
			try(ctx, m, t, opt)
		}
	}
}

// errNotMade is the error of a repair that could not be made in the text.
var errNotMade = errors.New("the repair was not made")

// try tries the repair of one violation.
func try(ctx context.Context, m *model.Model, t *trace.Trace, opt Options) {
	if ctx.Err() != nil {
		say(t, NotToEnd)
		return
	}
	ctx, cancel := cputime.Within(ctx, opt.Each)
	defer cancel()
	mended, err := made(m, changesOf(t), opt.Load)
	if err != nil {
		for i := range t.Why {
			t.Why[i].Changes = nil
		}
		return
	}
	r := searched(ctx, mended, opt)
	switch {
	case verified(r) && len(partOf(t).words) > 1:
		say(t, Together)
	case verified(r):
		say(t, Verified)
	case r.Verdict != explore.Violated:
		say(t, NotToEnd)
	case together(ctx, m, t, opt, mended.Program, r):
	case same(t, mended.Program, r):
		discard(t)
	default:
		v := &r.Violations[0]
		what := "this"
		if t.ViolationKind() == state.DataRace {
			what = "this race"
		}
		say(t, fmt.Sprintf("(%s only; %s remains)", what, remains(v)))
	}
}

// verified reports whether a search ended with nothing that goes wrong.
func verified(r *explore.Result) bool {
	return r.Verdict == explore.Verified || r.Verdict == explore.ButForKnown
}

// maxTogether bounds the repairs that are made together: a lock takes one for what takes it, and one for what gives it back.
const maxTogether = 4

// part is one of the repairs that are made together.
type part struct {
	words   []string // of each reason that has a repair
	changes []trace.Change
}

// partOf is what a trace advises.
func partOf(t *trace.Trace) (p part) {
	for i := range t.Why {
		if w := &t.Why[i]; w.Repair != "" {
			p.words, p.changes = append(p.words, w.Repair), append(p.changes, w.Changes...)
		}
	}
	return p
}

// discard takes out repairs that leave what they are for, and says so: a reader would try the same.
func discard(t *trace.Trace) {
	words := partOf(t).words
	last := lastRepair(t)
	for i := range t.Why {
		t.Why[i].Repair, t.Why[i].Changes = "", nil
	}
	what := "this"
	if t.ViolationKind() == state.DataRace {
		what = "the race"
	}
	last.Idea = strings.TrimSpace(fmt.Sprintf("%s Not enough, as was tried, for %s remains: %s", last.Idea, what, strings.Join(words, " ")))
}

// together reports whether a repair verifies with those of what remains after it, which are then said of the trace. What remains has
// the same reason, or is about the same memory: the scope of a compare-exchange that takes a lock does not help while the store that gives
// it back has the old one, and a lock that is given back by an ordinary write lacks its fences, too.
// All changes are made in the text as it was, since that is where a reader makes them.
func together(ctx context.Context, m *model.Model, t *trace.Trace, opt Options, p *ir.Program, r *explore.Result) bool {
	parts := []part{partOf(t)}
	for tries := 1; tries < maxTogether && r.Verdict == explore.Violated; tries++ {
		u, err := trace.Build(p, r.Spec, r.Violations[0])
		if err != nil || !u.Mechanical() {
			return false
		}
		rest, absorbed := absorb(parts, u)
		if !absorbed && lastRepair(u).Kind != lastRepair(t).Kind && !sharesMemory(t, u) && !same(t, p, r) {
			return false
		}
		if len(rest.words) > 0 {
			parts = append(parts, rest)
		}
		if p, r = allMade(ctx, m, parts, opt); r == nil {
			return false
		}
	}
	if !verified(r) {
		return false
	}
	advise(t, needed(ctx, m, parts, opt))
	return true
}

// absorb returns what a trace advises besides that barriers, which parts put somewhere, are to order further memory. That they do from now on, if
// there is such advice.
func absorb(parts []part, t *trace.Trace) (rest part, absorbed bool) {
	for i := range t.Why {
		w := &t.Why[i]
		switch {
		case w.Repair == "":
		case len(w.Changes) == 1 && w.Changes[0].Kind == trace.AddFlags && widened(parts, w.Changes[0]):
			absorbed = true
		default:
			rest.words, rest.changes = append(rest.words, w.Repair), append(rest.changes, w.Changes...)
		}
	}
	return rest, absorbed
}

// widened adds flags to the barrier of a part that is put before the line of a change.
func widened(parts []part, c trace.Change) bool {
	for i := range parts {
		for k := range parts[i].changes {
			b := &parts[i].changes[k]
			if b.Kind != trace.AddBarrier || b.File != c.File || b.Line != c.Line {
				continue
			}
			both := b.Flags + " | " + c.Flags
			for w, text := range parts[i].words {
				parts[i].words[w] = strings.Replace(text, "("+b.Flags+")", "("+both+")", 1)
			}
			b.Flags = both
			return true
		}
	}
	return false
}

// sharesMemory reports whether two traces go wrong at a location, or for what happens at one, that both name.
func sharesMemory(t, u *trace.Trace) bool {
	of := func(t *trace.Trace) map[string]bool {
		out := map[string]bool{}
		add := func(ids []int) {
			for _, id := range ids {
				if s := t.Step(id); s != nil && s.Location != "" {
					out[s.Location] = true
				}
			}
		}
		add(t.Accesses)
		for i := range t.Why {
			add(t.Why[i].Steps)
			out[t.Why[i].Through] = true
		}
		return out
	}
	theirs := of(u)
	for name := range of(t) {
		if name != "" && theirs[name] {
			return true
		}
	}
	return false
}

// allMade explores the text with all parts, and returns no result if they cannot be made.
func allMade(ctx context.Context, m *model.Model, parts []part, opt Options) (*ir.Program, *explore.Result) {
	var changes []trace.Change
	for _, p := range parts {
		changes = append(changes, p.changes...)
	}
	mended, err := made(m, changes, opt.Load)
	if err != nil {
		return nil, nil
	}
	return mended.Program, searched(ctx, mended, opt)
}

// needed leaves out the parts that the others make needless: a barrier at the end of a round, where one behind its reads comes later.
func needed(ctx context.Context, m *model.Model, parts []part, opt Options) []part {
	for i := 0; i < len(parts) && len(parts) > 1; {
		fewer := slices.Delete(slices.Clone(parts), i, i+1)
		if _, r := allMade(ctx, m, fewer, opt); r != nil && verified(r) {
			parts = fewer
			continue
		}
		i++
	}
	return parts
}

// advise has a trace advise parts, behind its last reason.
func advise(t *trace.Trace, parts []part) {
	last := lastRepair(t)
	for i := range t.Why {
		t.Why[i].Repair, t.Why[i].Changes = "", nil
	}
	var words []string
	for _, p := range parts {
		words = append(words, strings.Join(p.words, " "))
		last.Changes = append(last.Changes, p.changes...)
	}
	last.Repair, last.Tried = strings.Join(words, " Also: "), Together
	if len(parts) == 1 {
		last.Tried = Verified
	}
}

// changesOf are those of all repairs of a trace.
func changesOf(t *trace.Trace) (out []trace.Change) {
	for i := range t.Why {
		out = append(out, t.Why[i].Changes...)
	}
	return out
}

// made loads the model with changes.
func made(m *model.Model, changes []trace.Change, load model.Options) (*model.Model, error) {
	texts := map[string]string{}
	for _, s := range m.Program.Sources {
		texts[s.Name] = s.Text
	}
	texts, err := mend.Apply(texts, changes)
	if err != nil {
		return nil, errors.Join(errNotMade, err)
	}
	var sources []ir.Source
	for _, s := range m.Program.Sources {
		sources = append(sources, ir.Source{Name: s.Name, Text: texts[s.Name]})
	}
	return model.Again(m.Name, m.Program.Name, sources, m.Test != nil, load)
}

// searched explores it, up to the first thing that goes wrong.
func searched(ctx context.Context, m *model.Model, trial Options) *explore.Result {
	opt := trial.Search
	search := explore.Options{Spec: opt.Spec, POR: opt.POR, NoSymmetry: opt.NoSymmetry, Promises: opt.Promises, Mem: opt.Mem, Without: opt.Without, KeepSchedule: true, NoAwaits: true, MaxStates: trial.States}
	m.Sets(&search)
	return explore.Run(ctx, m.Program, search)
}

// say says of a repair what came of it.
func say(t *trace.Trace, what string) {
	if last := lastRepair(t); last != nil {
		last.Tried = what
	}
}

// lastRepair is the last reason that has a repair, behind which it is said what came of them all.
func lastRepair(t *trace.Trace) *trace.Reason {
	for i := len(t.Why) - 1; i >= 0; i-- {
		if t.Why[i].Repair != "" {
			return &t.Why[i]
		}
	}
	return nil
}

// same reports whether what goes wrong is what the repair is for: of a data race, between the same two lines.
func same(t *trace.Trace, p *ir.Program, r *explore.Result) bool {
	v := r.Violations[0]
	if v.Kind != t.ViolationKind() {
		return false
	}
	u, err := trace.Build(p, r.Spec, v)
	if err != nil || u.At.File != t.At.File {
		return false
	}
	if len(t.Accesses) == 0 {
		return u.At.Line == t.At.Line
	}
	return slices.Equal(lines(t), lines(u))
}

// lines are those of the accesses of a trace.
func lines(t *trace.Trace) (out []int) {
	for _, id := range t.Accesses {
		if s := t.Step(id); s != nil {
			out = append(out, s.Line)
		}
	}
	slices.Sort(out)
	return out
}

// remains names what goes wrong all the same.
func remains(v *explore.Violation) string {
	if at := strings.Split(v.Line, ":"); len(at) > 2 {
		return fmt.Sprintf("%s at line %s", v.Kind.ID(), at[len(at)-2])
	}
	return v.Kind.ID()
}
