package check_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/models/check"
)

// waits is a program whose second work-group waits for what the first writes: it ends if the lowest one that can go on does (gpu), and
// not if only those go on that have started (obe), as the first may never start.
const waits = `package main

import "github.com/clmc/clmc/models/cl"

var flag cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 0 {
		cl.AtomicStore(&flag, 1)
	} else {
		for cl.AtomicLoad(&flag) == 0 {
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// polite is two work-items that raise a flag each, and lower it again as long as the other's is up. Both may do so for ever, turn by
// turn, so that weak fairness does not end it; with probability 1 one of them is faster at some time.
const polite = `package main

import "github.com/clmc/clmc/models/cl"

var flags [2]cl.AtomicInt

func k() {
	i := cl.GetGlobalID(0)
	for {
		cl.AtomicStore(&flags[i], 1)
		if cl.AtomicLoad(&flags[1-i]) == 0 {
			break
		}
		cl.AtomicStore(&flags[i], 0)
	}
	cl.AtomicStore(&flags[i], 0)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestLiveness asks of programs whether they end under models, and repeats the executions that do not.
func TestLiveness(t *testing.T) {
	for _, c := range []struct {
		text    string
		options []check.Option
		want    check.Verdict
	}{
		{waits, nil, check.Verified},
		{waits, []check.Option{check.Liveness("gpu")}, check.Verified},
		{waits, []check.Option{check.Liveness("obe")}, check.Violated},
		{waits, []check.Option{check.Fairness("strong"), check.Liveness("obe")}, check.Violated},
		{waits, []check.Option{check.Liveness("device=hsa,group=fair,subgroup=unfair"), check.All()}, check.Verified},
		{waits, []check.Option{check.Liveness("all")}, check.Verified},
		{waits, []check.Option{check.Liveness("obe"), check.Workers(1)}, check.Violated},
		{polite, []check.Option{check.Liveness("fair")}, check.Violated},
		{polite, []check.Option{check.Liveness("fair"), check.Fairness("weak")}, check.Violated},
		{polite, []check.Option{check.Liveness("fair"), check.Fairness("strong")}, check.Verified},
		{waits, []check.Option{check.Liveness("gpu"), check.MaxStates(1)}, check.Inconclusive},
	} {
		options := append([]check.Option{check.Source(c.text)}, c.options...)
		r, err := check.Run(t.Context(), "w.go", options...)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want {
			t.Errorf("%v, want %v\n%s", r.Verdict, c.want, r)
		}
		if c.want != check.Violated || len(r.Violations) == 0 {
			continue
		}
		v := r.Violations[0]
		again, err := check.Run(t.Context(), "w.go", check.Source(c.text), check.Replay(v.Replay))
		if err != nil || v.ID != "CL1020" || again.Violations[0].ID != v.ID || again.Violations[0].Message != v.Message {
			t.Errorf("%s: %s; again: %v, %v", v.ID, v.Message, again, err)
		}
	}
}

// TestLivenessRefused gives options that do not go together, or name nothing.
func TestLivenessRefused(t *testing.T) {
	for want, options := range map[string][]check.Option{
		`"obi": want fair`:                 {check.Liveness("obi")},
		"want the name of a model":         {check.Liveness("")},
		`"": want weak or strong`:          {check.Liveness("obe"), check.Fairness("")},
		"add that option":                  {check.Fairness("weak")},
		"strong fairness promises nothing": {check.Fairness("strong"), check.Liveness("opencl")},
		"goes without check.Workers":       {check.Workers(2), check.Liveness("obe")},
	} {
		_, err := check.Run(t.Context(), "w.go", append(options, check.Source(waits))...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
