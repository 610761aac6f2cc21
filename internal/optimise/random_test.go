package optimise

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
)

var seeds = flag.Int("litmus", 0, "how many random litmus tests are optimised; 0: some")

// drawLitmus draws a litmus test whose operations are all seq_cst, and a condition that asks for an outcome which they forbid and relaxed ones allow; "" if there is none.
func drawLitmus(t *testing.T, rng *rand.Rand, free string) string {
	threads := 2 + rng.IntN(2)
	var body strings.Builder
	var registers []string
	var tree []string
	sites := 0
	for p := range threads {
		fmt.Fprintf(&body, "P%d (global atomic_int* x, global atomic_int* y) {\n", p)
		tree = append(tree, fmt.Sprintf("(work_group P%d)", p))
		for i := range 2 + rng.IntN(2) {
			if sites == 5 {
				break
			}
			sites++
			at := []string{"x", "y"}[rng.IntN(2)]
			tail := "memory_order_seq_cst, memory_scope_device);" + free + "\n"
			switch rng.IntN(8) {
			case 0, 1, 2:
				fmt.Fprintf(&body, "  atomic_store_explicit(%s, %d, %s", at, 1+rng.IntN(2), tail)
			case 3:
				fmt.Fprintf(&body, "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, %s", tail)
			case 4:
				fmt.Fprintf(&body, "  int r%d = atomic_exchange_explicit(%s, %d, %s", i, at, 1+rng.IntN(2), tail)
				registers = append(registers, fmt.Sprintf("%d:r%d", p, i))
			default:
				fmt.Fprintf(&body, "  int r%d = atomic_load_explicit(%s, %s", i, at, tail)
				registers = append(registers, fmt.Sprintf("%d:r%d", p, i))
			}
		}
		body.WriteString("}\n")
	}
	if len(registers) == 0 {
		return ""
	}
	text := func(cond string) string {
		return "OPENCL drawn\n{ [x]=0; [y]=0; }\n" + body.String() + "scopeTree (device " + strings.Join(tree, " ") + ")\nexists (" + cond + ")\n"
	}
	for range 4 {
		var parts []string
		for _, r := range registers {
			parts = append(parts, fmt.Sprintf("%s=%d", r, rng.IntN(3)))
		}
		cond := strings.Join(parts, " /\\ ")
		judged := func(text string) string {
			m, err := model.Target("drawn.litmus").Parse([]byte(text), model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return m.Record(explore.Run(t.Context(), m.Program, explore.Options{})).Verdict
		}
		if judged(text(cond)) == "No" && judged(strings.ReplaceAll(text(cond), "order_seq_cst", "order_relaxed")) == "Ok" {
			return text(cond)
		}
	}
	return ""
}

// TestLitmus compares the search with the exploration of every assignment, on random litmus tests: three fifths of them with orders alone, the others
// with orders and scopes in classes.
func TestLitmus(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = thorough.Of(3, 100)
	}
	some, stays := 0, 0
	left := map[string]int{" //clmc:free order": (3*n + 4) / 5, "": n - (3*n+4)/5}
	for seed := 0; some < n && seed < 200*n; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 49))
		free := " //clmc:free order"
		if seed%3 == 0 {
			free = ""
		}
		if left[free] == 0 {
			continue
		}
		text := drawLitmus(t, rng, free)
		if text == "" {
			continue
		}
		name := filepath.Join(t.TempDir(), "drawn.litmus")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		opt := options(strongest, func(o *Options) { o.anyScope = true })
		if seed%2 == 0 {
			opt.Specs = memmodel.Specs[:1]
		}
		one, many := opt, opt
		r, err := Run(t.Context(), model.Target(name), one)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict == NotVerified { // under another reading
			continue
		}
		fresh(t, r, opt)
		least, _ := brute(t, name, many)
		some++
		left[free]--
		got := r.Cost
		if r.Verdict == Nothing {
			got = r.Was
			stays++
		}
		if got != least {
			t.Errorf("seed %d: cost %s, of all assignments %s:\n%s\n%s", seed, Cost(got), Cost(least), text, r.Text(true))
		}
	}
	t.Logf("%d litmus tests, of which %d stay as they are", some, stays)
	if some < n {
		t.Errorf("only %d litmus tests", some)
	}
}
