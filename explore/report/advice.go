package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/shell"
)

// remedy is what helps against a reason why a search was not complete.
type remedy struct {
	reason  string // words of the reason
	text    string
	smaller bool // fewer work-items or rounds help, too
}

// remedies go with the reasons that package explore gives; a test sees that none is missing.
var remedies = []remedy{
	{"the time limit", "Allow more: --time-limit. With --store DIR the search is kept, and clmc resume DIR goes on with it.", true},
	{"the CPU limit", "Allow more: --cpu-limit. With --store DIR the search is kept, and clmc resume DIR goes on with it.", true},
	{"the budget", "Allow more: --budget. With a store, the next run goes on with the search.", true},
	{"states was met", "Allow more states, or any number: --max-states.", true},
	{"the memory limit", "Allow more memory: --mem; or have the rest on disk: --store DIR.", true},
	{"the disk limit", "Allow a larger store: --disk-limit.", true},
	{"interrupted", "With --store DIR a search that is interrupted is kept, and clmc resume DIR goes on with it.", false},
	{"(--promises-time)", "Allow more for load buffering: --promises-time 100x, 10m or unlimited. With --store DIR the search is kept, and clmc resume DIR goes on with it.", true},
	{"(--promises)", "Allow more writes to be visible early: --promises N. With --promises 0 load buffering is left out, and the verdict says so.", false},
	{"too many ways to go on alone", "Bound the loops that a work-item can go round without waiting for others. With --promises 0 load buffering is left out, and the verdict says so.", false},
	{"(see --promises)", "Have load buffering explored: leave --promises out.", false},
	{"values under one name", "Observe fewer values: behind a loop and not in it.", false},
	{"more than 16384 work-items", "", true},
	{"commands", "Enqueue fewer commands: bound the loop that enqueues them.", false},
	{"between two operations that others see", "Bound the loop that only computes, or have it go round less often.", true},
	{"seq_cst operations constrain", "Use weaker orders where they are enough, or fewer operations.", true},
	{"stores to one location that another has not seen", "Bound the loop that stores. A lock that polls by an exchange stores in each round: " +
		"let it look by an atomic load first, and try only when the lock is free; or use a compare-exchange, which stores only when it succeeds. " +
		"A loop that takes a lock and releases it again until something holds stores twice in each round: have it wait without the lock, by an atomic load of an atomic variable.", false},
	{"reservations of pipes at a time", "Commit reservations before more are made.", false},
	{"Choose can be given", "Choose from fewer values: those that make a difference.", false},
	{"fails an assumption", "Check the conditions of cl.Assume: no execution meets them all.", false},
	{"fail an assumption", "Let cl.Choose choose only among values that cl.Assume admits, so that fewer executions are discarded.", false},
	{"the job is not over", "Watch it again: its workers go on.", false},
	{"random executions", "Draw more: --runs N, and another --seed. Only clmc explore can verify the model.", true},
}

// Advice says what to try so that a search comes to a verdict.
func (r *Report) Advice() []string {
	res := r.Result
	if res.Verdict != explore.Inconclusive || r.Replayed {
		return nil
	}
	var all []string
	smaller := false
	for _, why := range res.Incomplete {
		for _, rem := range remedies {
			if !strings.Contains(why, rem.reason) {
				continue
			}
			if text := rem.fits(res); text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
			smaller = smaller || rem.smaller
			break
		}
	}
	if !smaller {
		return all
	}
	all = append(all, r.smaller())
	if res.Promises > 0 && !res.Stats.FirstAll && !res.FirstCut {
		all = append(all, "Leave load buffering out: --promises 0. The verdict then says so.")
	}
	if res.Simulated == nil {
		all = append(all, "Look for violations at random: clmc simulate, with the same model and constants.")
	}
	return all
}

// fits returns the advice for a search: one with a store, or on a job that others keep, need not be told to have one,
// and random executions are not kept in any.
func (rem *remedy) fits(res *explore.Result) string {
	text, kept, _ := strings.Cut(rem.text, "With --store DIR")
	switch {
	case res.Simulated != nil && rem.reason == "the memory limit": // of one state, which nobody has set
		return ""
	case kept == "" || res.Simulated != nil:
		return strings.TrimSpace(text)
	case res.Shared:
		return text + "The same command continues with the results of all workers."
	case res.Store != "":
		return text + "clmc resume " + shell.Word(res.Store) + " goes on with the search."
	}
	return rem.text
}

// smaller says how the model can be made smaller.
func (r *Report) smaller() string {
	const why = "Explore a smaller size: two work-groups of two work-items show most bugs."
	if len(r.Launch) > 0 || strings.HasSuffix(r.Model, ".cl") {
		return why + " See --global, --local and --arg."
	}
	var sizes []string
	for _, c := range r.constants {
		if n, err := strconv.ParseInt(c.Value, 0, 64); err == nil && n > 2 && c.Plain {
			sizes = append(sizes, fmt.Sprintf("-D %s=%d (it is %s)", c.Name, max(2, n/2), c.Value))
		}
	}
	switch {
	case len(sizes) > 0:
		return why + " Constants that may help: " + strings.Join(sizes, ", ") + "."
	case len(r.constants) > 0:
		return why
	}
	return why + " A constant for it, such as const n = 2, can then be set by -D n=4."
}

// advice writes what to try.
func (r *Report) advice(b *strings.Builder) {
	all := r.Advice()
	if len(all) == 0 {
		return
	}
	b.WriteString("\nWhat to try:\n")
	for _, text := range all {
		b.WriteString(indent(text, "  - ", "    ", r.Width))
	}
}
