//go:build unix

package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

var (
	storeTable = flag.Bool("store-table", false, "print what keeping states of some families costs, in memory and on disk")
	storeMax   = flag.Int("store-states", 1_000_000, "states of each search of the table, at most")
	gridRounds = flag.Int("rounds", 20, "rounds of TestGrid, which has (rounds+1)^n states")
	gridItems  = flag.Int("items", 3, "work-items of TestGrid")
	gridMem    = flag.Int("mem", 8, "memory of TestGrid, in MiB")
	gridDir    = flag.String("dir", "", "directory of TestGrid's store (default: a temporary one)")
)

// cost is what one run, or more of the same search, took.
type cost struct {
	wall, cpu   time.Duration
	states      int
	disk        int64 // bytes
	memory      int   // bytes of the visited states
	checkpoints int
	// At a stop for the disk: to hand entries over, for the last checkpoints, for others.
	handing, ending, saving time.Duration
}

// spend calls f and adds what it takes.
func (c *cost) spend(f func()) {
	began, cpu := time.Now(), cpuTime()
	f()
	c.wall += time.Since(began)
	c.cpu += cpuTime() - cpu
}

// cpuTime is the processor time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// String returns the figures as cells of a table.
func (c *cost) String() string {
	n := float64(c.states)
	percent := func(d time.Duration) float64 { return 100 * d.Seconds() / c.wall.Seconds() }
	return fmt.Sprintf("%d | %.1f | %.2f | %.2f | %.0f | %.0f | %d | %.2f | %.2f | %.2f", c.states, c.wall.Seconds(),
		c.wall.Seconds()*1e6/n, c.cpu.Seconds()*1e6/n, float64(c.memory)/n, float64(c.disk)/n,
		c.checkpoints, percent(c.handing), percent(c.saving), percent(c.ending))
}

const costHead = "states | s | us/state | us of CPU/state | B/state in memory | B/state on disk | checkpoints | % handing over | % for checkpoints | % for the last ones"

// searched runs a search, in a store if there is one, and adds what it costs.
func (c *cost) searched(t *testing.T, p *ir.Program, opt explore.Options) *explore.Result {
	t.Helper()
	runtime.GC()
	var r *explore.Result
	c.spend(func() { r = explore.Run(context.Background(), p, opt) })
	c.states, c.memory, c.disk = r.Stats.States, r.Stats.PeakBytes, r.Stats.DiskBytes
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	c.checkpoints, c.handing, c.ending = r.Stats.Checkpoints, r.Stats.Handing, r.Stats.Ending
	c.saving = r.Stats.Standstill - c.handing - c.ending
	if d, kept := opt.Store.(*disk.Store); kept {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// frontMem is the memory with which a store's table has that many slots: two
// fifths of it, at 33 bytes each.
func frontMem(slots int) int { return slots * 33 * 5 / 2 }

// TestStoreTable searches the same states in memory, and on disk behind tables
// that fit all of them and a tenth.
func TestStoreTable(t *testing.T) {
	if !*storeTable {
		t.Skip("use -store-table")
	}
	fmt.Println("| family | size | kept |", costHead, "|")
	fmt.Println("|---|---|---" + strings.Repeat("|--:", strings.Count(costHead, "|")+1) + "|")
	for _, c := range []struct{ family, size string }{
		{"grid", "n=3 rounds=199"}, {"ttaslock", "n=5 k=2"}, {"sensebarrier", "n=5 k=2"},
	} {
		p, err := family{name: c.family}.program(c.size)
		if err != nil {
			t.Fatal(err)
		}
		var memory cost
		want := memory.searched(t, p, explore.Options{MaxStates: *storeMax})
		fmt.Printf("| %s | %s | memory | %v |\n", c.family, c.size, &memory)
		for _, front := range []struct {
			fits  string
			slots int
		}{{"all", 2 * want.Stats.States}, {"a tenth", want.Stats.States / 10}} {
			d, err := disk.Create(filepath.Join(t.TempDir(), "store"), disk.Options{Mem: frontMem(front.slots)}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var disk cost
			got := disk.searched(t, p, explore.Options{MaxStates: *storeMax, Store: d})
			if got.Verdict != want.Verdict || got.Stats.States != want.Stats.States {
				t.Errorf("%s, %s: %v, %d states; in memory %v, %d", c.family, c.size, got.Verdict, got.Stats.States, want.Verdict, want.Stats.States)
			}
			fmt.Printf("| %s | %s | disk, %s in front | %v |\n", c.family, c.size, front.fits, &disk)
		}
	}
}

// TestGrid keeps a search of a known number of states on disk, stops it half
// way, and resumes it. With -items 2 -rounds 10000 -mem 2048 it has a hundred
// million. A -dir of a run that was killed is gone on with.
func TestGrid(t *testing.T) {
	want := 1
	for range *gridItems {
		want *= *gridRounds + 1
	}
	p, err := family{name: "grid"}.program(fmt.Sprintf("n=%d rounds=%d", *gridItems, *gridRounds))
	if err != nil {
		t.Fatal(err)
	}
	dir := *gridDir
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "store")
	}
	mem := *gridMem << 20
	if want > 10_000_000 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(mem)))
	}
	opt := explore.Options{POR: por.Sleep, MaxStates: want / 2, Progress: report()}
	var c cost
	if !disk.Exists(dir) {
		if opt.Store, err = disk.Create(dir, disk.Options{Mem: mem}, nil, nil); err != nil {
			t.Fatal(err)
		}
		if r := c.searched(t, p, opt); r.Verdict != explore.Inconclusive {
			t.Fatalf("half of it: %v", r.Verdict)
		}
	}
	began := time.Now()
	if opt.Store, err = disk.Open(dir, disk.Options{Mem: mem}); err != nil {
		t.Fatal(err)
	}
	t.Logf("opened, and %d states checked, in %v", opt.Store.Set().Len(), time.Since(began).Round(time.Millisecond))
	opt.MaxStates = 0
	r := c.searched(t, p, opt)
	t.Logf("| %s |", costHead)
	t.Logf("| %v |", &c)
	t.Logf("resident at most %d MiB", peakMiB())
	if r.Verdict != explore.Verified || r.Stats.States != want {
		t.Errorf("%v, %d states, want %d", r.Verdict, r.Stats.States, want)
	}
}

// report prints a line a minute.
func report() func(explore.Stats) {
	began, last := time.Now(), time.Now()
	return func(s explore.Stats) {
		if time.Since(last) > time.Minute {
			last = time.Now()
			fmt.Printf("%v: %d states, %.1f us of CPU each, %d MiB on disk, resident at most %d MiB\n", time.Since(began).Round(time.Second), s.States,
				cpuTime().Seconds()*1e6/float64(s.States), s.DiskBytes>>20, peakMiB())
		}
	}
}

// peakMiB is the largest resident size of the process so far, where that is known.
func peakMiB() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kib int
	fmt.Sscanf(after, "%d", &kib)
	return kib >> 10
}
