package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/store"
)

var (
	sharing   = flag.String("sharing", "", "searches for TestSharing, with a comma between: the arguments of clmc explore")
	processes = flag.String("processes", "2", "how many processes share a search of TestSharing, with a comma between")
	killed    = flag.Int("killed", 0, "how many processes TestLostPerKill kills of each search of -sharing")
)

// TestSharing measures what processes do twice that share a search: of the states that are told of, below which 64 steps and more lie, those
// that several have told of. docs/performance.md has its figures.
func TestSharing(t *testing.T) {
	if *sharing == "" {
		t.Skip("no -sharing")
	}
	for search := range strings.SplitSeq(*sharing, ",") {
		args := strings.Fields(search)
		one := searchAlone(t, args)
		t.Logf("%s: %d steps, %.2f CPU s alone", search, one.Statistics.Steps, one.cpu.Seconds())
		for word := range strings.SplitSeq(*processes, ",") {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			parts, told, twice := searchTogether(t, n, args)
			steps, cpu, list := 0, time.Duration(0), ""
			for _, p := range parts {
				steps, cpu = steps+p.Statistics.Steps, cpu+p.cpu
				list += fmt.Sprintf(" %d in %.2f s", p.Statistics.Steps, p.cpu.Seconds())
				if p.Verdict != one.Verdict {
					t.Errorf("%s: %s, and %s alone", search, p.Verdict, one.Verdict)
				}
			}
			t.Logf("%s: %d processes: steps%s, %.2f of one, %.2f CPU s, %.2f of one; %d of %d states are told of twice, %.3f", search, n, list,
				float64(steps)/float64(one.Statistics.Steps), cpu.Seconds(), float64(cpu)/float64(one.cpu), twice, told, float64(twice)/float64(max(told, 1)))
		}
	}
}

// searchAlone has one process search, without a server.
func searchAlone(t *testing.T, args []string) part {
	cmd := clmc(append([]string{"explore", "--format", "json", "--progress", "never"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Run()
	one := part{cpu: used(cmd)}
	if err := json.Unmarshal(out.Bytes(), &one.result); err != nil {
		t.Fatal(err)
	}
	return one
}

// TestLostPerKill measures what is done again when a process is killed: one works on a search on a hub, says after some seconds how many steps it has
// performed, and is killed at once; the next one goes on, and the last ends. docs/performance.md has the figures.
func TestLostPerKill(t *testing.T) {
	if *sharing == "" || *killed == 0 {
		t.Skip("no -sharing, or no -killed")
	}
	rng, seed := strikeRand(t, 45)
	t.Logf("seed %d", seed)
	for search := range strings.SplitSeq(*sharing, ",") {
		args := strings.Fields(search)
		one := searchAlone(t, args)
		h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		steps, cpu, kills, list := 0, time.Duration(0), 0, ""
		for done := false; !done; {
			lines := 1 + rng.IntN(4) // a second each
			if kills == *killed {
				lines = math.MaxInt
			}
			p, ended := killedAfter(t, h.URL, args, lines)
			steps, cpu, done = steps+p.Statistics.Steps, cpu+p.cpu, ended
			list += fmt.Sprintf(" %d", p.Statistics.Steps)
			if !ended {
				kills++
			} else if p.Verdict != one.Verdict {
				t.Errorf("%s: %s, and %s alone", search, p.Verdict, one.Verdict)
			}
		}
		h.Close()
		t.Logf("%s: %d steps, %.2f CPU s alone; %d kills: steps%s, %d done again for a kill, %.2f CPU s for a kill", search, one.Statistics.Steps, one.cpu.Seconds(), kills, list,
			(steps-one.Statistics.Steps)/max(kills, 1), (cpu-one.cpu).Seconds()/float64(max(kills, 1)))
	}
}

// killedAfter has a process work on a search until it has said so many times how far it is, or until it has ended.
func killedAfter(t *testing.T, url string, args []string, lines int) (p part, ended bool) {
	cmd := clmc(append([]string{"explore", "--cluster", url, "--workers", "1", "--format", "json", "--progress", "json"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewScanner(said); r.Scan(); {
		var far struct{ Steps int }
		if json.Unmarshal(r.Bytes(), &far) != nil || far.Steps == 0 {
			continue
		}
		p.Statistics.Steps = far.Steps
		if lines--; lines == 0 {
			cmd.Process.Kill()
			break
		}
	}
	cmd.Wait()
	p.cpu = used(cmd)
	if !cmd.ProcessState.Exited() {
		return p, false
	}
	if err := json.Unmarshal(out.Bytes(), &p.result); err != nil {
		t.Fatal(err, out.String())
	}
	return p, true
}

// part is what a process did.
type part struct {
	result
	cpu time.Duration
}

func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// searchTogether has processes share a search, and reads how many states they have told of, and how many of these several have.
func searchTogether(t *testing.T, n int, args []string) (parts []part, told, twice int) {
	h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var all []*exec.Cmd
	outs := make([]bytes.Buffer, n)
	for i := range outs {
		cmd := clmc(append([]string{"explore", "--cluster", h.URL, "--workers", "1", "--format", "json", "--progress", "never"}, args...)...)
		cmd.Stdout = &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for i, cmd := range all {
		cmd.Wait()
		p := part{cpu: used(cmd)}
		if err := json.Unmarshal(outs[i].Bytes(), &p.result); err != nil {
			t.Fatal(err, outs[i].String())
		}
		parts = append(parts, p)
	}
	told, twice = toldOf(t, h.URL)
	return parts, told, twice
}

// toldOf reads the stream of the one job of a hub.
func toldOf(t *testing.T, url string) (told, twice int) {
	c, err := cluster.Dial(cluster.Server{URL: url, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	jobs, _, err := c.Jobs(t.Context())
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := c.Open(ctx, jobs[0].ID, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	by := map[store.Fingerprint]uint64{}
	again := map[store.Fingerprint]bool{}
	for link := f.Links()[0]; ; {
		data, err := link.Next()
		if err != nil {
			t.Fatal(err)
		}
		if data == nil {
			return len(by), len(again)
		}
		b, err := share.Decode(data, explore.Semantics)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Facts {
			state := b.Facts[i].State
			if who, there := by[state]; there && who != b.Worker {
				again[state] = true
			}
			by[state] = b.Worker
		}
	}
}
