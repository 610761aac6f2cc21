package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore/whynot"
	"github.com/clmc/clmc/internal/visible"
)

// deviceDocument is a test on a device, as a line of JSON.
type deviceDocument struct {
	File       string          `json:"file"`
	Name       string          `json:"name"`
	Verdict    string          `json:"verdict"` // agrees, forbidden, skipped or failed
	Reason     string          `json:"reason,omitempty"`
	Mapping    string          `json:"mapping,omitempty"`
	Unpromised []string        `json:"unpromised,omitempty"`
	Stronger   []string        `json:"stronger,omitempty"`
	Instances  int64           `json:"instances"`
	Launches   int             `json:"launches"`
	Seconds    float64         `json:"seconds"`
	Unknown    int64           `json:"unknown,omitempty"` // instances with outcomes that were too many to tell
	Outcomes   []deviceOutcome `json:"outcomes,omitempty"`
}

// deviceOutcome is an outcome, allowed or seen or both.
type deviceOutcome struct {
	Values  map[string]int32 `json:"values"`
	Allowed bool             `json:"allowed"`
	Count   int64            `json:"count"`
	WhyNot  *whynot.Answer   `json:"why_not,omitempty"`
}

// document is a result as JSON.
func (r *deviceRun) document(t *device.Result) *deviceDocument {
	d := &deviceDocument{File: t.File, Name: t.Test.Name, Verdict: "agrees", Instances: t.Instances, Launches: t.Launches, Seconds: t.Time.Seconds(), Unpromised: t.Lacks, Unknown: t.Lost}
	if t.Kernel != nil {
		d.Mapping, d.Stronger = string(t.Kernel.Mapping), t.Kernel.Stronger
	}
	switch {
	case t.Skipped != "":
		d.Verdict, d.Reason = "skipped", t.Skipped
		if t.Failure != nil {
			d.Reason = t.Failure.Text
		}
	case t.Failure != nil:
		d.Verdict, d.Reason = "failed", t.Failure.Text
	case len(t.Forbidden()) > 0:
		d.Verdict = "forbidden"
	}
	for _, o := range t.Outcomes {
		out := deviceOutcome{Values: map[string]int32{}, Allowed: o.Allowed, Count: o.Count}
		for i, v := range t.Test.Vars {
			out.Values[v] = o.Values[i]
		}
		if !o.Allowed {
			out.WhyNot = r.forbids(t, o.Values)
		}
		d.Outcomes = append(d.Outcomes, out)
	}
	return d
}

// show prints a result.
func (r *deviceRun) show(t *device.Result, d *deviceDocument) {
	switch d.Verdict {
	case "skipped", "failed":
		fmt.Fprintf(r.out, "Test %s: %s: %s\n\n", t.Test.Name, d.Verdict, d.Reason)
		return
	}
	fmt.Fprintf(r.out, "Test %s (%s): %s instances\n", t.Test.Name, d.Mapping, humanize.Comma(t.Instances))
	if len(t.Lacks) > 0 {
		fmt.Fprintf(r.out, "  not promised by the device: %s\n", strings.Join(t.Lacks, ", "))
	}
	if len(d.Stronger) > 0 {
		fmt.Fprintf(r.out, "  stronger than the test, which can hide outcomes: %s\n", strings.Join(d.Stronger, "; "))
	}
	for i, o := range d.Outcomes {
		kind := "allowed"
		if !o.Allowed {
			kind = "FORBIDDEN"
		}
		seen := humanize.Comma(o.Count)
		if o.Count == 0 {
			seen = "not seen"
		}
		fmt.Fprintf(r.out, "  %-9s %15s  %s\n", kind, seen, strings.ReplaceAll(condition(t.Test.Vars, t.Outcomes[i].Values), ` /\ `, " "))
		if o.WhyNot != nil {
			fmt.Fprintf(r.out, "%s\n", o.WhyNot)
		}
	}
	if t.Lost > 0 {
		fmt.Fprintf(r.out, "  and %s instances with more outcomes than are told apart\n", humanize.Comma(t.Lost))
	}
	fmt.Fprintln(r.out)
}

// deviceSummary is the last line of JSON.
type deviceSummary struct {
	Schema     string         `json:"schema"` // clmc.device/1
	Device     *device.Info   `json:"device"`
	Spec       string         `json:"spec"`
	Seed       uint64         `json:"seed"`
	Tuned      bool           `json:"tuned"`
	Tests      int            `json:"tests"` // that were run
	Skipped    map[string]int `json:"skipped"`
	Failed     int            `json:"failed"`
	Forbidden  int            `json:"forbidden"`
	Unpromised int            `json:"unpromised"`
	Allowed    int            `json:"outcomes_allowed"`
	Seen       int            `json:"outcomes_seen"`
	Instances  int64          `json:"instances"`
	Sights     []device.Sight `json:"sights"`
	Stopped    string         `json:"stopped,omitempty"` // why the run ended early
	NotRun     int            `json:"not_run,omitempty"` // tests, for that reason
	Verdict    string         `json:"verdict"`           // clean, blind, disagrees, nothing run, stopped or failed
}

// blind reports whether any mapping that was used has shown nothing weak.
func (r *deviceRun) blind() bool {
	for _, s := range r.sights {
		if s.Blind() {
			return true
		}
	}
	return false
}

// verdict sums a run up in a word.
func (r *deviceRun) verdict() string {
	switch {
	case r.against > 0:
		return "disagrees"
	case r.stopped != "":
		return "stopped"
	case r.failed > 0:
		return "failed"
	case r.ran == 0:
		return "nothing run"
	case r.blind():
		return "blind"
	}
	return "clean"
}

// summary prints what the run came to.
func (r *deviceRun) summary() {
	if v := r.verdict(); v == "blind" || v == "nothing run" {
		r.code = worse(r.code, exitInconclusive)
	}
	if r.format.value == "json" {
		r.out.Write(jsonLine(&deviceSummary{Schema: "clmc.device/1", Device: r.suite.Info, Spec: r.spec.Name, Seed: r.seed, Tuned: r.tuned, Tests: r.ran, Skipped: r.skipped, Failed: r.failed,
			Forbidden: r.against, Unpromised: r.unasked, Allowed: r.allowed, Seen: r.seen, Instances: r.total, Sights: append([]device.Sight{}, r.sights...), Stopped: r.stopped, NotRun: r.notRun(), Verdict: r.verdict()}))
		return
	}
	d := r.suite.Info
	fmt.Fprintf(r.out, "Device %d: %s, of %s, driver %s\n", d.Number, d.Name, d.Platform, d.Driver)
	fmt.Fprintf(r.out, "%d tests run, %s instances, seed %d; %d of %d allowed outcomes seen\n", r.ran, humanize.Comma(r.total), r.seed, r.seen, r.allowed)
	if r.unasked > 0 {
		fmt.Fprintf(r.out, "%d of them use what the device does not promise\n", r.unasked)
	}
	for _, why := range r.reasons() {
		fmt.Fprintf(r.out, "%d skipped: %s\n", r.skipped[why], why)
	}
	if r.failed > 0 {
		fmt.Fprintf(r.out, "%d failed\n", r.failed)
	}
	for _, s := range r.sights {
		switch {
		case s.Failure != "":
			fmt.Fprintf(r.out, "%s: store buffering was not tried: %s\n", s.Mapping, s.Failure)
		default:
			fmt.Fprintf(r.out, "%s: store buffering (allowed, %s) seen %s times in %s\n", s.Mapping, strings.TrimPrefix(s.Scope, "memory_scope_"), humanize.Comma(s.Weak), humanize.Comma(s.Instances))
		}
	}
	if r.stopped != "" {
		fmt.Fprintf(r.out, "stopped: %s; %d tests were not run\n", strings.TrimSpace(visible.Text(r.stopped)), r.left)
	}
	fmt.Fprintf(r.out, "verdict: %s\n", map[string]string{
		"disagrees":   fmt.Sprintf("the device disagrees with OpenCL %s: %d tests show what no execution has", r.spec.Name, r.against),
		"stopped":     "nothing forbidden was seen; not all was run",
		"failed":      fmt.Sprintf("not decided: %d tests failed on the device", r.failed),
		"nothing run": "no test was run",
		"blind":       "blind: nothing forbidden was seen, but neither was store buffering, which is allowed; this way of running tests would not show it",
		"clean":       "nothing forbidden was seen; that is no proof",
	}[r.verdict()])
}

// notRun is how many tests were not run as the run was stopped.
func (r *deviceRun) notRun() int {
	if r.stopped == "" {
		return 0
	}
	return r.left
}

// settings are the ways of running tests that the device is known for, or the usual ones.
func (r *deviceRun) settings(ctx context.Context) ([]device.Setting, error) {
	if r.device.tune {
		list, report, err := device.Tune(ctx, r.suite, r.device.perTest)
		if err != nil {
			return nil, err
		}
		r.tuned = true
		if r.format.value != "json" {
			for _, line := range report {
				fmt.Fprintln(r.out, line)
			}
			fmt.Fprintln(r.out)
		}
		return list, nil
	}
	if list := device.Tuned(r.suite.Info); list != nil {
		r.tuned = true
		return list, nil
	}
	return device.Settings(r.suite.Info), nil
}
