package optimise

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

// known are algorithms with the orders that are published of them, and what explains the difference.
var known = []struct {
	name, file string
	slow       bool
	published  string // with its source
	difference string
}{
	{"message passing", "mp_global.go", false, "release, acquire (OpenCL C 3.0, 6.15.12; any text book)", "none"},
	{"exchange lock", "spin.go", false, "libvsync caslock: acquire, release", "none"},
	{"lock that is tested first (TTAS)", "known/ttas.cl", false, "libvsync ttaslock: read relaxed, xchg acquire, write release", "none"},
	{"ticket lock", "ticket.go", false, "libvsync ticketlock: get_inc relaxed, await acquire, read relaxed, write release", "none"},
	{"queue lock (MCS)", "known/mcs.cl", false, "libvsync mcslock: writes relaxed, xchg seq_cst, write release, await acquire, cmpxchg release, await relaxed and then read acquire, write release",
		"xchg acq_rel instead of seq_cst. A load here both waits and acquires, where libvsync waits with a relaxed one first"},
	{"queue lock (CLH)", "known/clh.cl", false, "libvsync clhlock: write relaxed, xchg seq_cst, await acquire, write release", "xchg acq_rel instead of seq_cst"},
	{"lock of readers and a writer", "known/rwlock.cl", false, "C11 (Boehm, MSPC 2012, for sequence and reader locks): acquire to enter, release to leave", "none; the read before the compare-exchange is relaxed"},
	{"stack (Treiber)", "known/treiber.cl", false, "C11 as in GenMC's benchmarks (Kokologiannakis and Vafeiadis, CAV 2021): push release, pop acquire",
		"pop's compare-exchange acquires where it succeeds, too: where it fails it must, and success may not be weaker (rule 4.2)"},
	{"queue (Michael and Scott)", "known/msqueue.cl", false, "C11 as in CDSchecker (Norris and Demsky, OOPSLA 2013): loads acquire, compare-exchanges release",
		"loads of head and tail are relaxed: one work-item dequeues, and no node is used again, so that only the link has to publish"},
	{"decoupled look-back", "known/lookback.cl", false, "Merrill and Garland (2016): fence before each flag, volatile reads; CUB: store release, load acquire", "none; release and acquire stand for the fences"},
	{"barrier between groups", "known/gridbarrier.cl", false, "Xiao and Feng (IPDPS 2010): atomicAdd and __threadfence (seq_cst) on both sides", "acq_rel, release and acquire do: all come by one counter"},
	{"local flag, global data", "mp_local.go", false, "OpenCL C 3.0, 6.15.12.5: fences with both flags", "none; the flag itself is relaxed"},
	{"sequence lock", "seqlock.go", false, "libvsync seqcount, and Boehm (MSPC 2012): write relaxed, fence release, write release; read acquire, fence acquire, read relaxed", "none"},
	{"last block", "lastblock.go", false, "CUDA's sample threadFenceReduction: a fence before and after the atomic", "one fetch_add acq_rel does: cheaper by this table; two of three barriers are local"},
	{"deque, two thieves (Chase and Lev)", "deque.go", true, "Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013): two seq_cst fences, seq_cst compare-exchanges, a release fence in push",
		"steal has a seq_cst load instead of its fence, and take's compare-exchange is relaxed"},
}

const (
	resultsBegin = "<!-- The table is made by a test: go test ./internal/optimise -run TestResults -update -->\n"
	resultsEnd   = "<!-- end of the table -->\n"
)

// TestResults finds the weakest orders of known algorithms, has each result explored again by a search of its own, and holds the table of docs/optimise.md
// against them.
func TestResults(t *testing.T) {
	const page = "../../docs/optimise.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), resultsBegin)
	was, _, _ := strings.Cut(rest, resultsEnd)
	rows := map[string]string{}
	for _, line := range strings.Split(was, "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		rows[name] = line + "\n"
	}
	var b strings.Builder
	b.WriteString("| algorithm | assignments | checks | replays | cost | found | published | difference |\n|---|---|---|---|---|---|---|---|\n")
	for _, k := range known {
		if k.slow && !thorough.Asked() && !golden.Update() {
			b.WriteString(rows[k.name])
			continue
		}
		r := find(t, k.file, strongest)
		if r.Verdict != Optimised {
			t.Errorf("%s: %s", k.file, r.Text(false))
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %s | %s |\n", k.name, count(r.Lattice), r.Checks, r.Replays, Cost(r.Cost), foundOf(r), k.published, k.difference)
	}
	golden.Part(t, page, resultsBegin, resultsEnd, b.String())
}

// foundOf says in short how a result synchronises.
func foundOf(r *Result) string {
	var all []string
	for _, s := range r.p.sites {
		now := r.p.strength(s, r.best)
		word := map[bool]string{true: "no " + s.ID.Kind.String(), false: s.ID.Kind.String() + " " + short(now.Order.String())}[said(s, now, s.Strength) == "removed"]
		if word == "barrier non_atomic" {
			word = "barrier " + flagsText(now.Flags)
		}
		if n := len(all); n > 0 && (all[n-1] == word || strings.HasPrefix(all[n-1], word+" ×")) {
			times := 1
			fmt.Sscanf(all[n-1][len(word):], " ×%d", &times)
			all[n-1] = fmt.Sprintf("%s ×%d", word, times+1)
			continue
		}
		all = append(all, word)
	}
	return strings.ReplaceAll(strings.Join(all, ", "), "|", "+")
}
