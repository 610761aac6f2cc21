package explore

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/ramdir"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

// looking is the pace of a search that looks at the context after each visit, and when the alarm rings.
func looking(ring time.Duration) *pace {
	at := usual()
	at.look, at.ring = 1, ring
	return &at
}

// cancelling is that pace of a search which is cancelled when it looks at the clock for the n-th time.
func cancelling(cancel func(), n int) *pace {
	at := looking(time.Microsecond)
	now := at.now
	at.now = func() time.Time {
		if n--; n == 0 {
			cancel()
			time.Sleep(100 * time.Microsecond) // the machine is halted by somebody else
		}
		return now()
	}
	return at
}

// inTurns is the pace of looking for workers that have their turns, however busy the machine is: who asks whether it is halted lets
// the others go on. So the first of them, to whom the search tells its progress, comes to something.
func inTurns() *pace {
	at := looking(time.Microsecond)
	halting := at.halting
	at.halting = func(ctx context.Context, m *state.Machine) func() bool {
		m.Asked = runtime.Gosched
		return halting(ctx, m)
	}
	return at
}

// interrupted explores a program on disk, in as many runs as it takes when each
// is stopped at a random point, between visits or in the middle of one.
func interrupted(t *testing.T, p *ir.Program, opt Options, mem int, rng *rand.Rand) (r *Result, runs int) {
	t.Helper()
	opt.pace = looking(time.Microsecond)
	dir := filepath.Join(ramdir.New(t), "store")
	defer os.RemoveAll(dir) // many are made
	patience := 2 + rng.IntN(40)
	for runs = 1; ; runs++ {
		var d *disk.Store
		var err error
		so := disk.Options{Mem: mem}
		if disk.Exists(dir) {
			d, err = disk.Open(dir, so)
		} else {
			d, err = disk.Create(dir, so, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		left := 1 + rng.IntN(patience)
		if runs > 1 && rng.IntN(3) == 0 { // before it has found its way back
			opt.pace = cancelling(cancel, 1+rng.IntN(3))
		} else {
			opt.pace = looking(time.Microsecond)
			if opt.Workers > 1 {
				opt.pace = inTurns()
			}
		}
		patience += patience / 2
		opt.Progress = func(Stats) {
			if left--; left == 0 {
				cancel()
			}
		}
		opt.Store = d
		opt.CheckpointEvery = time.Duration(1 + rng.IntN(int(10*time.Millisecond)))
		r = Run(ctx, p, opt)
		cancel()
		if err := errors.Join(r.Err, d.Close()); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(r.Incomplete, "interrupted") {
			return r, runs
		}
	}
}

// TestResume checks that a search on disk that is interrupted again and again
// ends as one in memory does that is not: same verdict, violations, outcomes and
// number of states.
func TestResume(t *testing.T) {
	t.Parallel()
	some := seeds.Times(1. / 8)
	if testing.Short() {
		some = seeds.Times(1. / 30)
	}
	programs := append(traps(), ignoring())
	for _, style := range append(chosen(), randprog.Loops, randprog.Symmetric, randprog.Crowds) {
		for seed := range some.All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	for i, dir := range must(filepath.Glob("../models/shipped/enqueue_*")) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		programs = append(programs, must(load.File(dir, load.Options{})))
	}
	total := 0
	for i, p := range programs {
		seed := daily.Seed() + uint64(i)
		rng := rand.New(rand.NewPCG(seed, 0))
		opt := Options{All: rng.IntN(2) == 0, MaxStates: 5000, Exact: i%4 == 0, POR: por.Modes()[i%len(por.Modes())], KeepSchedule: i%3 == 0, Promises: NoPromises * (i / 3 % 2), NoCache: i%9 == 8}
		want := Run(context.Background(), p, opt)
		mem := 1 << 10 << rng.IntN(14) // from a front of a few dozen slots to one that holds all
		got, runs := interrupted(t, p, opt, mem, rng)
		total += runs
		if !sameResult(got, want) {
			t.Errorf("%s, seed %d, %d runs, %d bytes:\ngot  %v %v %v, %d outcomes, %v\nwant %v %v %v, %d outcomes, %v", p.Name, seed, runs, mem,
				got.Verdict, kinds(got), got.Stats.work(), len(got.Outcomes), got.Incomplete,
				want.Verdict, kinds(want), want.Stats.work(), len(want.Outcomes), want.Incomplete)
		}
	}
	t.Logf("%d programs, %d runs", len(programs), total)
}

// TestHaltedAnywhere checks the same of a search whose machine is halted, once, when somebody asks whether it is: the
// places between two such questions cannot be told apart. What the machine says from there on is no evidence. The
// context ends there, too, or some questions before, as it halts the machine from elsewhere.
func TestHaltedAnywhere(t *testing.T) {
	t.Parallel()
	var tried []*ir.Program
	list := randprog.All()
	if *styles != "" {
		list = chosen()
	}
	for seed := range seeds.Times(1. / 2).AtLeast(thorough.Of(5, 8)).All() {
		tried = append(tried, list[(daily.Seed()+uint64(seed))%uint64(len(list))].Program(uint64(seed)))
		if seed%4 == 0 {
			tried = append(tried, randprog.Symmetric.Program(uint64(seed)), randprog.Loops.Program(uint64(seed)), randprog.Waits.Program(uint64(seed)), randprog.Careless.Program(uint64(seed)))
		}
	}
	first := randprog.Help.Program(4)                                         // a search without promises comes before one with them
	covering := must(load.File("../models/shipped/cas_weak", load.Options{})) // what its units need not read is known turn by turn
	programs, places, found := 0, 0, map[state.Kind]int{}
	for i, p := range append(tried, ignoring(), covering, first) {
		rng := rand.New(rand.NewPCG(daily.Seed(), uint64(i)))
		opt := Options{All: i%2 == 0 || p == covering, POR: []por.Mode{por.DPOR, por.DPOR, por.DPOR, por.Sleep, por.None}[i%5], MaxStates: 1000, KeepSchedule: true, NoCache: p == covering, Beyond: i%4 == 0, Promises: NoPromises * (i / 2 % 2)}
		switch p {
		case covering:
			opt.POR = por.DPOR
		case first:
			opt = Options{MaxStates: 5000, KeepSchedule: true}
		}
		want := Run(context.Background(), p, opt)
		if slices.ContainsFunc(want.Incomplete, func(why string) bool { return strings.Contains(why, "the bound of") }) {
			continue // to which states that are looked at once more to find a way out count
		}
		for _, k := range kinds(want) {
			found[k]++
		}
		programs++
		_, all := haltedOnce(t, p, opt, 0, 0)
		for n := 1 + rng.IntN(4); n <= all; n += 1 + rng.IntN(1+min(n, 2*all/somePlaces)) { // more of them where it begins
			late := max(0, rng.IntN(400)-200)
			got, _ := haltedOnce(t, p, opt, n, late)
			if places++; !sameResult(got, want) || got.Stats.First != want.Stats.First {
				t.Errorf("%s, program %d, halted at question %d of %d, %d late:\ngot  %v %v %v %v\nwant %v %v %v %v", p.Name, i, n, all, late,
					got.Verdict, got.Violations, got.Stats.work(), got.Incomplete, want.Verdict, want.Violations, want.Stats.work(), want.Incomplete)
				break
			}
		}
	}
	t.Logf("%d places in %d programs, with %v", places, programs, found)
	if places < 10*programs || found[state.Deadlock] == 0 || found[state.DataRace] == 0 {
		t.Error("hardly any was halted, or none has a deadlock, or none a race")
	}
}

// somePlaces is about how often TestHaltedAnywhere halts a program.
var somePlaces = thorough.Of(12, 24)

// haltedOnce explores a program on disk until somebody asks for the n-th time whether a machine is halted, when the
// context ends, and with it some questions later the machines; and then what is left. It returns how often that was asked.
func haltedOnce(t *testing.T, p *ir.Program, opt Options, n, late int) (r *Result, asked int) {
	t.Helper()
	dir := filepath.Join(ramdir.New(t), "store")
	defer os.RemoveAll(dir) // many are made
	d := must(disk.Create(dir, disk.Options{Mem: 1 << 18}, nil, nil))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	was, at := opt.pace, usual()
	if was != nil {
		at = *was
	}
	at.look = 8
	at.halting = func(_ context.Context, m *state.Machine) func() bool {
		m.Asked = func() {
			if asked++; asked == n {
				cancel()
			}
			if n > 0 && asked >= n+late {
				m.Halt()
			}
		}
		return func() bool { return true }
	}
	opt.pace, opt.Store = &at, d
	r = Run(ctx, p, opt)
	if err := errors.Join(r.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if !r.Paused {
		return r, asked
	}
	d = must(disk.Open(dir, disk.Options{Mem: 1 << 18}))
	opt.pace, opt.Store = was, d
	r = Run(context.Background(), p, opt)
	if err := errors.Join(r.Err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return r, asked
}

// TestReachedStays halts a search in which each of two points is reached in one half of the executions only, which are explored one after the
// other. Where the search goes on in the second half, the point of the first has been reached, though that is not seen again.
func TestReachedStays(t *testing.T) {
	b := randprog.NewBuilder("reached")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.If(p.Load(x, rlx, dev), func() { p.Reach("it is set") }, func() { p.Reach("it is not") })
	for i := range 2 {
		q := b.Thread(place(1 + i))
		for range 2 {
			q.Load(y, rlx, dev)
		}
	}
	w := b.Thread(place(3))
	w.Store(x, w.Int(1), rlx, dev)
	w.Store(y, w.Int(1), rlx, dev)
	w.Store(y, w.Int(2), rlx, dev)
	opt := Options{KeepSchedule: true, Promises: NoPromises, POR: por.None}
	want := Run(context.Background(), b.Program(), opt)
	_, all := haltedOnce(t, b.Program(), opt, 0, 0)
	if want.Verdict != Verified || all < 20 {
		t.Fatalf("%v, %v, asked %d times", want.Verdict, kinds(want), all)
	}
	for n := 1; n < all; n += max(1, all/10) {
		if got, _ := haltedOnce(t, b.Program(), opt, n, 0); got.Verdict != Verified {
			t.Errorf("halted at %d of %d: %v %v", n, all, got.Verdict, kinds(got))
		}
	}
}

// TestResumePromises does the same with programs in which promises matter: what
// is owed is in the states, and that a bound on it was met in the checkpoint.
func TestResumePromises(t *testing.T) {
	t.Parallel()
	programs := []*ir.Program{twoStores()}
	for _, c := range append(unread(), certified...) {
		programs = append(programs, c.program)
	}
	for seed := range seeds.Times(1. / 20).All() {
		programs = append(programs, randprog.LB.Program(uint64(seed)))
	}
	mattered, bounded, total := 0, 0, 0
	for i, p := range programs {
		seed := daily.Seed() + uint64(i)
		rng := rand.New(rand.NewPCG(seed, 0))
		opt := Options{All: true, MaxStates: 5000, POR: por.Modes()[i%len(por.Modes())], KeepSchedule: true, Promises: 1 + i%3}
		want := Run(context.Background(), p, opt)
		got, runs := interrupted(t, p, opt, 1<<10<<rng.IntN(14), rng)
		total += runs
		if want.Promises > 0 {
			mattered++
		}
		if len(want.Incomplete) > 0 {
			bounded++
		}
		if !sameResult(got, want) || got.Promises != want.Promises {
			t.Errorf("%s, seed %d, up to %d promises, %d runs:\ngot  %v %v %d states, %d outcomes, %v\nwant %v %v %d states, %d outcomes, %v", p.Name, seed, opt.Promises, runs,
				got.Verdict, kinds(got), got.Stats.States, len(got.Outcomes), got.Incomplete,
				want.Verdict, kinds(want), want.Stats.States, len(want.Outcomes), want.Incomplete)
		}
	}
	if mattered < len(programs)/2 || bounded == 0 {
		t.Errorf("promises mattered to %d of %d programs, and %d met a bound", mattered, len(programs), bounded)
	}
	t.Logf("promises mattered to %d of %d programs, %d met a bound, %d runs", mattered, len(programs), bounded, total)
}

// sameResult compares everything that does not depend on when the search ran.
func sameResult(a, b *Result) bool {
	return a.Verdict == b.Verdict && a.Complete == b.Complete && a.Stats.work() == b.Stats.work() &&
		slices.Equal(kinds(a), kinds(b)) && len(a.Violations) == len(b.Violations) &&
		slices.EqualFunc(a.Outcomes, b.Outcomes, maps.Equal) && slices.Equal(a.Incomplete, b.Incomplete)
}

// work returns the counters that do not depend on time.
func (t *Stats) work() counts {
	return counts{t.States, t.Steps, t.Ends, t.Redundant, t.Blocked, t.Cuts, t.Depth, t.Saved}
}

// counts are the counters that do not depend on time.
type counts struct {
	States, Steps, Ends, Redundant, Blocked, Cuts, Depth int
	Saved                                                Saved
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
