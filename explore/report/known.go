package report

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state"
)

// Known is a finding that is known and set aside: shown and counted, and no reason to fail.
type Known struct {
	ID     string    `json:"id"`
	File   string    `json:"file"`
	Line   int       `json:"line"`
	Reason string    `json:"reason"`
	Said   trace.Pos `json:"said"` // where it is said to be known
	// Found are the messages of the violations that it is about: none if it no longer occurs.
	Found []string `json:"found"`
	// Consequences are those of violations that depend on what was read in a data race that is known.
	Consequences []string `json:"consequences,omitempty"`
	Lost         bool     `json:"no_longer_occurs,omitempty"` // everything was explored, and it was not found
}

// knownLine begins a line of a model that says what is known.
const knownLine = "//clmc:known"

// knownForm is what follows: an id, a place and a reason.
var knownForm = regexp.MustCompile(`^(CL\d{4})\s+(\S+):(\d+)\s+(\S.*)$`)

// ParseKnown reads "CL1001 FILE:LINE reason".
func ParseKnown(text string) (*Known, error) {
	text = strings.TrimSpace(text)
	parts := knownForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%q: want the id of a violation, its place and a reason: CL1001 model.go:12 why it is left as it is", text)
	}
	if !slices.ContainsFunc(state.Kinds(), func(k state.Kind) bool { return k.ID() == parts[1] }) {
		return nil, fmt.Errorf("%s is not the id of a violation: 'clmc explain' lists them", parts[1])
	}
	line, err := strconv.Atoi(parts[3])
	if err != nil || line < 1 {
		return nil, fmt.Errorf("%s is not a line", parts[3])
	}
	return &Known{ID: parts[1], File: path.Clean(filepath.ToSlash(parts[2])), Line: line, Reason: parts[4], Found: []string{}}, nil
}

// KnownIn finds what a file of a model says is known.
func KnownIn(file, text string) (all []*Known, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), knownLine)
		if !ok {
			continue
		}
		k, err := ParseKnown(rest)
		col := strings.Index(line, knownLine) + 1
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %s: %w", file, n, col, knownLine, err)
		}
		k.Said = trace.Pos{File: file, Line: n, Col: col}
		all = append(all, k)
	}
	return all, nil
}

// is reports whether a violation is the known one: of its kind, at its line, or with an access there.
func (k *Known) is(t *trace.Trace) bool {
	if t.ID != k.ID {
		return false
	}
	if k.At(t.At) {
		return true
	}
	return slices.ContainsFunc(t.Accesses, func(id int) bool { return k.At(*t.Step(id).Pos) })
}

// kindOf returns what two steps are about that others depend on.
func kindOf(pair [2]int) state.Kind {
	if pair[0] == pair[1] {
		return state.UninitialisedRead
	}
	return state.DataRace
}

// comesOf returns one of the data races that a violation depends on, if all of them are known.
func comesOf(known []*Known, t *trace.Trace) (race *Known) {
	for _, pair := range t.DependsOn {
		n := slices.IndexFunc(known, func(k *Known) bool {
			return k.ID == kindOf(pair).ID() && (k.At(*t.Step(pair[0]).Pos) || k.At(*t.Step(pair[1]).Pos))
		})
		if n < 0 {
			return nil
		}
		race = known[n]
	}
	return race
}

// At reports whether a place is where the finding is known.
func (k *Known) At(p trace.Pos) bool {
	file := path.Clean(filepath.ToSlash(p.File))
	return p.Line == k.Line && (file == k.File || strings.HasSuffix(file, "/"+k.File))
}

// SetAside takes known findings out of the violations. If there are no others, and everything was
// explored, the verdict is that the model is verified but for them.
func (r *Report) SetAside(known []*Known) {
	r.Known = known
	res := r.Result
	var traces []*trace.Trace
	var violations []explore.Violation
	for i, t := range r.Traces {
		if n := slices.IndexFunc(known, func(k *Known) bool { return k.is(t) }); n >= 0 {
			known[n].Found = append(known[n].Found, t.Message)
			continue
		}
		if k := comesOf(known, t); k != nil && res.Violations[i].Depends {
			k.Consequences = append(k.Consequences, t.ID+": "+t.Message)
			continue
		}
		traces, violations = append(traces, t), append(violations, res.Violations[i])
	}
	if len(traces) < len(r.Traces) {
		r.Traces, res.Violations = traces, violations
		switch {
		case len(traces) > 0:
		case res.Live != nil && (res.Live.Unasked || res.Live.Certain): // since executions go wrong as is known
			res.Complete, res.Incomplete = false, append(res.Incomplete, unaskedForKnown)
			res.Verdict = explore.Inconclusive
		case res.Complete:
			res.Verdict = explore.ButForKnown
		default:
			res.Verdict = explore.Inconclusive
		}
	}
	for _, k := range known {
		k.Lost = len(k.Found) == 0 && res.Complete && len(traces) == 0 // behind what is not known it may have come
	}
}

// unaskedForKnown says why it is not known whether executions end.
const unaskedForKnown = "whether every execution ends was not asked, as some go wrong, though that is known: repair what is known first, or do not ask (--liveness)"

// found counts the known findings that were found.
func (r *Report) found() (n int) {
	for _, k := range r.Known {
		n += len(k.Found)
	}
	return n
}

// lines say what became of a known finding.
func (k *Known) lines() (all []string) {
	who := "a list of checks" // which a store does not name
	if k.Said.Line > 0 {
		who = k.Said.String()
	}
	where := fmt.Sprintf("%s at %s:%d, which %s says is known (%s)", k.ID, k.File, k.Line, who, k.Reason)
	for _, message := range k.Found {
		all = append(all, where+": "+message)
	}
	for _, message := range k.Consequences {
		all = append(all, where+", has a consequence: "+message)
	}
	if k.Lost {
		all = append(all, where+", no longer occurs: remove that line.")
	}
	return all
}

// known lists what was set aside, and what need not be any more.
func (r *Report) known(b *strings.Builder) {
	for _, k := range r.Known {
		for _, line := range k.lines() {
			b.WriteString("\n" + indent(line, "known: ", "  ", r.Width))
		}
	}
}
