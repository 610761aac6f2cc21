package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
)

const litmusLong = `Run litmus tests in herd's OpenCL format, or in Dartagnan's dialect of it, and print what herd
prints: the final states, whether the condition holds, and a flag for a data race or barrier
divergence, which make a test undefined. A folder stands for its .litmus files. If a file is at
fault, clmc reports it and runs the others. Kernel files (.cl) are for clmc explore.

The memory model is that of OpenCL 3.0 unless --spec names another; use --spec popl16 or
popl16-scoped to compare with herd's OpenCL model.

With --device, run the tests on an OpenCL device, many instances at a time, and compare what it shows with
what the memory model allows: an outcome that is allowed may come, one that is forbidden must not. docs/devices.md
says what that means. Nothing runs on a device without --device.

With --gen, write tests instead: random ones, or all combinations of shapes, orders, scopes,
placements, regions, fences and barriers.`

const litmusExit = `Exit codes:
  0  every test was explored completely; with --expect, every condition holds
  1  some test has another violation than a data race or barrier divergence, such as a deadlock;
     with --expect, some condition does not hold, or some test is undefined
  2  the command line or a file is at fault
  3  a limit or an interrupt cut a search short; with --device, a test failed on the device, which was lost or did not
     answer, or the run was blind: it has not seen store buffering, which is allowed
  4  internal error: a bug of clmc, please report it
  5  with --device, the device shows an outcome that the memory model forbids`

const litmusExample = `  clmc litmus MP.litmus
  clmc litmus --spec popl16 --format json tests/ > results.jsonl
  clmc litmus --expect regressions/
  clmc litmus --html mp.html MP.litmus
  clmc litmus --specs all MP.litmus
  clmc litmus --device --time-per-test 10s --report found tests/
  clmc litmus --gen random --seed 7 -n 1000 -o tests/`

// litmusFlags are the flags of clmc litmus.
type litmusFlags struct {
	searchFlags
	mem    sizeValue
	gen    genFlags
	expect bool
	why    bool   // tell why there is no execution
	specs  string // "all" for a matrix of outcomes by reading
	jobs   int
	output outputFlags
	live   liveFlags
	device deviceFlags
}

func (a *app) litmusCommand() *cobra.Command {
	l := &litmusFlags{}
	cmd := &cobra.Command{
		Use:     "litmus FILE|FOLDER...",
		Short:   "Run litmus tests in herd's OpenCL format",
		Long:    litmusLong + "\n\n" + litmusExit,
		Example: litmusExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := l.check(); err != nil {
				return err
			}
			if err := (&storeFlags{mem: l.mem, checkpoint: 1}).check(); err != nil {
				return err
			}
			if err := l.checkLive(); err != nil {
				return err
			}
			if l.specs != "" && l.specs != "all" {
				return fmt.Errorf("--specs %s: want all, for a matrix of outcomes; --spec NAME chooses one reading", l.specs)
			}
			if err := l.device.check(cmd.Flags()); err != nil {
				return err
			}
			if err := l.gen.check(cmd.Flags(), args); err != nil && !(l.device.name != "" && l.gen.kind.value == "") {
				return err
			}
			if l.gen.kind.value != "" {
				return a.generate(cmd.Context(), &l.gen)
			}
			if err := someArgs("a .litmus file or a folder that holds some")(cmd, args); err != nil {
				return err
			}
			if l.device.name != "" {
				if err := l.device.noName(args); err != nil {
					return err
				}
				return a.onDevice(cmd.Context(), l, l.seed(cmd.Flags().Changed("seed")), a.litmusFiles(cmd.Context(), args))
			}
			if l.device.emit != "" {
				return a.emitPrograms(l, a.litmusFiles(cmd.Context(), args))
			}
			return a.litmus(cmd.Context(), l, args)
		},
	}
	f := cmd.Flags()
	l.register(f)
	l.gen.register(f)
	l.live.register(f)
	l.output.registerPage(f)
	l.device.register(f)
	f.BoolVar(&l.expect, "expect", false, "exit with 1 unless the condition of every test holds")
	f.BoolVar(&l.why, "why", false, "if no execution has the outcome of an exists condition, say which rules forbid it (clmc explain why-not)")
	f.StringVar(&l.specs, "specs", "", "all: print a matrix of the outcomes that each version of the memory model allows (UB: the test is undefined; ?: the search was cut short)")
	f.Var(&l.mem, "mem", "memory for visited states, such as 2GiB, of all tests that run at a time. A search stops there")
	f.IntVarP(&l.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "run `N` tests at a time")
	return cmd
}

// seed is that of runs on a device: one at random, unless it is given.
func (l *litmusFlags) seed(given bool) uint64 {
	if given {
		return uint64(l.gen.seed)
	}
	return randomSeed()
}

// litmus runs the tests and prints their results in order.
func (a *app) litmus(ctx context.Context, l *litmusFlags, args []string) error {
	if l.jobs < 1 {
		return fmt.Errorf("--jobs %d: want at least 1", l.jobs)
	}
	files := a.litmusFiles(ctx, args)
	if len(files) > 1 && l.output.page != "" {
		return fmt.Errorf("--html is for one test at a time, not for %d; clmc run --html writes a page for each of a list", len(files))
	}
	outputs, err := l.output.open()
	if err != nil {
		return err
	}
	defer outputs.discard()
	p := a.startCounter(l.progress.value, len(files))
	defer p.stop()
	within, free := withinTwice(ctx, l.memory())
	defer free()
	for i, result := range l.runAll(within, files) {
		r := <-result
		if r.skipped {
			a.logf("%v: %d of %d tests were not run", guard.Left(within), len(files)-i, len(files))
			a.code = worse(a.code, exitInconclusive)
			return nil
		}
		if r.message != "" {
			p.hide()
			fmt.Fprint(a.err, r.message)
		}
		if _, err := a.out.Write(r.output); err != nil {
			return fmt.Errorf("cannot write the results: %w", err)
		}
		a.out.Flush()
		a.code = worse(a.code, r.code)
		if r.report != nil {
			if err := outputs.show(r.report); err != nil {
				return err
			}
		}
		p.add()
	}
	return nil
}

// memory is how much visited states of all tests may take; 0 is no bound.
func (l *litmusFlags) memory() int {
	n := (&storeFlags{mem: l.mem}).memory(0)
	confine(n)
	return n
}

// searchOptions are those of a search of a test.
func (l *litmusFlags) searchOptions() explore.Options {
	opt := l.options()
	opt.Mem = (&storeFlags{mem: l.mem}).memory(0) / l.jobs
	opt.Liveness, _ = l.live.ask(nil) // which checkLive has looked at
	return opt
}

// litmusFiles finds the tests that the arguments name. What cannot be read is
// reported and left out.
func (a *app) litmusFiles(ctx context.Context, args []string) (files []string) {
	for _, arg := range args {
		found, err := guard.Read(ctx, "find", func() ([]string, error) { return litmusIn(arg) })
		if err != nil {
			a.failFor(err)
		}
		files = append(files, found...)
	}
	return files
}

// litmusIn lists the tests in a folder and below. A file is one test, whatever
// it is called.
func litmusIn(arg string) (files []string, err error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, regular.Fault(arg, err)
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	err = filepath.WalkDir(arg, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return regular.Fault(path, err)
		}
		if !e.IsDir() && filepath.Ext(path) == model.LitmusExt {
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: the folder holds no .litmus file", arg)
	}
	return files, err
}
