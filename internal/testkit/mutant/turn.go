package mutant

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clmc/clmc/internal/testkit/daily"
)

// Period is the number of days within which make nightly tries every mutant.
const Period = 14

// Rotation is the number of shares of which make check tries one, chosen by the commit.
const Rotation = 60

var (
	which = flag.String("mutants", "", "the mutants to try: all, a share i/n of all (i from 1), today (the share of the day), or commit "+
		"(what the ledger lacks, those of files that have changed, and a share that goes by the commit); empty: none")
	usual    = flag.Bool("usual", false, "tell mutants by as many random programs as make test tries, not by as many as their lists say: what survives is nightly's to tell")
	allotted = flag.Duration("mutant-time", 0, "with -mutants commit: as many as take this long, by the ledger; 0: all of them")
)

// turn says which mutants are tried.
type turn struct {
	i, n   uint64          // those that are i-th, from 0, of n; n = 0: those of chosen
	chosen map[string]bool // by rule
	as     string
}

func (t turn) none() bool     { return t.as == "" }
func (t turn) String() string { return t.as }

// turns is what the flags ask for.
var turns = sync.OnceValues(func() (turn, error) {
	if *which != "commit" {
		return parseTurn(*which, daily.Today())
	}
	return ofCommit(registered, *allotted)
})

func parseTurn(s string, day uint64) (turn, error) {
	switch s {
	case "":
		return turn{}, nil
	case "today":
		return turn{i: day % Period, n: Period, as: s}, nil
	case "all":
		return turn{i: 0, n: 1, as: s}, nil
	}
	t := turn{as: s}
	if n, err := fmt.Sscanf(s, "%d/%d", &t.i, &t.n); n != 2 || err != nil || t.i < 1 || t.i > t.n || s != fmt.Sprintf("%d/%d", t.i, t.n) {
		return turn{}, fmt.Errorf("-mutants %s: want all, today, commit, or i/n with i from 1 to n", s)
	}
	t.i--
	return t, nil
}

// has goes by the mutant's name, so that no other one changes its day by
// being added or removed.
func (t turn) has(m Mutant) bool {
	if t.n == 0 {
		return t.chosen[m.Rule]
	}
	return hash(m.Rule)%t.n == t.i
}

func hash(s string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return uint64(h.Sum32())
}

// ofCommit chooses for the commit that is checked out, as many as take no longer than time.
func ofCommit(list []Mutant, time time.Duration) (turn, error) {
	root, err := root()
	if err != nil {
		return turn{}, err
	}
	book, err := readLedger(ledgerPath(root))
	if err != nil {
		return turn{}, err
	}
	open, err := readOpen(root)
	if err != nil {
		return turn{}, err
	}
	here, err := folder()
	if err != nil {
		return turn{}, err
	}
	head, _, changed := revision(root)
	return turn{chosen: choose(notOpen(list, open, here), book, head, changed, time), as: "commit " + head}, nil
}

// notOpen leaves out what make nightly has to come to first.
func notOpen(list []Mutant, open map[[2]string]string, pkg string) []Mutant {
	return slices.DeleteFunc(slices.Clone(list), func(m Mutant) bool { return open[[2]string{pkg, m.Rule}] == m.row() })
}

// git returns what git says in a folder, or nothing where it fails.
func git(root string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// revision returns the commit that is checked out, the one that it is compared with, which is where it left the branch that it is
// to join or, on that branch, the one before, and the files that differ. Without git there is none.
func revision(root string) (head, from string, changed []string) {
	head = git(root, "rev-parse", "HEAD")
	base := os.Getenv("CLMC_BASE")
	if base == "" {
		base = "origin/main"
	}
	from = git(root, "merge-base", "HEAD", base)
	if from == "" || from == head {
		from = "HEAD~1"
	}
	return head, from, strings.Fields(git(root, "diff", "--name-only", from))
}

// guess is how long a mutant takes that has not been tried.
const guess = 10 * time.Second

// choose takes what the ledger does not have as it is now, then those whose turn it is at this commit, then those of
// files that have changed, in an order that each commit has for itself, as many as there is time for.
func choose(list []Mutant, book ledger, head string, changed []string, limit time.Duration) map[string]bool {
	type candidate struct {
		m     Mutant
		class int
		order uint64
	}
	var all []candidate
	for _, m := range list {
		c := candidate{m, 0, hash(head + m.Rule)}
		switch e, ok := book[m.Rule]; {
		case !ok || e.row != m.row():
		case c.order%Rotation == 0:
			c.class = 1
		case slices.Contains(changed, m.File):
			c.class = 2
		default:
			continue
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.class != b.class {
			return a.class - b.class
		}
		if a.order < b.order {
			return -1
		}
		return 1
	})
	chosen := map[string]bool{}
	for _, c := range all {
		took := guess
		if e, ok := book[c.m.Rule]; ok {
			took = e.took
		}
		switch {
		case limit == 0:
		case took > limit:
			continue
		default:
			limit = max(limit-took, 1)
		}
		chosen[c.m.Rule] = true
	}
	return chosen
}
