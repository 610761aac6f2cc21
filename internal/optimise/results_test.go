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
	{"message passing", "mp_global.go", false, "release, acquire: any text book", "none"},
	{"exchange lock", "spin.go", false, "libvsync caslock.h: compare-exchange acquire, write release", "none"},
	{"lock that is tested first (TTAS)", "known/ttas.cl", false, "libvsync ttaslock.h: await relaxed, xchg acquire, write release", "none"},
	{"ticket lock", "ticket.go", false, "libvsync ticketlock.h: get_inc relaxed, await acquire, read relaxed, write release", "none"},
	{"queue lock (MCS)", "known/mcs.cl", false, "libvsync mcslock.h: writes relaxed, xchg seq_cst, write release, await acquire; read relaxed, cmpxchg release, await relaxed, read acquire, write release",
		"xchg acq_rel instead of seq_cst. A load here both waits and acquires, where libvsync waits with a relaxed one first"},
	{"queue lock (CLH)", "known/clh.cl", false, "libvsync clhlock.h: write relaxed, xchg seq_cst, await acquire, write release", "xchg acq_rel instead of seq_cst"},
	{"lock of readers and a writer", "known/rwlock.cl", false, "GenMC's linuxrwlocks.c, a lock by fetch_sub: acquire to enter, release to leave, relaxed to wait", "none; the read before the compare-exchange is relaxed"},
	{"stack (Treiber)", "known/treiber.cl", false, "GenMC's treiber-stack: top read acquire, compare-exchange release, relaxed where it fails, in push and pop alike",
		"what pop reads it has from the compare-exchange that failed, so that this acquires; success may not be weaker (rule 4.2)"},
	{"queue (Michael and Scott)", "known/msqueue.cl", false, "GenMC's ms-queue: loads that lead to a node acquire, and are repeated relaxed; compare-exchanges release",
		"loads of head and tail are relaxed: one work-item dequeues, and no node is used again, so that only the link has to publish"},
	{"decoupled look-back", "known/lookback.cl", false, "CUB's single_pass_scan_operators.cuh, where value and status are two words: a fence before the status is stored, and one after it is read", "none; release and acquire stand for the fences"},
	{"barrier between groups", "known/gridbarrier.cl", false, "Xiao and Feng (IPDPS 2010), by lock, as code has it that names them: a counter that all add to and wait for; CUDA had no orders then", "there are no orders to compare with. acq_rel, release and acquire do: all come by one counter"},
	{"local flag, global data", "mp_local.go", false, "none known: clmc's own model mp_local_flag_two_flag_fences has fences with both flags", "none; the flag itself is relaxed"},
	{"sequence lock", "seqlock.go", false, "libvsync seqcount.h: write relaxed, fence release, write release; read acquire, fence acquire, read relaxed", "none"},
	{"last block", "lastblock.go", false, "CUDA's sample threadFenceReduction: a fence before the atomic operation", "the sample has nothing behind the atomic operation that would order what the last block reads; the fetch_add is acq_rel here, which does without the fence. Two of three barriers are local"},
	{"deque, two thieves (Chase and Lev)", "deque.go", true, "Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), as wsq.hpp of github.com/taskflow/work-stealing-queue has it: two seq_cst fences, seq_cst compare-exchanges, a release fence in push",
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
