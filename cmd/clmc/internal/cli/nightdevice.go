package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/state"
)

// deskDevice is a device that checks of a list name.
type deskDevice struct {
	flags   kernelDeviceFlags // with the process that talks to it
	suite   *device.Suite     // of litmus tests; nil before the first
	blind   string            // why its mapping shows nothing weak; "" if it does
	sighted int               // mappings that were tried
}

// onDevice returns the device of a check.
func (d *desk) onDevice(j *checks.Job) *deskDevice {
	if d.devices == nil {
		d.devices = map[string]*deskDevice{}
	}
	v := d.devices[j.Device]
	if v == nil {
		v = &deskDevice{flags: kernelDeviceFlags{deviceChoice: deviceChoice{name: j.Device, perTest: defaultRunTime}, runs: defaultRuns, seed: 1}}
		d.devices[j.Device] = v
	}
	return v
}

func (d *desk) closeDevices() {
	for _, v := range d.devices {
		v.flags.close()
	}
}

// Device implements checks.Desk.
func (d *desk) Device(ctx context.Context, j *checks.Job, m *model.Model, doc *report.Document) *report.OnDevice {
	v := d.onDevice(j)
	o := &report.OnDevice{Name: j.Device}
	var err error
	if m.Test != nil {
		err = v.test(ctx, j, m, doc, o)
	} else {
		err = d.kernelOn(ctx, v, j, m, doc, o)
	}
	if ctx.Err() != nil {
		err = guard.Left(ctx)
	}
	if err != nil {
		o.Verdict, o.Text = notRun, "not run on the device: "+err.Error()
	}
	if v.flags.info != nil {
		o.Name = v.flags.info.Name
	}
	return o
}

// kernelOn runs a kernel.
func (d *desk) kernelOn(ctx context.Context, v *deskDevice, j *checks.Job, m *model.Model, doc *report.Document, o *report.OnDevice) error {
	x := d.exploreFlags(j, "")
	x.device = v.flags
	if j.Explore.Liveness != nil {
		x.live.model, x.live.fairness.value = j.Explore.Liveness.Words()
	}
	found := &explore.Result{Verdict: explore.ParseVerdict(doc.Verdict)}
	for _, id := range doc.Kinds() {
		for _, kind := range state.Kinds() {
			if kind.ID() == id {
				found.Violations = append(found.Violations, explore.Violation{Violation: state.Violation{Kind: kind}})
			}
		}
	}
	k := &kernelRun{app: d.app, exploreFlags: x, model: m, found: found}
	err := k.whole(ctx, j.Target)
	v.flags.client, v.flags.info = x.device.client, x.device.info
	o.Verdict, o.Text = k.doc.Verdict, k.sentence
	return err
}

// test runs a litmus test, and looks whether it is known that its mapping shows weak behaviour.
func (v *deskDevice) test(ctx context.Context, j *checks.Job, m *model.Model, doc *report.Document, o *report.OnDevice) error {
	if len(doc.Violations) > 0 {
		o.Verdict, o.Text = "not shown", "not run on the device: of an undefined test no outcome is forbidden"
		return nil
	}
	if v.suite == nil {
		if v.flags.client == nil {
			v.flags.client = &device.Client{Library: v.flags.library}
		}
		info, err := v.flags.deviceChoice.open(ctx, v.flags.client, true)
		if err != nil {
			return err
		}
		v.flags.info = info
		v.suite = &device.Suite{Client: v.flags.client, Info: info, Time: defaultPerTest, Seed: v.flags.seed, Settings: device.Tuned(info)}
		if v.suite.Settings == nil {
			v.suite.Settings = device.Settings(info)
		}
	}
	c := &device.Case{File: string(j.Target), Test: m.Test}
	for _, outcome := range doc.Outcomes {
		bits := explore.Bits(outcome)
		var values []int32
		for _, name := range m.Test.Vars {
			values = append(values, int32(bits[name]))
		}
		c.Allowed = append(c.Allowed, values)
	}
	tell := func(r *device.Result) { tellTest(j, r, o) }
	if err := v.suite.Add(ctx, c, tell); err != nil {
		return err
	}
	if err := v.suite.Flush(ctx, tell); err != nil {
		return err
	}
	if o.Verdict != "agrees" {
		return nil
	}
	return v.sight(ctx, o)
}

// tellTest says what came of a litmus test.
func tellTest(j *checks.Job, r *device.Result, o *report.OnDevice) {
	switch {
	case r.Skipped != "":
		o.Verdict, o.Text = notRun, "not run on the device: "+r.Skipped
	case r.Failure != nil:
		o.Verdict, o.Text = notRun, "not run on the device: "+r.Failure.Text
	case len(r.Forbidden()) > 0:
		first := r.Forbidden()[0]
		o.Verdict = "disagrees"
		o.Text = fmt.Sprintf("the device disagrees with OpenCL %s: %s was seen %d times in %d instances", j.Explore.Spec.Name, condition(r.Test.Vars, first.Values), first.Count, r.Instances)
	default:
		seen := 0
		for _, out := range r.Outcomes {
			if out.Count > 0 {
				seen++
			}
		}
		o.Verdict, o.Text = "agrees", fmt.Sprintf("%d of %d allowed outcomes seen in %d instances", seen, len(r.Outcomes), r.Instances)
	}
}

// sight finds out, once for each mapping, whether store buffering is seen.
func (v *deskDevice) sight(ctx context.Context, o *report.OnDevice) error {
	if n := v.suite.Mappings(); v.sighted < n {
		sights, err := v.suite.Sights(ctx)
		if err != nil {
			return err
		}
		v.sighted, v.blind = n, ""
		var blind []string
		for _, s := range sights {
			if s.Blind() {
				blind = append(blind, string(s.Mapping))
			}
		}
		v.blind = strings.Join(blind, ", ")
	}
	if v.blind != "" {
		o.Verdict, o.Text = "not compared", fmt.Sprintf("blind: nothing forbidden was seen, but neither was store buffering, which is allowed (%s)", v.blind)
	}
	return nil
}
