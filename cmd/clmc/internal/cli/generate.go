package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/litmus/gen"
)

// genFlags are the flags of clmc litmus --gen.
type genFlags struct {
	kind   choiceValue
	seed   int64
	count  int
	folder string
}

// defaultRandom is the number of random tests unless -n says otherwise.
const defaultRandom = 100

func (g *genFlags) register(f *pflag.FlagSet) {
	g.kind.choices = []string{"random", "systematic"}
	f.Var(&g.kind, "gen", "write tests instead of running some: random or systematic")
	f.Int64Var(&g.seed, "seed", 1, "with --gen random or --device: the `SEED`; the same seed gives the same tests, or runs (default with --device: a new one, which is told)")
	f.IntVarP(&g.count, "count", "n", 0, fmt.Sprintf("with --gen: write `N` tests (default %d random ones, all systematic ones)", defaultRandom))
	f.StringVarP(&g.folder, "output", "o", "", "with --gen: the `FOLDER` to write to")
}

// check reports flags that do not go together.
func (g *genFlags) check(f *pflag.FlagSet, args []string) error {
	if g.kind.value == "" {
		for _, name := range []string{"seed", "count", "output"} {
			if f.Changed(name) {
				return fmt.Errorf("--%s goes with --gen random or --gen systematic", name)
			}
		}
		return nil
	}
	switch {
	case g.folder == "":
		return errors.New("--gen needs a folder to write to: -o FOLDER")
	case g.count < 0:
		return fmt.Errorf("--count %d: want a positive number", g.count)
	case len(args) > 0:
		return fmt.Errorf("--gen writes tests and runs none: run %s in a second command", strings.Join(args, " "))
	}
	return nil
}

// tests yields the tests that the flags ask for.
func (g *genFlags) tests() iter.Seq[gen.Test] {
	if g.kind.value == "systematic" {
		return gen.Systematic()
	}
	n := g.count
	if n == 0 {
		n = defaultRandom
	}
	return gen.Random(g.seed, n)
}

// generate writes tests, each to a file of its name.
func (a *app) generate(ctx context.Context, g *genFlags) error {
	if err := os.MkdirAll(g.folder, 0o777); err != nil {
		return inputError{fmt.Errorf("-o %w", regular.Fault(g.folder, err))}
	}
	written := 0
	for t := range g.tests() {
		if g.count > 0 && written == g.count {
			break
		}
		if ctx.Err() != nil {
			a.logf("interrupted")
			a.code = exitInconclusive
			break
		}
		name := filepath.Join(g.folder, strings.ReplaceAll(t.Name, "/", "_")+model.LitmusExt)
		if err := os.WriteFile(name, []byte(t.Text), 0o666); err != nil {
			return inputError{regular.Fault(name, err)}
		}
		written++
	}
	fmt.Fprintf(a.out, "%d tests in %s\n", written, g.folder)
	return nil
}
