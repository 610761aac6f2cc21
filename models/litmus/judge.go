package litmus

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Judgement counts the outcomes that satisfy a test's condition.
type Judgement struct {
	Positive, Negative int
	Holds              bool // the quantified condition
}

// Judge evaluates the condition over the outcomes of a test, which must be
// all of them for the judgement to be final.
func (t *Test) Judge(outcomes []map[string]int64) Judgement {
	var j Judgement
	for _, o := range outcomes {
		if holds, _ := t.Cond.Eval(func(name string) (int64, bool) { return o[name], true }); holds {
			j.Positive++
		} else {
			j.Negative++
		}
	}
	switch t.Quantifier {
	case Exists:
		j.Holds = j.Positive > 0
	case NotExists:
		j.Holds = j.Positive == 0
	case Forall:
		j.Holds = j.Negative == 0
	}
	return j
}

// Observation says how often the proposition held: Never, Sometimes or Always.
func (j Judgement) Observation() string {
	switch {
	case j.Positive == 0:
		return "Never"
	case j.Negative == 0:
		return "Always"
	}
	return "Sometimes"
}

// WriteHerd prints a test's outcomes as herd does, except that witnesses are
// counted in outcomes, not in executions. What goes wrong is flagged: a data race or barrier divergence makes the test
// undefined whatever the outcomes are, and what else there is, such as a deadlock, has no outcome. Where not all
// outcomes are known, and those that are do not decide, the verdict is Unknown.
func (t *Test) WriteHerd(w io.Writer, outcomes []map[string]int64, flags []string, unknown bool) error {
	j := t.Judge(outcomes)
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s %s\nStates %d\n", t.Name, t.Quantifier.kind(), len(outcomes))
	for _, line := range stateLines(outcomes) {
		b.WriteString(line + "\n")
	}
	verdict := VerdictNo
	switch {
	case unknown:
		verdict = VerdictUnknown
	case j.Holds:
		verdict = VerdictOk
	}
	fmt.Fprintf(&b, "%s\nWitnesses\nPositive: %d Negative: %d\n", verdict, j.Positive, j.Negative)
	for _, f := range flags {
		b.WriteString("Flag " + f + "\n")
	}
	fmt.Fprintf(&b, "Condition %v (%v)\n", t.Quantifier, t.Cond)
	fmt.Fprintf(&b, "Observation %s %s %d %d\n\n", t.Name, j.Observation(), j.Positive, j.Negative)
	_, err := io.WriteString(w, b.String())
	return err
}

// kind is what herd calls a test with this quantifier.
func (q Quantifier) kind() string { return [...]string{"Allowed", "Forbidden", "Required"}[q] }

// stateLines prints each outcome on a line and sorts the lines.
func stateLines(outcomes []map[string]int64) []string {
	lines := make([]string, len(outcomes))
	for i, o := range outcomes {
		vars := keys(o)
		slices.SortStableFunc(vars, registersFirst)
		parts := make([]string, len(vars))
		for k, v := range vars {
			parts[k] = fmt.Sprintf("%s=%d;", v, o[v])
		}
		lines[i] = strings.Join(parts, " ")
	}
	slices.Sort(lines)
	return lines
}

// registersFirst orders names as herd prints states.
func registersFirst(a, b string) int {
	switch ra, rb := strings.Contains(a, ":"), strings.Contains(b, ":"); {
	case ra && !rb:
		return -1
	case rb && !ra:
		return 1
	}
	return 0
}
