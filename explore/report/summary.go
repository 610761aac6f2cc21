package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
)

// SummarySchema names the format that Summary.JSON writes.
const SummarySchema = "clmc.summary/1"

// Summary is what came of a list of checks.
type Summary struct {
	Schema  string         `json:"schema"`
	Version string         `json:"version"` // of clmc
	List    string         `json:"list"`    // the file that lists the checks
	Counts  map[Status]int `json:"counts"`  // of the checks, by status
	Seconds float64        `json:"seconds"`
	Checks  []*Check       `json:"checks"`
}

// Status says what came of a check.
type Status string

// The statuses, from best to worst.
const (
	Expected   Status = "expected"   // what the list expects was found
	Unfinished Status = "unfinished" // the search was cut short before it could tell
	Unexpected Status = "unexpected" // something else was found
	Failed     Status = "error"      // the model could not be explored
)

// Statuses lists the statuses in the order in which a summary counts them.
var Statuses = []Status{Expected, Unexpected, Unfinished, Failed}

// Check is what came of one check.
type Check struct {
	Name       string            `json:"name"`
	Model      string            `json:"model"`
	At         trace.Pos         `json:"at"` // in the list
	Spec       string            `json:"spec"`
	Reduction  string            `json:"reduction"`
	Defines    map[string]string `json:"defines"`
	Expect     string            `json:"expect"`
	Status     Status            `json:"status"`
	Verdict    string            `json:"verdict"`          // of the search; "" if there was none
	Known      []*Known          `json:"known,omitempty"`  // findings that were set aside
	Device     *OnDevice         `json:"device,omitempty"` // what came of it on a device, if that was asked
	Condition  string            `json:"condition"`        // what became of a litmus test's condition
	Reason     string            `json:"reason"`           // why the status is not "expected", or what is accepted
	Remembered bool              `json:"remembered"`       // from an earlier run
	Again      string            `json:"again"`            // the command that explores the model alone
	Violations []Finding         `json:"violations"`
	Liveness   *Liveness         `json:"liveness,omitempty"`   // whether executions end, if that was asked
	Statistics *Statistics       `json:"statistics,omitempty"` // nil if there was no search
	result     *Document
}

// OnDevice is what came of a model on an OpenCL device.
type OnDevice struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"` // agrees, disagrees, shown, not shown, not compared or not run
	Text    string `json:"text"`    // in words
}

// Disagrees reports whether the device has shown what no execution does.
func (d *OnDevice) Disagrees() bool { return d != nil && d.Verdict == "disagrees" }

// Finding is a violation in brief.
type Finding struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Message  string    `json:"message"`
	At       trace.Pos `json:"at"`
	Location string    `json:"location,omitempty"`
}

// SetResult notes what the search found.
func (c *Check) SetResult(d *Document) {
	c.result = d
	c.Verdict, c.Known = d.Verdict, d.Known
	c.Statistics, c.Liveness = &d.Statistics, d.Liveness
	c.Violations = nil
	for _, t := range d.Violations {
		c.Violations = append(c.Violations, Finding{t.ID, t.Kind, t.Message, t.At, t.Location})
	}
}

// Result is what the search found, nil if there was none.
func (c *Check) Result() *Document { return c.result }

// NewSummary sums up checks, which took a time from first to last.
func NewSummary(version, list string, checks []*Check, took time.Duration) *Summary {
	s := &Summary{Schema: SummarySchema, Version: version, List: list, Seconds: took.Seconds(), Counts: map[Status]int{}, Checks: checks}
	for _, status := range Statuses {
		s.Counts[status] = 0
	}
	for _, c := range checks {
		s.Counts[c.Status]++
	}
	return s
}

// JSON writes the summary for programs; docs/json.md says what is in it.
func (s *Summary) JSON(w io.Writer) error {
	for _, c := range s.Checks {
		c.Violations = orEmpty(c.Violations)
		if c.Defines == nil {
			c.Defines = map[string]string{}
		}
	}
	return WriteJSON(w, s)
}

// Text writes the last line of a summary for people, which counts the checks.
func (s *Summary) Text(w io.Writer) error {
	var parts []string
	for _, status := range Statuses {
		if n := s.Counts[status]; n > 0 || status == Expected {
			parts = append(parts, fmt.Sprintf("%s %s", number(n), labels[status].many))
		}
	}
	remembered := 0
	for _, c := range s.Checks {
		if c.Remembered {
			remembered++
		}
	}
	if remembered > 0 {
		parts = append(parts, number(remembered)+" remembered")
	}
	_, err := fmt.Fprintf(w, "%s: %s (%v)\n", count(len(s.Checks), "check"), strings.Join(parts, ", "), seconds(s.Seconds))
	return err
}

// labels are the words for a status at the head of a line and in a count.
var labels = map[Status]struct{ one, many string }{
	Expected:   {"ok", "as expected"},
	Unexpected: {"UNEXPECTED", "unexpected"},
	Unfinished: {"unfinished", "unfinished"},
	Failed:     {"ERROR", "in error"},
}

// Text writes a check in a line, and what is wrong with it in more.
func (c *Check) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s  %s: %s", labels[c.Status].one, visible.Line(c.Name), c.outcome())
	if c.Remembered {
		b.WriteString(", remembered")
	} else if c.Statistics != nil {
		fmt.Fprintf(&b, ", %s, %v", count(c.Statistics.States, "state"), seconds(c.Statistics.Seconds))
	}
	b.WriteString("\n")
	for _, k := range c.Known {
		for _, line := range k.lines() {
			b.WriteString("            known: " + visible.Line(line) + "\n")
		}
	}
	if c.Device != nil && c.Device.Text != c.Reason {
		fmt.Fprintf(&b, "            on %s: %s\n", visible.Line(c.Device.Name), visible.Line(c.Device.Text))
	}
	if c.Reason != "" {
		b.WriteString("            " + strings.ReplaceAll(c.Reason, "\n", "\n            ") + "\n")
	}
	if c.Status == Unexpected {
		for _, v := range c.Violations {
			fmt.Fprintf(&b, "            %s: %s\n", v.ID, visible.Line(v.Message))
		}
		fmt.Fprintf(&b, "            see: %s\n", visible.Line(c.Again))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// outcome says what was found in a few words.
func (c *Check) outcome() string {
	switch {
	case c.result == nil:
		return "not explored"
	case c.Condition != "":
		return "condition " + c.Condition
	case len(c.Violations) > 0:
		return c.Verdict + " " + strings.Join(c.result.Kinds(), " ") + granted(c.result.Assumed) + notChecked(c.result.Unchecked)
	}
	return c.Verdict + granted(c.result.Assumed) + notChecked(c.result.Unchecked)
}

// seconds rounds a time for a reader.
func seconds(s float64) time.Duration {
	d := time.Duration(s * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second / 10)
}
