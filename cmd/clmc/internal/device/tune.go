package device

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/litmus"
)

// tuned is what is kept of a device.
type tuned struct {
	Format   int       `json:"format"`
	Device   string    `json:"device"`
	Driver   string    `json:"driver"`
	Settings []Setting `json:"settings"`
}

const tunedFormat = 1

// tunedFile is the file of a device and its driver in the user's cache folder; "" if there is none.
func tunedFile(d *Info) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := sha256.Sum256([]byte(d.Platform + "\x00" + d.Name + "\x00" + d.Version + "\x00" + d.Driver))
	return filepath.Join(dir, "clmc", "devices", fmt.Sprintf("%x.json", h[:8]))
}

// Tuned are the settings that were found for a device; nil if nobody has looked.
func Tuned(d *Info) []Setting {
	const most = 1 << 20
	text, err := regular.Read(tunedFile(d), most)
	var t tuned
	if err != nil || json.Unmarshal(text, &t) != nil || t.Format != tunedFormat || len(t.Settings) == 0 {
		return nil
	}
	return t.Settings
}

// keep keeps settings.
func keep(d *Info, list []Setting) error {
	file := tunedFile(d)
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	text, err := json.MarshalIndent(&tuned{tunedFormat, d.Name, d.Driver, list}, "", "  ")
	if err != nil {
		return err
	}
	return regular.Replace(file, append(text, '\n'))
}

// tuningTests are the tests that settings are tried with: their relaxed accesses let all happen.
var tuningTests = []struct {
	name, text string
	weak       func(o []int32) bool
}{
	{"SB", "P0 (global atomic_int* x, global atomic_int* y) { ST(x,1); int r0 = LD(y); }\nP1 (global atomic_int* x, global atomic_int* y) { ST(y,1); int r0 = LD(x); }\nTREE2\nexists (0:r0=0 /\\ 1:r0=0)",
		func(o []int32) bool { return o[0] == 0 && o[1] == 0 }},
	{"LB", "P0 (global atomic_int* x, global atomic_int* y) { int r0 = LD(y); ST(x,1); }\nP1 (global atomic_int* x, global atomic_int* y) { int r0 = LD(x); ST(y,1); }\nTREE2\nexists (0:r0=1 /\\ 1:r0=1)",
		func(o []int32) bool { return o[0] == 1 && o[1] == 1 }},
	{"MP", "P0 (global atomic_int* x, global atomic_int* y) { ST(x,1); ST(y,1); }\nP1 (global atomic_int* x, global atomic_int* y) { int r0 = LD(y); int r1 = LD(x); }\nTREE2\nexists (1:r0=1 /\\ 1:r1=0)",
		func(o []int32) bool { return o[0] == 1 && o[1] == 0 }},
	{"2+2W", "P0 (global atomic_int* x, global atomic_int* y) { ST(x,1); ST(y,2); }\nP1 (global atomic_int* x, global atomic_int* y) { ST(y,1); ST(x,2); }\nTREE2\nexists (x=1 /\\ y=1)",
		func(o []int32) bool { return o[0] == 1 && o[1] == 1 }},
	{"IRIW", "P0 (global atomic_int* x, global atomic_int* y) { ST(x,1); }\nP1 (global atomic_int* x, global atomic_int* y) { ST(y,1); }\nP2 (global atomic_int* x, global atomic_int* y) { int r0 = LD(x); int r1 = LD(y); }\nP3 (global atomic_int* x, global atomic_int* y) { int r0 = LD(y); int r1 = LD(x); }\nTREE4\nexists (2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)",
		func(o []int32) bool { return o[0] == 1 && o[1] == 0 && o[2] == 1 && o[3] == 0 }},
}

// tuningText is a test in the scope that the device can do.
func tuningText(name, text, scope, group string) string {
	tree := func(n int) string {
		s := ""
		for i := range n {
			if group == "" {
				s += fmt.Sprintf(" (work_group P%d)", i)
			} else {
				s += fmt.Sprintf(" P%d", i)
			}
		}
		if group != "" {
			s = " (work_group" + s + ")"
		}
		return "scopeTree (device" + s + ")"
	}
	load, store := "atomic_load_explicit(%s, memory_order_relaxed, "+scope+")", "atomic_store_explicit(%s, %d, memory_order_relaxed, "+scope+")"
	pairs := []string{"TREE2", tree(2), "TREE4", tree(4)}
	for _, x := range []string{"x", "y"} {
		pairs = append(pairs, "LD("+x+")", fmt.Sprintf(load, x))
		for v := 1; v <= 2; v++ {
			pairs = append(pairs, fmt.Sprintf("ST(%s,%d)", x, v), fmt.Sprintf(store, x, v))
		}
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	return "OpenCL " + name + "\n{ [x]=0; [y]=0; }\n" + text
}

// score is what a setting came to: weak outcomes a second of each test.
type score struct {
	setting Setting
	rates   []float64
}

// maxCandidates bounds what is tried, and maxKept what is kept of it.
const (
	maxCandidates = 64
	maxKept       = 8
)

// Tune tries settings on tests whose weak outcomes are allowed, about so long for each, and keeps those that show most
// of one of them. It returns these, with a table for people.
func Tune(ctx context.Context, s *Suite, each time.Duration) ([]Setting, []string, error) {
	t := &tuner{Suite: s, random: rand.New(rand.NewPCG(s.Seed, 7))}
	if err := t.build(ctx); err != nil {
		return nil, nil, err
	}
	share := max(each/time.Duration(len(t.kernels)), 20*time.Millisecond)
	candidates := Settings(s.Info)
	for len(candidates) < maxCandidates {
		candidates = append(candidates, t.draw())
	}
	var scores []score
	for _, c := range candidates {
		sc := score{setting: c}
		for i := range t.kernels {
			rate, err := t.try(ctx, i, c, share)
			if err != nil {
				return nil, nil, err
			}
			sc.rates = append(sc.rates, rate)
		}
		scores = append(scores, sc)
	}
	best, report := t.pick(scores)
	return best, report, keep(s.Info, best)
}

// tuner tries settings.
type tuner struct {
	*Suite
	random  *rand.Rand
	kernels []*Result
	weak    []func([]int32) bool
	names   []string
}

// build compiles the tests by the mapping that the suite would choose.
func (t *tuner) build(ctx context.Context) error {
	for _, at := range [][2]string{{"memory_scope_device", ""}, {"memory_scope_work_group", "one"}} {
		t.kernels, t.weak, t.names, t.pending = nil, nil, nil, nil
		for _, c := range tuningTests {
			test, err := litmus.Parse(c.name, []byte(tuningText(c.name, c.text, at[0], at[1])))
			if err != nil {
				return err
			}
			r := &Result{Case: &Case{Test: test}}
			if t.choose(r); r.Kernel == nil || len(t.kernels) > 0 && r.Kernel.Mapping != t.kernels[0].Kernel.Mapping {
				continue
			}
			t.pending = append(t.pending, r) // for the names
			t.kernels, t.weak, t.names = append(t.kernels, r), append(t.weak, c.weak), append(t.names, c.name)
		}
		t.pending = nil
		if len(t.kernels) > 0 {
			return t.Suite.build(ctx, t.Client, t.kernels)
		}
	}
	return &Failure{NoCompile, "the device takes no mapping of the tests that settings are tried with"}
}

// draw is a random setting.
func (t *tuner) draw() Setting {
	pick := func(list ...uint32) uint32 { return list[t.random.IntN(len(list))] }
	coin := func() bool { return t.random.IntN(2) == 0 }
	s := Setting{Own: coin(), Mixed: t.random.IntN(4) == 0, Turn: pick(0, 2, 4, 12, 60), Twist: pick(0, 2, 6, 14), Pair: coin(),
		Spin: pick(0, 16, 64, 512, 1024, 4096), Delay: pick(0, 0, 7, 31, 127, 511), Pre: pick(0, 0, 2, 8)}
	if t.Info.Type != "cpu" && coin() {
		s.Stress, s.Extra = pick(32, 128, 512), int(pick(4, 16, 32))
	}
	return s
}

// try is how many weak outcomes of a test a setting shows in a second.
func (t *tuner) try(ctx context.Context, i int, s Setting, share time.Duration) (float64, error) {
	one := *t.Suite
	one.Settings, one.Time, one.Instances = []Setting{s}, share, 0
	tally, err := t.Client.Run(ctx, one.job(t.kernels[i]))
	if err != nil {
		return 0, err
	}
	weak := int64(0)
	for _, o := range tally.Others {
		if t.weak[i](o.Values) {
			weak += o.Count
		}
	}
	return float64(weak) / max(tally.Device.Seconds(), 1e-6), nil
}

// pick takes the settings that show most of each test, and of what they have in common.
func (t *tuner) pick(scores []score) (best []Setting, report []string) {
	add := func(s Setting) {
		if !slices.Contains(best, s) && len(best) < maxKept {
			best = append(best, s)
		}
	}
	for i, name := range t.names {
		slices.SortStableFunc(scores, func(a, b score) int { return cmp.Compare(b.rates[i], a.rates[i]) })
		shown := 0
		for _, s := range scores {
			if s.rates[i] > 0 {
				shown++
			}
		}
		report = append(report, fmt.Sprintf("%-5s %d of %d settings show it; the best %.0f times a second", name, shown, len(scores), scores[0].rates[i]))
		if shown > 0 {
			add(scores[0].setting)
		}
	}
	for i := range t.names { // and the second best, as far as there is room
		slices.SortStableFunc(scores, func(a, b score) int { return cmp.Compare(b.rates[i], a.rates[i]) })
		if len(scores) > 1 && scores[1].rates[i] > 0 {
			add(scores[1].setting)
		}
	}
	if best == nil {
		best = Settings(t.Info)
	}
	return best, report
}
