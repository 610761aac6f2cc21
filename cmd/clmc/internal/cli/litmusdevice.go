package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/whynot"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// deviceFlags are the flags about real devices.
type deviceFlags struct {
	deviceChoice
	runs       int64
	unpromised bool
	mapping    choiceValue
	tune       bool
	report     string
	emit       string
}

// noName refuses an argument that is no file where --device names no device: it may have been meant as the name.
func (d *deviceChoice) noName(args []string) error {
	for _, arg := range args {
		if strings.ContainsAny(arg, "./@") || arg == "-" {
			continue
		}
		if _, err := os.Stat(arg); d.name == deviceAny && errors.Is(err, fs.ErrNotExist) {
			return inputError{fmt.Errorf("%s: no such file or folder; if it is a device, write --device=%s", arg, shell.Word(arg))}
		}
	}
	return nil
}

// deviceChoice are the flags that say which device, and for how long.
type deviceChoice struct {
	name    string // or the number of the device; deviceAny: the first
	library string
	perTest time.Duration
}

// register registers them; run is what is run.
func (d *deviceChoice) register(f *pflag.FlagSet, run string) {
	f.StringVar(&d.name, "device", "", run+" on an OpenCL device, given by its number or a part of its name as clmc devices lists them: `--device=NAME`, or --device for the first")
	f.Lookup("device").NoOptDefVal = deviceAny
	f.StringVar(&d.library, "library", "", "with --device: "+libraryHelp)
}

// deviceAny is what --device stands for without a value.
const deviceAny = "any"

// defaultPerTest is how long each test runs, at the least.
const defaultPerTest = time.Second

func (d *deviceFlags) register(f *pflag.FlagSet) {
	d.deviceChoice.register(f, "run the tests")
	f.Int64Var(&d.runs, "runs", 0, "with --device: run `N` instances of each test (default: as many as there is time for)")
	f.DurationVar(&d.perTest, "time-per-test", defaultPerTest, "with --device: run instances of each test for a `duration` such as 10s")
	f.BoolVar(&d.unpromised, "unpromised", false, "with --device: run also what the device's compiler takes and the device does not promise")
	d.mapping = choiceValue{"auto", []string{"auto", "c11", "legacy", "ptx"}}
	f.Var(&d.mapping, "mapping", "with --device or --emit: how operations are written: c11, legacy (functions of OpenCL 1.x), ptx, or auto, the first of them that the device promises")
	f.BoolVar(&d.tune, "tune", false, "with --device: look for ways of running tests that show most weak behaviour, for --time-per-test each, and keep them for this device and driver")
	f.StringVar(&d.report, "report", "", "with --device: write what repeats a forbidden outcome, with a host program in C, to a folder in `DIR`")
	f.StringVar(&d.emit, "emit", "", "write each test as a program in OpenCL C with a host program in C to a folder in `DIR`, and run none")
}

// check reports flags that do not go together.
func (d *deviceFlags) check(f *pflag.FlagSet) error {
	if d.name == "" {
		for _, name := range []string{"library", "runs", "time-per-test", "unpromised", "tune", "report"} {
			if f.Changed(name) {
				return fmt.Errorf("--%s goes with --device", name)
			}
		}
		if f.Changed("mapping") && d.emit == "" {
			return errors.New("--mapping goes with --device or --emit")
		}
	}
	switch {
	case d.name != "" && d.emit != "":
		return errors.New("--emit writes programs and runs none: leave out --device, or --emit")
	case f.Changed("runs") && d.runs < 1:
		return fmt.Errorf("--runs %d: want at least 1", d.runs)
	case d.perTest <= 0:
		return fmt.Errorf("--time-per-test %v: want a positive duration", d.perTest)
	}
	return nil
}

// wanted is the mapping that the flags ask for; "" is any.
func (d *deviceFlags) wanted() opencl.Mapping {
	if d.mapping.value == "auto" {
		return ""
	}
	return opencl.Mapping(d.mapping.value)
}

// choose finds the device that the flags name.
func (d *deviceChoice) choose(list []*device.Info, why string) (*device.Info, error) {
	if len(list) == 0 {
		return nil, errors.New(strings.TrimSuffix(strings.ToLower(noDevice(why)[:1])+noDevice(why)[1:], "."))
	}
	var names []string
	for _, i := range list {
		names = append(names, fmt.Sprintf("  %d  %s, of %s", i.Number, i.Name, i.Platform))
	}
	known := "\nThe devices are:\n" + strings.Join(names, "\n")
	if d.name == deviceAny {
		return list[0], nil
	}
	if n, err := strconv.Atoi(d.name); err == nil {
		if n < 0 || n >= len(list) {
			return nil, fmt.Errorf("--device=%d: there is no device of this number%s", n, known)
		}
		return list[n], nil
	}
	var found []*device.Info
	for _, i := range list {
		if strings.Contains(strings.ToLower(i.Name+" "+i.Platform), strings.ToLower(d.name)) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("--device=%s: there is no such device%s", d.name, known)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("--device=%s: %d devices are called so; give the number%s", d.name, len(found), known)
}

// judgedTest is a test with what the memory model says of it.
type judgedTest struct {
	file    string
	c       *device.Case
	skipped string
	err     error
}

// judge explores a test: only one that has no violation, of which all outcomes are known, can be compared with a device.
func (l *litmusFlags) judge(ctx context.Context, file string) judgedTest {
	j := judgedTest{file: file}
	ctx, cancel := l.limit(ctx)
	defer cancel()
	m, err := guard.Read(ctx, "load", func() (*model.Model, error) { return model.Litmus(file) })
	if err != nil {
		j.err = err
		return j
	}
	found := explore.Run(ctx, m.Program, l.searchOptions())
	j.c = &device.Case{File: file, Test: m.Test}
	switch {
	case len(found.Violations) > 0:
		v := found.Violations[0]
		j.skipped = fmt.Sprintf("undefined: %v (%s)", v.Kind, v.Kind.ID())
	case !found.Complete:
		j.skipped = "not decided: " + strings.Join(found.Incomplete, "; ")
	case len(found.Outcomes) == 0:
		j.skipped = "it has no execution"
	}
	for _, o := range found.Outcomes {
		var values []int32
		for _, v := range m.Test.Vars {
			values = append(values, int32(o[v]))
		}
		j.c.Allowed = append(j.c.Allowed, values)
	}
	return j
}

// judgeAll explores tests, some at a time, and returns a channel for each.
func (l *litmusFlags) judgeAll(ctx context.Context, files []string) []chan judgedTest {
	return someAtATime(l.jobs, "device", files, func(file string) judgedTest { return l.judge(ctx, file) })
}

// onDevice runs tests on a device.
func (a *app) onDevice(ctx context.Context, l *litmusFlags, seed uint64, files []string) error {
	if len(files) == 0 { // which has been said
		return nil
	}
	c := &device.Client{Library: l.device.library}
	defer c.Close()
	info, err := l.device.open(ctx, c, true)
	if err != nil {
		return err
	}
	s := &device.Suite{Client: c, Info: info, Mapping: l.device.wanted(), Unpromised: l.device.unpromised, Time: l.device.perTest, Instances: l.device.runs, Seed: seed}
	s.Parallel(info.Builders())
	defer s.Close()
	r := &deviceRun{app: a, litmusFlags: l, suite: s, skipped: map[string]int{}, seed: seed, hide: func() {}, left: len(files)}
	if err := r.all(ctx, files); err != nil {
		if err = r.over(ctx, err); err != nil {
			return err
		}
	}
	r.summary()
	return nil
}

// all runs all tests, and then store buffering.
func (r *deviceRun) all(ctx context.Context, files []string) (err error) {
	s := r.suite
	if s.Settings, err = r.settings(ctx); err != nil {
		return err
	}
	p := r.startCounter(r.progress.value, len(files))
	defer p.stop()
	r.hide = p.hide
	for _, result := range r.judgeAll(ctx, files) {
		j := <-result
		if ctx.Err() != nil {
			return guard.Left(ctx)
		}
		p.add()
		if err := r.add(ctx, j); err != nil {
			return err
		}
	}
	if err := s.Flush(ctx, r.tell); err != nil {
		return err
	}
	r.sights, err = s.Sights(ctx)
	return err
}

// open opens the device that is asked for, and with probe tries what its compiler takes.
func (d *deviceChoice) open(ctx context.Context, c *device.Client, probe bool) (*device.Info, error) {
	list, why, err := c.Devices(ctx, false, -1)
	if err != nil {
		return nil, inputError{err}
	}
	info, err := d.choose(list, why)
	if err != nil {
		return nil, inputError{err}
	}
	if list, _, err = c.Devices(ctx, probe, info.Number); err == nil {
		err = c.Open(ctx, info.Number)
	}
	if err != nil {
		return nil, inputError{err}
	}
	return list[info.Number], nil
}

// randomSeed is a seed that nobody has asked for.
func randomSeed() uint64 {
	var b [4]byte
	rand.Read(b[:])
	return uint64(binary.LittleEndian.Uint32(b[:]))
}

// deviceRun is a run of tests on a device, and what came of it so far.
type deviceRun struct {
	*app
	*litmusFlags
	suite   *device.Suite
	seed    uint64
	sights  []device.Sight
	hide    func()
	skipped map[string]int // by reason
	ran     int
	allowed int // outcomes
	seen    int // of them
	failed  int
	against int // tests with a forbidden outcome
	lost    int64
	total   int64 // instances
	unasked int   // tests that use what the device does not promise
	tuned   bool
	left    int    // tests of which nothing has been told
	stopped string // why not all tests were run, or store buffering was not tried
}

// add hands a test on to the device, or says why not.
func (r *deviceRun) add(ctx context.Context, j judgedTest) error {
	switch {
	case j.err != nil:
		r.hide()
		r.left--
		r.failFor(j.err)
		return nil
	case j.skipped != "":
		r.tell(&device.Result{Case: j.c, Skipped: j.skipped})
		return nil
	}
	return r.suite.Add(ctx, j.c, r.tell)
}

// over ends a run that cannot go on: what was run is summed up all the same.
func (r *deviceRun) over(ctx context.Context, err error) error {
	f := (*device.Failure)(nil)
	switch {
	case ctx.Err() != nil:
		r.stopped = guard.Left(ctx).Error()
	case errors.As(err, &f):
		r.stopped = f.Text
	default:
		return err
	}
	r.hide()
	r.code = worse(r.code, exitInconclusive)
	return nil
}

// tell says what came of a test.
func (r *deviceRun) tell(t *device.Result) {
	r.hide()
	r.left--
	if t.Skipped != "" {
		r.skipped[t.Skipped]++
	}
	doc := r.document(t)
	switch {
	case t.Failure != nil && t.Skipped == "":
		r.failed++
		r.code = worse(r.code, exitInconclusive)
	case t.Skipped == "":
		r.count(t)
	}
	if r.format.value == "json" {
		r.out.Write(jsonLine(doc))
	} else {
		r.show(t, doc)
	}
	r.out.Flush()
}

// count adds a test that was run to what is summed up, and writes the report of one that the device fails.
func (r *deviceRun) count(t *device.Result) {
	r.ran++
	r.total += t.Instances
	r.lost += t.Lost
	if len(t.Lacks) > 0 {
		r.unasked++
	}
	for _, o := range t.Outcomes {
		if o.Allowed {
			r.allowed++
			if o.Count > 0 {
				r.seen++
			}
		}
	}
	if len(t.Forbidden()) == 0 {
		return
	}
	r.against++
	r.code = worse(r.code, exitDevice)
	if r.device.report != "" {
		if err := r.writeReport(t); err != nil {
			r.failFor(err)
		}
	}
}

// condition is the proposition that an outcome has these values.
func condition(vars []string, values []int32) string {
	var parts []string
	for i, v := range vars {
		parts = append(parts, fmt.Sprintf("%s=%d", v, values[i]))
	}
	return strings.Join(parts, ` /\ `)
}

// forbids says which rules forbid an outcome.
func (r *deviceRun) forbids(t *device.Result, values []int32) *whynot.Answer {
	ctx := context.Background()
	m, err := model.Litmus(t.File)
	if err != nil {
		return nil
	}
	cond, vars, err := litmus.ParseCondition(condition(t.Test.Vars, values))
	if err != nil {
		return nil
	}
	found := explore.Run(ctx, m.Program, r.searchOptions())
	return (&question{cond, vars}).whyNot(ctx, m, found)
}

// reasons lists why tests were not run, the most frequent first.
func (r *deviceRun) reasons() []string {
	var list []string
	for why := range r.skipped {
		list = append(list, why)
	}
	slices.SortFunc(list, func(a, b string) int {
		if d := r.skipped[b] - r.skipped[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return list
}
