package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/trace"
)

// LivenessOf begins a requirement on the models under which every execution ends.
const LivenessOf = "liveness="

// Liveness is what is known of whether executions end, in stored form.
type Liveness struct {
	Answers []LiveAnswer `json:"answers"`
	States  int          `json:"states"`
	Steps   int          `json:"steps"`
	Seconds float64      `json:"seconds"`
	Notes   []string     `json:"notes,omitempty"`
}

// LiveAnswer says whether every execution ends under a model.
type LiveAnswer struct {
	Model    string   `json:"model"`  // as --liveness takes it
	Device   string   `json:"device"` // the models by level
	Group    string   `json:"group"`
	SubGroup string   `json:"sub_group,omitempty"`
	Fairness string   `json:"fairness"`
	Required bool     `json:"required"`      // the verdict depends on it
	Verdict  string   `json:"verdict"`       // verified, violated or inconclusive
	Why      []string `json:"why,omitempty"` // it is inconclusive
}

// liveVerdicts are the verdicts of answers.
var liveVerdicts = map[liveness.Verdict]explore.Verdict{liveness.Ends: explore.Verified, liveness.Runs: explore.Violated, liveness.Unknown: explore.Inconclusive}

// NewLiveness returns the stored form of what is known, nil if nothing was asked.
func NewLiveness(l *explore.Live) *Liveness {
	if l == nil {
		return nil
	}
	out := &Liveness{States: l.States, Steps: l.Steps, Seconds: l.Elapsed.Seconds(), Notes: l.Notes, Answers: []LiveAnswer{}}
	for _, a := range l.Answers {
		s := LiveAnswer{Model: a.Levels.String(), Device: a.Device.String(), Group: a.Group.String(), Fairness: a.Fairness.String(),
			Required: slices.Contains(l.Required, a.Question), Verdict: liveVerdicts[a.Verdict].String(), Why: a.Why}
		if a.SubGroups {
			s.SubGroup = a.Sub.String()
		}
		out.Answers = append(out.Answers, s)
	}
	return out
}

// lively ends the verdict of a program in which nothing goes wrong with what is known of the end of its executions.
func (r *Report) lively() (text, how string) {
	l := r.Result.Live
	switch {
	case l == nil:
		return "", ""
	case len(l.Answers) == 1:
		q := l.Answers[0].Question
		return fmt.Sprintf(", and every execution ends if %s", q.Words()), q.Fairness.String() + " fairness; "
	}
	fair := liveness.Weak
	var required []string
	for _, q := range l.Required {
		required = append(required, q.Levels.String())
		fair = q.Fairness
	}
	if len(required) > 0 {
		return fmt.Sprintf(", and every execution ends under %s", strings.Join(required, ", ")), fair.String() + " fairness; "
	}
	if weakest := r.weakest(liveness.Weak); len(weakest) > 0 {
		return fmt.Sprintf(", and every execution ends under %s", strings.Join(weakest, ", and under ")), "weak fairness; "
	}
	if weakest := r.weakest(liveness.Strong); len(weakest) > 0 {
		return fmt.Sprintf(", and every execution ends with probability 1 under %s", strings.Join(weakest, ", and under ")), "strong fairness; "
	}
	return "; whether every execution ends is not known", ""
}

// weakest lists the weakest models of the table under which every execution ends.
func (r *Report) weakest(f liveness.Fairness) (names []string) {
	ends := map[liveness.Model]bool{}
	for _, a := range r.Result.Live.Answers {
		if a.Fairness == f && a.Levels == liveness.Whole(a.Device) {
			ends[a.Device] = a.Verdict == liveness.Ends
		}
	}
	for _, x := range liveness.Models() {
		if ends[x] && !slices.ContainsFunc(liveness.Models(), func(y liveness.Model) bool { return y != x && ends[y] && y.Weaker(x) }) {
			names = append(names, x.String())
		}
	}
	return names
}

// table writes what is known of each model that was asked about, if there are several.
func (r *Report) table(b *strings.Builder) {
	l := r.Result.Live
	if l == nil || l.Unasked {
		return
	}
	for _, note := range l.Notes {
		b.WriteString(indent(note, "note: ", "  ", r.Width))
	}
	if len(l.Answers) < 2 {
		return
	}
	b.WriteString("\nDoes every execution end, if work-groups are scheduled so?\n")
	fmt.Fprintf(b, "  %-*s  %-12s  %s\n", r.modelWidth(), "", "weak", "strong fairness")
	for _, name := range r.models() {
		fmt.Fprintf(b, "  %-*s  %-12s  %s\n", r.modelWidth(), name, r.cell(name, liveness.Weak), r.cell(name, liveness.Strong))
	}
	for _, f := range []liveness.Fairness{liveness.Weak, liveness.Strong} {
		if weakest := r.weakest(f); len(weakest) > 0 {
			fmt.Fprintf(b, "The weakest under which every execution ends (%v fairness): %s\n", f, strings.Join(weakest, ", and "))
		}
	}
}

// Ends says in sentences, or in a table if several models were asked about, what is known of the end of executions.
func (r *Report) Ends() string {
	var b strings.Builder
	l := r.Result.Live
	switch {
	case l == nil:
		return ""
	case l.Unasked:
		return "Whether every execution ends was not asked: the program goes wrong.\n"
	case len(l.Answers) == 1:
		a := &l.Answers[0]
		how := fmt.Sprintf("under %v (%v fairness)", a.Levels, a.Fairness)
		fmt.Fprintln(&b, map[liveness.Verdict]string{
			liveness.Ends: "Every execution ends " + how + ".", liveness.Runs: "An execution may go on for ever " + how + ".",
			liveness.Unknown: "Whether every execution ends " + how + " is not known: " + strings.Join(a.Why, "; ") + ".",
		}[a.Verdict])
	}
	r.table(&b)
	return strings.TrimPrefix(b.String(), "\n")
}

// models lists the models that were asked about.
func (r *Report) models() (names []string) {
	for _, a := range r.Result.Live.Answers {
		if name := a.Levels.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *Report) modelWidth() (n int) {
	for _, name := range r.models() {
		n = max(n, len(name))
	}
	return n
}

// cell says what is known of a model.
func (r *Report) cell(name string, f liveness.Fairness) string {
	for _, a := range r.Result.Live.Answers {
		if a.Levels.String() == name && a.Fairness == f {
			text := map[liveness.Verdict]string{liveness.Ends: "yes", liveness.Runs: "no", liveness.Unknown: "not known"}[a.Verdict]
			if slices.Contains(r.Result.Live.Required, a.Question) {
				text += " (required)"
			}
			return text
		}
	}
	return "-"
}

// Round says which steps are repeated for ever, if some are.
func Round(t *trace.Trace) string {
	switch l := t.Liveness; {
	case l == nil || l.From == 0:
		return ""
	case l.From == l.To:
		return fmt.Sprintf("From here step %d repeats for ever.", l.From)
	default:
		return fmt.Sprintf("From here steps %d to %d repeat for ever.", l.From, l.To)
	}
}
