package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// kernelDeviceFlags are the flags about a device that kernels run on.
type kernelDeviceFlags struct {
	deviceChoice
	runs   int
	seed   uint64
	yes    bool
	client *device.Client // nil before the first kernel
	info   *device.Info
}

// The runs of a kernel, where nothing else is said: how many, and for how long.
const (
	defaultRuns    = 1000
	defaultRunTime = 10 * time.Second
)

func (d *kernelDeviceFlags) register(f *pflag.FlagSet) {
	d.deviceChoice.register(f, "run kernels, too,")
	f.IntVar(&d.runs, "runs", defaultRuns, "with --device: run each kernel `N` times")
	f.DurationVar(&d.perTest, "time-per-test", defaultRunTime, "with --device: begin no more runs of a kernel after a `duration`")
	f.Uint64Var(&d.seed, "seed", 1, "with --device: the seed of what the host chooses")
	f.BoolVar(&d.yes, "yes", false, "with --device: run also a kernel that may hang, or access memory that is not its own")
}

// check reports flags that do not go together.
func (x *exploreFlags) checkDevice(f *pflag.FlagSet) error {
	d := &x.device
	if d.name == "" {
		for _, name := range []string{"library", "runs", "time-per-test", "seed", "yes"} {
			if f.Changed(name) {
				return fmt.Errorf("--%s goes with --device", name)
			}
		}
		return nil
	}
	switch {
	case x.store != "" || x.used() || x.witness != "":
		return errors.New("--device goes without --store, --cluster and --witness")
	case d.runs < 1:
		return fmt.Errorf("--runs %d: want at least 1", d.runs)
	case d.perTest <= 0:
		return fmt.Errorf("--time-per-test %v: want a positive duration", d.perTest)
	}
	return nil
}

// kernelRun is a kernel on a device beside what a search has found of it.
type kernelRun struct {
	*app
	*exploreFlags
	model    *model.Model
	found    *explore.Result
	path     string // of the kernel file
	host     *clc.Hosted
	ends     *explore.Result // with outcomes that tell what is left; nil if none is needed
	kernel   *device.Kernel
	ended    *device.Ended
	doc      *kernelDocument
	values   []device.Value // by which endings differ
	more     int            // of them, which are not told
	lost     bool           // the device did not answer
	sentence string         // what came of the kernel, in words
}

// beside runs a kernel on the device of the flags, and tells what came of it.
func (a *app) beside(ctx context.Context, x *exploreFlags, t model.Target, m *model.Model, r *explore.Result) error {
	k := &kernelRun{app: a, exploreFlags: x, model: m, found: r}
	if err := k.whole(ctx, t); err != nil {
		return err
	}
	switch k.doc.Verdict {
	case "disagrees":
		a.code = worse(a.code, exitDevice)
	case notRun:
		a.code = worse(a.code, exitInconclusive)
	}
	if x.format.value == "json" {
		return report.WriteJSON(a.out, k.doc)
	}
	k.show()
	return nil
}

// whole runs the kernel, unless something is against it, and writes the document.
func (k *kernelRun) whole(ctx context.Context, t model.Target) error {
	k.doc = &kernelDocument{Schema: kernelSchema, Model: k.model.Name, Seed: k.device.seed, Search: k.found.Verdict.String(), Endings: []kernelEnding{}}
	why, err := k.read(ctx, t)
	if err == nil && why == "" && !k.device.yes {
		if why = k.risk(ctx); why != "" {
			why += "; --yes runs it"
		}
	}
	if err == nil && why == "" {
		err = k.device.start(ctx)
		k.doc.Device = k.device.info
	}
	if err == nil && why == "" {
		if k.found.Verdict == explore.Verified || k.found.Verdict == explore.ButForKnown {
			k.explore(ctx)
		}
		why, err = k.run(ctx)
	}
	switch {
	case ctx.Err() != nil:
		k.skip(guard.Left(ctx).Error())
	case err != nil:
		return err
	case why != "":
		k.skip(why)
	default:
		k.judge()
	}
	return nil
}

// read reads the kernel for the device, or says why it cannot run there.
func (k *kernelRun) read(ctx context.Context, t model.Target) (why string, err error) {
	if !t.IsKernel() {
		hint := ""
		if t.IsLitmus() {
			hint = "; clmc litmus --device runs litmus tests"
		}
		return "it is no kernel in OpenCL C" + hint, nil
	}
	var text []byte
	if k.path = string(t); strings.HasPrefix(k.path, "@") {
		m, err := model.Shipped(k.path)
		if err != nil {
			return "", err
		}
		text, k.path = []byte(m.Source), m.Path
	} else if text, err = regular.Read(k.path, 1<<23); err != nil {
		return "", regular.Fault(k.path, err)
	}
	opt := k.loadOptions()
	_, err = guard.Read(ctx, "host", func() (_ struct{}, err error) {
		k.host, why, err = clc.Host(k.path, text, opt.Preprocessed())
		return struct{}{}, err
	})
	return why, err
}

// dangers are the kinds of violation that are more than a wrong result, with what may come of them.
var dangers = map[state.Kind]string{
	state.BarrierDivergence: "hang", state.Deadlock: "hang", state.NonTermination: "hang", state.NoWayOut: "hang", state.MayRun: "hang",
	state.IndexOutOfRange: "access memory that is not its own", state.NilDereference: "access memory that is not its own",
	state.InvalidAccess: "access memory that is not its own", state.FreedMemory: "access memory that is not its own", state.DivisionByZero: "crash",
}

// The bounds of the question whether a kernel ends, if nothing else bounds it.
const (
	riskStates = 200_000
	riskTime   = 10 * time.Second
)

// risk says why the kernel should not run on a device; "" if nothing is known against that.
func (k *kernelRun) risk(ctx context.Context) string {
	for i := range k.found.Violations {
		v := &k.found.Violations[i]
		if what := dangers[v.Kind]; what != "" {
			return fmt.Sprintf("it may %s: %v (%s)", what, v.Kind, v.Kind.ID())
		}
	}
	if !k.host.Waits {
		return ""
	}
	if len(k.found.Violations) > 0 {
		return "it may hang: it goes wrong, and has a loop with atomic operations"
	}
	name := k.live.model
	if name == "" || name == explore.LivenessOfAll {
		name = "opencl"
	}
	opt := k.optionsFor(k.model)
	var err error
	if opt.Liveness, err = explore.ParseLiveness(name, k.live.fairness.value); err != nil {
		return err.Error()
	}
	opt.MaxStates = riskStates
	if k.maxStates > 0 {
		opt.MaxStates = k.maxStates
	}
	ctx, cancel := context.WithTimeoutCause(ctx, riskTime, fmt.Errorf("%v were spent on that", riskTime))
	defer cancel()
	live := explore.Run(ctx, k.model.Program, opt).Live
	if live == nil || len(live.Answers) != 1 {
		return fmt.Sprintf("whether it ends under %s is not known", name)
	}
	switch answer := live.Answers[0]; answer.Verdict {
	case liveness.Ends:
		return ""
	case liveness.Runs:
		return fmt.Sprintf("it may hang: under %s, which is what a device promises, some execution does not end (--liveness %[1]s)", name)
	default:
		return fmt.Sprintf("whether it ends under %s is not known: %s", name, strings.Join(answer.Why, "; "))
	}
}

// explore looks for what the kernel may leave: for ten times as long as the search took that has found nothing wrong.
func (k *kernelRun) explore(ctx context.Context) {
	opt := k.optionsFor(k.model)
	opt.Liveness, opt.All, opt.Beyond = nil, false, false
	limit := max(10*k.found.Stats.Elapsed, 30*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%v were spent on that", limit.Round(time.Second)))
	defer cancel()
	k.ends = explore.Run(ctx, k.host.Program, opt)
}

// start opens the device, once.
func (d *kernelDeviceFlags) start(ctx context.Context) (err error) {
	if d.info != nil {
		return nil
	}
	d.client = &device.Client{Library: d.library}
	d.info, err = d.open(ctx, d.client, false)
	return err
}

// close ends the process that talks to the device.
func (d *kernelDeviceFlags) close() {
	if d.client != nil {
		d.client.Close()
	}
}

// run runs the kernel, or says why that was not done.
func (k *kernelRun) run(ctx context.Context) (why string, err error) {
	d := &k.device
	var include []string
	if strings.Contains(k.host.Text, "include") {
		include = append([]string{filepath.Dir(k.path)}, k.host.Include...)
	}
	for _, dir := range include {
		if strings.ContainsAny(dir, " \t\"'\\") {
			return fmt.Sprintf("it may include files, and compilers of devices cannot be told the folder %q", dir), nil
		}
	}
	k.kernel = &device.Kernel{Host: k.host, Ends: k.ends, Runs: d.runs, Time: d.perTest, Seed: d.seed}
	k.ended, err = k.kernel.Run(ctx, d.client, d.info, include)
	f := (*device.Failure)(nil)
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &f) && f.Kind == device.TooLarge:
		return "", inputError{fmt.Errorf("%s: %s", k.model.Name, f.Text)}
	case errors.As(err, &f):
		k.lost = f.Kind == device.Hung || f.Kind == device.Died
		return f.Text, nil
	}
	return "", err
}

// kernelSchema names the form of a kernelDocument.
const kernelSchema = "clmc.device-kernel/1"

// kernelDocument is what came of a kernel on a device, as JSON.
type kernelDocument struct {
	Schema string       `json:"schema"`
	Model  string       `json:"model"`
	Device *device.Info `json:"device,omitempty"`
	Seed   uint64       `json:"seed"`
	Search string       `json:"search"` // the verdict of the search
	// Verdict is agrees, disagrees, shown, not shown, not compared, or not run.
	Verdict    string            `json:"verdict"`
	Reason     string            `json:"reason,omitempty"`
	Uncompared []string          `json:"not_compared,omitempty"`
	Runs       int               `json:"runs"`
	Seconds    float64           `json:"seconds"`
	Forbidden  int               `json:"forbidden"` // runs
	Allowed    int               `json:"outcomes_allowed"`
	Seen       int               `json:"outcomes_seen"`
	Endings    []kernelEnding    `json:"endings"`
	More       int               `json:"more_endings,omitempty"`
	Expected   map[string]string `json:"expected,omitempty"` // by number: what executions leave there
}

// kernelEnding is how some runs ended.
type kernelEnding struct {
	Runs      int               `json:"runs"`
	Forbidden bool              `json:"forbidden"`
	Fails     []string          `json:"fails,omitempty"` // assertions
	Values    map[string]string `json:"values"`          // the numbers by which endings differ
}

// notRun is the verdict on a kernel that was not run, or not to the end.
const notRun = "not run"

// skip says why the kernel was not run, or not to the end. Of one that may hang or crash, that is what the device shows.
func (k *kernelRun) skip(why string) {
	k.doc.Verdict, k.doc.Reason = notRun, why
	k.sentence = "not run on the device: " + strings.TrimSpace(why)
	if k.lost && len(k.found.Violations) > 0 && dangers[k.found.Violations[0].Kind] != "" {
		k.doc.Verdict, k.sentence = "shown", "the device shows it: "+strings.TrimSpace(why)
	}
}

// The bounds of what is told of endings: how many, and by how many numbers.
const (
	toldEndings = 20
	toldValues  = 8
)

// judge writes down what came of the runs.
func (k *kernelRun) judge() {
	e, d := k.ended, k.doc
	d.Runs, d.Seconds, d.Allowed, d.Seen, d.Forbidden = e.Runs, e.Time.Seconds(), e.Allowed, e.Seen, e.Forbidden()
	d.Uncompared, d.Reason, d.Expected = k.host.Uncompared, e.Unknown, map[string]string{}
	k.values, k.more = k.kernel.Telling(e, toldValues)
	for _, v := range k.values {
		if v.Allowed != nil {
			d.Expected[v.Name] = strings.Join(v.Allowed, " or ")
		}
	}
	failing := 0
	for i := range e.Endings {
		n := &e.Endings[i]
		if len(n.Fails) > 0 {
			failing += n.Count
		}
		if i >= toldEndings && !n.Forbidden {
			d.More++
			continue
		}
		one := kernelEnding{Runs: n.Count, Forbidden: n.Forbidden, Fails: n.Fails, Values: map[string]string{}}
		for _, v := range k.values {
			one.Values[v.Name] = v.Of(n)
		}
		d.Endings = append(d.Endings, one)
	}
	d.Verdict = k.verdict(failing)
	k.sentence = map[string]string{
		"shown":        fmt.Sprintf("the device shows it: %d of %d runs fail an assertion", failing, e.Runs),
		"not shown":    fmt.Sprintf("%s, and fail no assertion; that is no proof", k.ways()),
		"disagrees":    fmt.Sprintf("the device disagrees with OpenCL %s: %d of %d runs leave what no execution does", k.spec.Name, d.Forbidden, e.Runs),
		"not compared": fmt.Sprintf("%s; they were compared among each other only: %s", k.ways(), e.Unknown),
		"agrees":       fmt.Sprintf("the device agrees: %d of %d verified outcomes seen", e.Seen, e.Allowed),
	}[d.Verdict]
}

// ways says in how many ways the runs end.
func (k *kernelRun) ways() string {
	n := len(k.ended.Endings) + k.ended.Lost
	if n == 1 {
		return fmt.Sprintf("%d runs end alike", k.ended.Runs)
	}
	return fmt.Sprintf("%d runs end in %d ways", k.ended.Runs, n)
}

// verdict is the word for what came of the runs, of which some fail assertions.
func (k *kernelRun) verdict(failing int) string {
	switch {
	case len(k.found.Violations) > 0 && failing > 0:
		return "shown"
	case len(k.found.Violations) > 0:
		return "not shown"
	case k.doc.Forbidden > 0:
		return "disagrees"
	case k.ended.Unknown != "":
		return "not compared"
	}
	return "agrees"
}

// show prints what came of the kernel.
func (k *kernelRun) show() {
	if k.ended != nil {
		k.showRuns()
	}
	fmt.Fprintf(k.out, "%s: %s\n", visible.Line(k.model.Name), visible.Text(k.sentence))
}

// showRuns prints what came of the runs.
func (k *kernelRun) showRuns() {
	e, d, info, values := k.ended, k.doc, k.doc.Device, k.values
	fmt.Fprintf(k.out, "\nOn device %d, %s, of %s, driver %s: %s runs, %.3g s, seed %d\n", info.Number, info.Name, info.Platform, info.Driver, humanize.Comma(int64(e.Runs)), d.Seconds, d.Seed)
	if e.Runs < k.device.runs {
		fmt.Fprintf(k.out, "  fewer than %s: --time-per-test %v was over\n", humanize.Comma(int64(k.device.runs)), k.device.perTest)
	}
	for i := range d.Endings {
		n := &d.Endings[i]
		if len(values) == 0 && len(n.Fails) == 0 {
			continue // nothing tells it from others
		}
		word := map[bool]string{true: "FORBIDDEN", false: "         "}[n.Forbidden]
		fmt.Fprintf(k.out, "  %s %8s  %s\n", word, humanize.Comma(int64(n.Runs)), endingText(n, values))
	}
	if len(values) == 0 && len(e.Endings) == 1 {
		fmt.Fprintln(k.out, "  All runs end alike.")
	}
	if n := d.More + e.Lost; n > 0 {
		fmt.Fprintf(k.out, "  and %s other ways to end\n", humanize.Comma(int64(n)))
	}
	if k.more > 0 {
		fmt.Fprintf(k.out, "  Runs differ in %d more numbers.\n", k.more)
	}
	for _, v := range values {
		if v.Allowed != nil && d.Forbidden > 0 {
			fmt.Fprintf(k.out, "  %s: every execution leaves %s\n", v.Name, d.Expected[v.Name])
		}
	}
	for _, why := range d.Uncompared {
		fmt.Fprintf(k.out, "  compared among runs only: %s\n", why)
	}
	if e.Unread > 0 {
		fmt.Fprintf(k.out, "  %d runs are not judged: work-items observe more than %d values of one name\n", e.Unread, clc.SeenRoom)
	}
}

// endingText writes the numbers of an ending, and the assertions that do not hold.
func endingText(n *kernelEnding, values []device.Value) string {
	var words []string
	for _, v := range values {
		words = append(words, v.Name+"="+n.Values[v.Name])
	}
	if len(n.Fails) > 0 {
		words = append(words, "fails "+strings.Join(n.Fails, ", "))
	}
	return strings.Join(words, " ")
}
