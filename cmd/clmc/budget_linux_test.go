package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

var (
	hogTime = flag.Duration("hog-time", time.Second, "the limit on time under which hogs are read: on a machine that does much else more shows more")
	hogsAre = flag.String("hogs", "", "which hogs to try: those whose command and name, as in 'explore of loops.go', match")
)

// The memory for which hogs are read, and what a process may take beyond twice of it.
const (
	hogMem    = 64 << 20
	hogBeside = 256 << 20
)

// pen is a folder of the hogs that are tried, and a hub to which a job with any text can be submitted.
type pen struct {
	t   *testing.T
	dir string
	hub func() *pasture
}

// unlaunched begins the names of kernel files that do not say how they are launched.
const unlaunched = "unlaunched-"

var launchOfHog = regexp.MustCompile(`(?m)^//clmc:launch .*\n`)

func newPen(t *testing.T) *pen {
	p := &pen{t: t, dir: t.TempDir()}
	p.hub = sync.OnceValue(func() *pasture { return newPasture(t) })
	return p
}

// let lets a hog in.
func (p *pen) let(h *hog) {
	for name, text := range map[string]string{h.name: h.text, unlaunched + h.name: launchOfHog.ReplaceAllString(h.text, "")} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

// submit submits a job of a text that no clmc has seen, and returns what is there to be removed then.
func (p *pen) submit(h *hog) (remove func()) {
	at := p.hub()
	description := at.about(h.name, h.text)
	if strings.HasSuffix(h.name, ".litmus") {
		description = bytes.Replace(description, []byte(`"Litmus":false`), []byte(`"Litmus":true`), 1)
	}
	if strings.HasSuffix(h.name, ".json") { // a description that is none
		description = []byte(h.text)
	}
	remove, err := at.submit(p.t, h.name, description)
	if err != nil {
		p.t.Logf("%s: it cannot be submitted: %v", h.name, err) // it is too large
	}
	return remove
}

// commands are those for a hog, by their names; limited says whether time and memory are limited.
func (p *pen) commands(h *hog, limited bool) map[string][]string {
	file, mem, limit := filepath.Join(p.dir, h.name), []string{}, []string{}
	if limited {
		mem, limit = []string{"--mem", "64MiB"}, []string{"--time-limit", hogTime.String()}
	}
	list := func(of string) string {
		text := fmt.Sprintf("checks:\n  - {model: %q}\n", of)
		if limited {
			text = fmt.Sprintf("checks:\n  - {model: %q, time-limit: %v}\n", of, *hogTime)
		}
		return write(p.t, "list.yaml", text)
	}
	with := func(args ...any) (all []string) {
		for _, a := range args {
			switch a := a.(type) {
			case string:
				all = append(all, a)
			case []string:
				all = append(all, a...)
			}
		}
		return append(all, "--progress", "never")
	}
	all := map[string][]string{}
	switch filepath.Ext(h.name) {
	case ".yaml":
		all["run"] = with("run", "-q", mem, file)
		if limited {
			all["run"] = append(all["run"], "--budget", hogTime.String())
		}
	case ".log":
		all["capture"] = slices.Concat([]string{"capture", "--layer", file, "-o", p.t.TempDir()}, mem, limit, []string{"--", "sh", "-c", `cp "$0" "$CLMC_CAPTURE_DIR/00.log"`, file})
	case ".cost":
		all["optimise"] = slices.Concat([]string{"optimise", "--cost", file, "@mp"}, mem, limit)
	case ".json":
		all["replay"] = []string{"replay", file}
		all["worker"] = with("worker", "--until-idle", mem, limit, "--workers", "1")
	case ".litmus":
		all["litmus"] = with("litmus", mem, limit, file)
		all["emit"] = with("litmus", "--emit", filepath.Join(p.dir, "emitted"), mem, limit, file)
		fallthrough
	default:
		all["explore"] = with("explore", "-q", mem, limit, file)
		all["test"] = with("test", "-q", mem, limit, file)
		all["run"] = with("run", "-q", mem, list(file))
		all["liveness"] = with("explore", "-q", "--liveness", "all", mem, limit, file)
		all["optimise"] = slices.Concat([]string{"optimise", "--from", "strongest", file}, mem, limit)
		all["repair"] = slices.Concat([]string{"repair", file}, mem, limit)
		if strings.HasSuffix(h.name, ".cl") {
			all["prove"] = append([]string{"prove", file}, slices.Concat(mem, limit)...)
			all["guess"] = with("explore", "-q", mem, limit, filepath.Join(p.dir, unlaunched+h.name))
			all["simulate"] = with("simulate", "-q", limit, file)
			if !limited { // it has no limits but that on memory
				all["init"] = []string{"init", "--force", file}
			}
		}
		if !strings.HasSuffix(h.name, ".sim") {
			all["worker"] = with("worker", "--until-idle", mem, limit, "--workers", "1")
		}
	}
	return all
}

// start starts a command on a hog. What it leaves is removed by the function, which is nil if nothing was started.
func (p *pen) start(h *hog, mode string, args []string) (cmd *exec.Cmd, out *bytes.Buffer, remove func()) {
	remove = func() {}
	p.let(h)
	if mode == "worker" {
		if remove = p.submit(h); remove == nil {
			return nil, nil, nil
		}
		args = append(args, "--cluster", p.hub().url)
	}
	cmd, out = clmc(args...), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out, remove
}

// tell fails if what a command has printed is not what clmc says of inputs.
func (p *pen) tell(what string, code int, out *bytes.Buffer) {
	p.t.Helper()
	if code < 0 || code > 3 || bytes.Contains(out.Bytes(), []byte("goroutine ")) || bytes.Contains(out.Bytes(), []byte("internal error")) {
		p.t.Errorf("%s: exit code %d\n%.2000s", what, code, out)
	}
}

// TestHogs reads, analyses and explores what asks for more than there is, with limits: none takes more than them.
func TestHogs(t *testing.T) {
	if underRace {
		t.Skip("it measures memory")
	}
	p, most := newPen(t), int64(2*hogMem+hogBeside)
	all := hogs()
	rng, seed := strikeRand(t, 43)
	t.Logf("seed %d", seed)
	few := map[int]bool{}
	for range 4 {
		few[rng.IntN(len(all))] = true
	}
	tried := 0
	for i := range all {
		h, only := &all[i], ""
		if !thorough.Asked() && *hogsAre == "" {
			if !few[i] {
				continue
			}
			only = []string{"explore", "test", "run", "worker", "litmus", "liveness", "optimise", "repair"}[rng.IntN(8)]
		}
		for mode, args := range p.commands(h, true) {
			if only != "" && mode != only && len(p.commands(h, true)) > 1 {
				continue
			}
			if regexp.MustCompile(*hogsAre).MatchString(mode + " of " + h.name) {
				p.within(h, mode, args, most)
				tried++
			}
		}
	}
	t.Logf("%d of %d inputs, %d commands", thorough.Of(len(few), len(all)), len(all), tried)
	if len(all) < 60 || thorough.Asked() && *hogsAre == "" && tried < 4*60 {
		t.Errorf("only %d inputs, and %d commands", len(all), tried)
	}
}

// within runs a command on a hog, and looks at what it takes.
func (p *pen) within(h *hog, mode string, args []string, most int64) {
	p.t.Helper()
	cmd, out, remove := p.start(h, mode, args)
	if cmd == nil {
		return
	}
	defer remove()
	peak := measured(p.t, cmd)
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	what := fmt.Sprintf("%s of %s", mode, h.name)
	p.tell(what, exitOf(err), out)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if used > *hogTime+time.Second || overran(cmd, took, *hogTime+time.Second) {
		p.t.Errorf("%s: %v of the processors in %v, with a limit of %v", what, used, took, *hogTime)
	}
	if n := peak(); n > most {
		p.t.Errorf("%s: %d MiB, with a limit of %d", what, n>>20, hogMem>>20)
	}
	if (mode == "explore" || mode == "replay" || strings.HasSuffix(h.name, ".yaml")) && !starved(cmd, took) && !strings.Contains(out.String(), h.says) {
		p.t.Errorf("%s: want %q: %.1000s", what, h.says, out)
	}
	p.t.Logf("%s: %v, %v of the processors, %d MiB", what, took, used, peak()>>20)
}

// TestHogsInterrupted interrupts commands without limits while they read, analyse or explore what asks for more than there is: they end at once.
func TestHogsInterrupted(t *testing.T) {
	p, all := newPen(t), hogs()
	rng, seed := strikeRand(t, 44)
	t.Logf("seed %d", seed)
	for tried := 0; tried < thorough.Of(4, 200); {
		h := &all[rng.IntN(len(all))]
		for mode, args := range p.commands(h, false) { // one of them
			if regexp.MustCompile(*hogsAre).MatchString(mode + " of " + h.name) {
				p.interrupt(h, mode, args, rng)
				tried++
			}
			break
		}
	}
}

// interrupt interrupts a command after some time of the processors.
func (p *pen) interrupt(h *hog, mode string, args []string, rng *rand.Rand) {
	p.t.Helper()
	cmd, out, remove := p.start(h, mode, args)
	if cmd == nil {
		return
	}
	defer remove()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	after, pid := time.Duration(rng.IntN(1200))*time.Millisecond, cmd.Process.Pid
	for began := time.Now(); spentBy(pid) < after && resident(pid) < 1<<30; time.Sleep(2 * time.Millisecond) {
		select {
		case <-ended:
		default:
			if time.Since(began) < 20*time.Second {
				continue
			}
		}
		break
	}
	had, sent, signal := spentBy(pid), time.Now(), []os.Signal{syscall.SIGINT, syscall.SIGTERM}[rng.IntN(2)]
	cmd.Process.Signal(signal)
	stuck := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	<-ended
	stuck.Stop()
	what := fmt.Sprintf("%v to %s of %s after %v", signal, mode, h.name, had)
	if code := cmd.ProcessState.ExitCode(); code != -1 || spentBy(pid) > 0 {
		p.tell(what, code, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - had
	if took := time.Since(sent); took > time.Second && used > time.Second || took > 30*time.Second {
		p.t.Errorf("%s: answered after %v, and %v of the processors\n%.1000s", what, took, used, out)
	}
}

// spentBy is how much of the processors a process has had, 0 if it has ended.
func spentBy(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	sum := time.Duration(0)
	for _, f := range fields[11:13] {
		n, _ := strconv.Atoi(f)
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
