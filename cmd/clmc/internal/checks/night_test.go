package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/store"
)

// table is a Desk that searches as it is told and takes notes.
type table struct {
	search  func(j *Job, m *model.Model, dir string) (*explore.Result, error)
	done    []string
	remarks []string
}

func (d *table) Search(_ context.Context, j *Job, m *model.Model, dir string) (*explore.Result, error) {
	return d.search(j, m, dir)
}
func (d *table) Done(c *report.Check) { d.done = append(d.done, c.Name) }
func (d *table) Remark(format string, args ...any) {
	d.remarks = append(d.remarks, fmt.Sprintf(format, args...))
}

// Device says what the name of the device is.
func (d *table) Device(_ context.Context, j *Job, _ *model.Model, _ *report.Document) *report.OnDevice {
	return &report.OnDevice{Name: j.Device, Verdict: j.Device, Text: "it " + j.Device}
}

func (d *table) Page(*Job, *model.Model, *report.Document, *report.Report) {}

func (d *table) Tidied(removed int)                        { d.Remark("%d tidied", removed) }
func (d *table) Broken(err error) error                    { return fmt.Errorf("broken: %w", err) }
func (d *table) Crashed(_ *Job, cause any, _ []byte) error { return fmt.Errorf("crashed: %v", cause) }

// night is a night of a list, at a desk.
func night(t *testing.T, list string, d *table) *Night {
	t.Helper()
	l, err := Parse("list.yaml", []byte(list))
	if err != nil {
		t.Fatal(err)
	}
	n := &Night{List: l, Desk: d, Version: "v1", Try: time.Second}
	if n.Jobs, err = l.Jobs(); err != nil {
		t.Fatal(err)
	}
	return n
}

// run searches in memory.
func run(_ *Job, m *model.Model, _ string) (*explore.Result, error) {
	return explore.Run(context.Background(), m.Program, explore.Options{}), nil
}

// TestNight has checks of all sorts. What is wrong with one stays with it, and each is
// told once, in the order of the list.
func TestNight(t *testing.T) {
	d := &table{}
	n := night(t, `checks:
- {model: "@mp_release_acquire", name: good}
- {model: "@mp_relaxed", name: bad}
- {model: "@mp_relaxed", name: known, expect: CL1001}
- {model: "@sb_relaxed", name: crash}
- {model: "@sb_relaxed", name: full}
- {model: "@sb_relaxed", name: lost}
- {model: "@sb_relaxed", name: cut}
`, d)
	d.search = func(j *Job, m *model.Model, dir string) (*explore.Result, error) {
		switch j.Out.Name {
		case "crash":
			panic("at the disco")
		case "full":
			return nil, store.ErrFull
		case "lost":
			return nil, errors.New("the machine is on fire")
		case "cut":
			return explore.Run(context.Background(), m.Program, explore.Options{MaxStates: 1}), nil
		}
		return run(j, m, dir)
	}
	s := n.Run(context.Background())
	want := []struct {
		name, reason string
		status       report.Status
	}{
		{"good", "", report.Expected},
		{"bad", "found CL1001", report.Unexpected},
		{"known", "", report.Expected},
		{"crash", "crashed: at the disco", report.Failed},
		{"full", "run the list again", report.Unfinished},
		{"lost", "on fire", report.Failed},
		{"cut", "1 states", report.Unfinished},
	}
	for i, c := range s.Checks {
		if w := want[i]; c.Name != w.name || c.Status != w.status || !strings.Contains(c.Reason, w.reason) {
			t.Errorf("%s: %s, %q, want %+v", c.Name, c.Status, c.Reason, w)
		}
	}
	if names := []string{"good", "bad", "known", "crash", "full", "lost", "cut"}; len(s.Checks) != len(want) || !slices.Equal(d.done, names) {
		t.Errorf("told of %v", d.done)
	}
}

// TestNightDevice: what comes of a model on a device decides a check whose search has found what is expected, and no other.
func TestNightDevice(t *testing.T) {
	d := &table{search: run}
	s := night(t, `
defaults: {device: agrees}
checks:
- {model: "@mp_release_acquire", name: right}
- {model: "@mp_release_acquire", name: wrong, device: disagrees}
- {model: "@mp_release_acquire", name: hangs, device: not run}
- {model: "@mp_release_acquire", name: blind, device: not compared}
- {model: "@mp_relaxed", name: shown, device: not shown, expect: CL1001}
- {model: "@mp_relaxed", name: bad, device: disagrees}
`, d).Run(context.Background())
	for i, want := range []report.Status{report.Expected, report.Unexpected, report.Unfinished, report.Unfinished, report.Expected, report.Unexpected} {
		c := s.Checks[i]
		if c.Status != want || (c.Device == nil) != (c.Name == "bad") || c.Name == "wrong" && c.Reason != "it disagrees" || c.Device.Disagrees() != (c.Name == "wrong") {
			t.Errorf("%s: %s, %q, %+v", c.Name, c.Status, c.Reason, c.Device)
		}
	}
	var b strings.Builder
	if err := s.Checks[0].Text(&b); err != nil || !strings.Contains(b.String(), "on agrees: it agrees\n") {
		t.Errorf("%q", b.String())
	}
}

// TestNightInterrupted leaves out what an interrupt did not let begin, and says so.
func TestNightInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	d := &table{}
	n := night(t, `checks: [{model: "@mp_release_acquire", name: first}, {model: "@mp_relaxed", name: second}]`, d)
	d.search = func(j *Job, m *model.Model, dir string) (*explore.Result, error) {
		cancel()
		return run(j, m, dir)
	}
	s := n.Run(ctx)
	if a, b := s.Checks[0], s.Checks[1]; a.Status != report.Expected || b.Status != report.Unfinished || !strings.Contains(b.Reason, "interrupted before this check") || len(d.done) != 2 {
		t.Errorf("%+v, %+v, told of %v", a, b, d.done)
	}
}

// TestNightLeft has a check left before its search begins: it is unfinished, and fails nothing.
func TestNightLeft(t *testing.T) {
	for what, c := range map[string]struct {
		list, reason string
		left         func(context.CancelFunc) error
	}{
		"a limit of the check's own": {`checks: [{model: "@mp_relaxed", time-limit: 1h}]`, "the store of its search was opened", func(context.CancelFunc) error { return guard.ErrLeft }},
		"no limit":                   {`checks: [{model: "@mp_relaxed"}]`, "the store of its search was opened", func(context.CancelFunc) error { return guard.ErrLeft }},
		"an interrupt": {`checks: [{model: "@mp_relaxed", time-limit: 1h}]`, "the run was interrupted before this check", func(cancel context.CancelFunc) error {
			cancel()
			return guard.ErrLeft
		}},
		"too much memory": {`checks: [{model: "@mp_relaxed"}]`, "too much memory while", func(context.CancelFunc) error { return tooMuch{guard.ErrMemory} }},
	} {
		t.Run(what, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			d := &table{search: func(*Job, *model.Model, string) (*explore.Result, error) { return nil, c.left(cancel) }}
			s := night(t, c.list, d).Run(ctx)
			if got := s.Checks[0]; got.Status != report.Unfinished || !strings.Contains(got.Reason, c.reason) || len(d.done) != 1 {
				t.Errorf("%+v, told of %v", got, d.done)
			}
		})
	}
}

// tooMuch is guard.ErrLeft for want of memory.
type tooMuch struct{ error }

func (tooMuch) Is(target error) bool { return target == guard.ErrLeft }
func (e tooMuch) Unwrap() error      { return e.error }

// TestNightInterruptedRemembers tells of what is remembered, though an interrupt did not let it have its turn, and
// of each check once.
func TestNightInterruptedRemembers(t *testing.T) {
	dir := t.TempDir()
	const list = `checks: [{model: "@mp_release_acquire", name: first}, {model: "@mp_fences", name: second}, {model: "@sb_relaxed", name: third}]`
	at := func(n *Night) *Night {
		n.List.Store = dir
		var err error
		if n.Results, err = OpenResults(dir); err != nil {
			t.Fatal(err)
		}
		return n
	}
	earlier := at(night(t, list, &table{search: run}))
	earlier.Jobs = earlier.Jobs[1:2]
	earlier.Run(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	d := &table{search: func(j *Job, m *model.Model, dir string) (*explore.Result, error) {
		cancel()
		return run(j, m, dir)
	}}
	s := at(night(t, list, d)).Run(ctx)
	second, third := s.Checks[1], s.Checks[2]
	if second.Status != report.Expected || !second.Remembered || third.Status != report.Unfinished || !slices.Equal(d.done, []string{"first", "second", "third"}) {
		t.Errorf("%+v, %+v, told of %v", second, third, d.done)
	}
}

// TestNightRemembers searches a model in memory first, then where it is kept, and not again when
// its result is remembered.
func TestNightRemembers(t *testing.T) {
	dir := t.TempDir()
	var dirs []string
	once := func() *report.Check {
		d := &table{}
		n := night(t, `checks: [{model: "@mp_release_acquire"}]`, d)
		n.List.Store = dir
		var err error
		if n.Results, err = OpenResults(dir); err != nil {
			t.Fatal(err)
		}
		d.search = func(j *Job, m *model.Model, dir string) (*explore.Result, error) {
			if dirs = append(dirs, dir); dir == "" {
				return &explore.Result{Verdict: explore.Inconclusive, Paused: true}, nil
			}
			return run(j, m, dir)
		}
		return n.Run(context.Background()).Checks[0]
	}
	first, second := once(), once()
	if first.Status != report.Expected || first.Remembered || len(dirs) != 2 || dirs[0] != "" || !strings.HasPrefix(dirs[1], dir) {
		t.Errorf("%+v, searched in %q", first, dirs)
	}
	if second.Status != report.Expected || !second.Remembered || len(dirs) != 2 {
		t.Errorf("%+v, searched in %q", second, dirs)
	}
}
