package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state"
)

// Expectation is what a list expects of a check: a verdict, or what becomes of
// a litmus test's condition. The zero Expectation stands for verified of a
// model, and for holds of a litmus test.
type Expectation struct {
	At   trace.Pos // in the list
	word string    // verified, holds, fails or undefined; "" if there are kinds, or nothing
	// allData: what is verified must be so whatever data the kernel is given.
	allData bool
	kinds   []string // ids of kinds of violation
	// outcomes are those of the executions without violation, each as explore.Names.Text has it; nil if nothing is said.
	outcomes []string
}

// Verified reports whether it is expected that nothing goes wrong.
func (e Expectation) Verified() bool { return e.word == verified }

// The words for an expectation other than the ids of violations.
const (
	verified  = "verified"
	holds     = "holds"     // the condition
	fails     = "fails"     // the condition
	undefined = "undefined" // a data race or barrier divergence
	allData   = report.AllData
)

// expectHint lists what can be expected.
const expectHint = "verified, ids of violations such as CL1001, verified all-data, or for litmus tests holds, fails or undefined"

// addText adds what a list says in one place: a word, or what a //clmc:expect line would say.
func (e *Expectation) addText(text string) error {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		words = []string{text}
	case words[0] == "violated" && len(words) == 1:
		return fmt.Errorf("name the violations, as in: violated CL1001")
	case words[0] == "violated":
		words = words[1:]
	}
	for _, w := range words {
		if err := e.add(w); err != nil {
			return err
		}
	}
	return nil
}

// add adds a word of the user's to the expectation.
func (e *Expectation) add(word string) error {
	isKind := slices.ContainsFunc(state.Kinds(), func(k state.Kind) bool { return k.ID() == word })
	switch {
	case isKind && e.word == "":
		e.kinds = append(e.kinds, word)
		return nil
	case word == allData && e.word == verified && !e.allData:
		e.allData = true
		return nil
	case word == allData:
		return fmt.Errorf("%s stands behind %s: %s %s", allData, verified, verified, allData)
	case slices.Contains([]string{verified, holds, fails, undefined}, word) && e.word == "" && e.kinds == nil:
		e.word = word
		return nil
	case isKind, word == verified, word == holds, word == fails, word == undefined:
		return fmt.Errorf("%s cannot be combined with others: list ids of violations, or one of %s, %s, %s and %s",
			word, verified, holds, fails, undefined)
	}
	return fmt.Errorf("%q: want %s", word, expectHint)
}

// For returns the expectation of a model, which is a litmus test or not.
func (e Expectation) For(isLitmus bool) (Expectation, error) {
	switch {
	case e.word == "" && e.kinds == nil && isLitmus:
		e.word = holds
	case e.word == "" && e.kinds == nil:
		e.word = verified
	case !isLitmus && conditions[e.word].verdict != "":
		return e, fmt.Errorf("%s:%d:%d: only a litmus test has a condition that %s: expect %s or ids of violations",
			e.At.File, e.At.Line, e.At.Col, e.word, verified)
	}
	return e, nil
}

// String returns the expectation as the list has it.
func (e Expectation) String() string {
	if e.allData {
		return e.word + " " + allData
	}
	if e.word != "" {
		return e.word
	}
	return strings.Join(e.kinds, " ")
}

// Found is what the search of a check found.
type Found struct {
	Verdict    explore.Verdict
	Kinds      []string // ids of the violations, each once
	Complete   bool
	Undecided  bool   // load buffering was not decided in the time for that, which the list accepts; without it, all is verified
	Incomplete string // why not, in words
	All        bool   // the search went on after the first violation
	Scope      *report.Scope
	Condition  string   // the verdict of package litmus on a litmus test
	Outcomes   []string // as Expectation.outcomes has them
}

// Judge compares what was found with what was expected, and says in words what
// is wrong. A search that was cut short is expected or unexpected only if
// nothing that it left out can change that.
func (e Expectation) Judge(f Found) (status report.Status, why string) {
	status, why = e.judge(f)
	if e.outcomes == nil || status == report.Unexpected {
		return status, why
	}
	if extra := without(f.Outcomes, e.outcomes); len(extra) > 0 {
		return report.Unexpected, fmt.Sprintf("an outcome that is not expected: %s", first(extra))
	}
	if missing := without(e.outcomes, f.Outcomes); len(missing) > 0 && f.Complete {
		return report.Unexpected, fmt.Sprintf("no execution ends with an outcome that is expected: %s", first(missing))
	}
	return status, why
}

// first names the first of some outcomes, and how many more there are.
func first(outcomes []string) string {
	text := outcomes[0]
	if text == "" {
		text = "one without values"
	}
	if n := len(outcomes) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

func (e Expectation) judge(f Found) (status report.Status, why string) {
	switch {
	case conditions[e.word].verdict != "":
		return e.judgeCondition(f)
	case e.word == verified:
		return e.judgeVerified(f)
	}
	return e.judgeKinds(f)
}

func (e Expectation) judgeVerified(f Found) (report.Status, string) {
	switch f.Verdict {
	case explore.Verified, explore.ButForKnown:
		if why := f.Scope.Unmet(allData); e.allData && why != "" {
			return report.Unexpected, "expected verified for all data: " + why
		}
		return report.Expected, ""
	case explore.Violated:
		return report.Unexpected, "expected verified, found " + strings.Join(f.Kinds, " ")
	}
	if f.Undecided {
		return report.Expected, acceptedUndecided
	}
	return report.Unfinished, f.Incomplete
}

// acceptedUndecided says why a check is as expected of which not all was decided.
const acceptedUndecided = "verified without load buffering; with it not decided, which promises: undecided-ok accepts"

func (e Expectation) judgeKinds(f Found) (report.Status, string) {
	if f.Verdict == explore.Verified || f.Verdict == explore.ButForKnown {
		return report.Unexpected, fmt.Sprintf("expected %v, found no violation", e)
	}
	if extra := without(f.Kinds, e.kinds); len(extra) > 0 {
		return report.Unexpected, fmt.Sprintf("expected %v, found %s", e, strings.Join(extra, " "))
	}
	missing := without(e.kinds, f.Kinds)
	switch {
	case f.Verdict == explore.Violated && !f.All:
		return report.Expected, ""
	case !f.Complete:
		return report.Unfinished, f.Incomplete
	case len(missing) > 0:
		return report.Unexpected, fmt.Sprintf("expected %v, did not find %s", e, strings.Join(missing, " "))
	}
	return report.Expected, ""
}

// conditions says of each word about a litmus test which verdict it means, and
// words it.
var conditions = map[string]struct{ verdict, expected string }{
	holds:     {litmus.VerdictOk, "the condition to hold"},
	fails:     {litmus.VerdictNo, "the condition to fail"},
	undefined: {litmus.VerdictUndefined, "the test to be undefined"},
}

func (e Expectation) judgeCondition(f Found) (report.Status, string) {
	want := conditions[e.word]
	defects := without(f.Kinds, []string{state.DataRace.ID(), state.BarrierDivergence.ID()})
	isUndefined := f.Condition == litmus.VerdictUndefined
	switch {
	case len(defects) > 0:
		return report.Unexpected, fmt.Sprintf("expected %s, found %s", want.expected, strings.Join(defects, " "))
	case isUndefined && e.word == undefined:
		return report.Expected, ""
	case isUndefined:
		return report.Unexpected, fmt.Sprintf("expected %s, found %s, which makes the test undefined", want.expected, strings.Join(f.Kinds, " "))
	case !f.Complete && (f.Condition == want.verdict || f.Condition == litmus.VerdictUnknown || e.word == undefined):
		return report.Unfinished, f.Incomplete // a race may yet be found
	case f.Condition == want.verdict:
		return report.Expected, ""
	case e.word == holds:
		return report.Unexpected, "expected the condition to hold, found that it fails"
	case e.word == fails:
		return report.Unexpected, "expected the condition to fail, found that it holds"
	}
	return report.Unexpected, "expected the test to be undefined, found that it is defined"
}

// without returns the members of a that are not in b.
func without(a, b []string) (rest []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			rest = append(rest, s)
		}
	}
	return rest
}
