package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/proofs"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
)

const proveLong = `Prove that no execution of a kernel has a data race (CL1001), a diverging barrier (CL1003) or a failed
assertion (CL1004), for all data and all sizes.

No launch is needed: the proof covers all values of everything that is not given. clmc takes sizes from a //clmc:launch
line, reqd_work_group_size, --local and --groups; --any-size ignores those of the file. clmc executes two arbitrary
work-items symbolically between two barriers, and asks a solver whether they can conflict. For an access that it cannot
prove safe, it makes a small launch and explores that. It reports a violation only if an execution shows it.

docs/prove.md lists what is proved and what is assumed, and says when to use which.`

const proveExit = `Exit codes:
  0  proved
  1  violated, by an execution that the search has found
  2  the command line or the file is at fault
  3  not proved, and no execution is known that goes wrong
  4  internal error: a bug of clmc, please report it`

const proveExample = `  clmc prove reduce.cl
  clmc prove tiled.cl --kernel mm --local 16,16
  clmc prove scan.cl --any-size --assume 'local%4==0' --arg n=1024
  clmc prove --format json reduce.cl --require all-sizes`

// proveFlags are the flags of clmc prove.
type proveFlags struct {
	opt       proofs.Options
	defines   defines
	kernel    kernelFlags
	legacy    legacyValue
	format    choiceValue
	timeLimit time.Duration
	cpuLimit  time.Duration
	mem       sizeValue
	require   requirements
}

func (a *app) proveCommand() *cobra.Command {
	x := &proveFlags{defines: defines{}, format: formatValue()}
	cmd := &cobra.Command{
		Use:     "prove KERNEL.cl...",
		Short:   "Prove kernels for all data and all sizes",
		Long:    proveLong + "\n\n" + proveExit,
		Example: proveExample,
		Args:    someArgs("a kernel file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if x.timeLimit < 0 {
				return fmt.Errorf("--time-limit %v: want a positive duration, or 0 for no bound", x.timeLimit)
			}
			if err := cputime.Check(x.cpuLimit); err != nil {
				return err
			}
			if err := (&storeFlags{mem: x.mem, checkpoint: 1}).check(); err != nil {
				return err
			}
			if len(requiredLive(x.require)) > 0 {
				return errors.New("--require liveness=MODEL: a proof executes nothing; clmc explore --liveness tells which executions end")
			}
			if slices.Contains(x.require, report.Covered) {
				return errors.New("--require covered: a proof executes nothing; clmc explore tells which lines are executed")
			}
			return a.prove(cmd.Context(), x, args)
		},
	}
	f := cmd.Flags()
	o := &x.kernel.options
	f.StringVar(&o.Kernel, "kernel", "", "prove the kernel `NAME`; without it all of the file")
	f.StringVar(&o.Local, "local", "", "the local `SIZE`, such as 64 or 8,8 (any, if neither this nor the file says it)")
	f.StringVar(&x.opt.Groups, "groups", "", "the `NUMBER` of work-groups, such as 4 or 4,4 (likewise)")
	f.BoolVar(&x.opt.AnySize, "any-size", false, "take no sizes from the file but those of reqd_work_group_size")
	f.StringArrayVar(&x.opt.Assume, "assume", nil, "a `CONDITION` on local, groups, global and scalars that is taken for granted, such as 'local%4==0' or 'n<=global' (repeatable)")
	f.StringArrayVar(&o.Args, "arg", nil, "a scalar `NAME=VALUE`, such as n=8, or a pointer that is the same as another, such as in=out (repeatable)")
	f.StringArrayVarP(&o.Include, "include", "I", nil, "a `FOLDER` for #include (repeatable)")
	f.VarP(x.defines, "define", "D", "set a macro of a kernel file (repeatable)")
	f.BoolVar(&o.GPUVerify, "gpuverify-header", false, "take the sizes from the first lines of the kernel file, such as //--local_size=[4,4] --num_groups=[2,2], and understand GPUVerify's annotations")
	f.StringVar(&o.Std, "cl-std", "", "the `VERSION` of OpenCL C, from CL1.0 to CL3.0 (default CL3.0)")
	f.Var(&x.legacy, "legacy-atomics", "the scope of the atomic functions of OpenCL 1.x, such as atomic_inc, which name none: device, as implementations do it, or work_group")
	f.DurationVar(&x.timeLimit, "time-limit", 0, "stop after a `duration` such as 30s or 5m (0: no limit)")
	f.DurationVar(&x.cpuLimit, "cpu-limit", 0, "stop after so much processor time of this process, a `duration` such as 30s or 5m (0: no limit)")
	f.Var(&x.mem, "mem", "memory for a proof, and for the states of what is tried, such as 2GiB. It stops there")
	f.Var(&x.require, "require", "what a proof must cover, or else the exit code is 3: all-data, all-sizes, or both, with a comma between them")
	f.Var(&x.format, "format", "how to print results: text or json")
	return cmd
}

// prove proves each file, and keeps the worst exit code.
func (a *app) prove(ctx context.Context, x *proveFlags, files []string) error {
	ctx, cancel := (&searchFlags{timeLimit: x.timeLimit, cpuLimit: x.cpuLimit}).limit(ctx)
	defer cancel()
	mem := (&storeFlags{mem: x.mem}).memory(0)
	confine(mem)
	x.opt.Search.Mem, x.opt.Mem = mem, twice(mem)
	x.opt.Model = model.Options{Defines: x.defines, LegacyWorkGroup: bool(x.legacy), Kernels: x.kernel.options}
	told := map[string]int{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".cl") {
			return inputError{fmt.Errorf("%s: clmc prove reads kernels in OpenCL C, files that end in .cl", file)}
		}
		a.guard(func() error {
			list, err := proofs.File(ctx, file, x.opt)
			for _, p := range list {
				told[p.Verdict]++
				if err := a.showProof(x, p); err != nil {
					return err
				}
			}
			if err != nil {
				return inputError{err}
			}
			return nil
		})
		a.out.Flush()
	}
	if x.format.value != "json" {
		fmt.Fprint(a.out, allProofs(told))
	}
	return nil
}

// allProofs says in one line what has come of several kernels, the worst verdict first; nothing of one.
func allProofs(told map[string]int) string {
	var parts []string
	worst, all := "", 0
	for _, verdict := range []string{proofs.Violated, proofs.NotProved, proofs.Proved} {
		if n := told[verdict]; n > 0 {
			worst, all = cmp.Or(worst, verdict), all+n
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	if all < 2 {
		return ""
	}
	return fmt.Sprintf("verdict: %s: of %d kernels %s\n", worst, all, strings.Join(parts, ", "))
}

// proofExits are the exit codes of verdicts.
var proofExits = map[string]int{proofs.Proved: exitVerified, proofs.Violated: exitViolation, proofs.NotProved: exitInconclusive}

// showProof prints a proof.
func (a *app) showProof(x *proveFlags, p *proofs.Proof) error {
	a.code = worse(a.code, proofExits[p.Verdict])
	unmet := p.Require(x.require)
	if len(unmet) > 0 {
		a.code = worse(a.code, exitInconclusive)
	}
	if x.format.value == "json" {
		return report.WriteJSON(a.out, p.Document(unmet))
	}
	for _, why := range unmet {
		fmt.Fprintf(a.out, "required: %s\n", why)
	}
	width := columns()
	if width == 0 {
		width = 120
	}
	text := visible.Text(p.Text(width))
	if p.Found != nil { // the verdict comes last
		at := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
		text = text[:at] + fmt.Sprintf("To repeat it: %s\n", x.repeats(p)) + text[at:]
	}
	_, err := fmt.Fprint(a.out, text)
	return err
}

// repeats is the command that finds the violation of a proof again.
func (x *proveFlags) repeats(p *proofs.Proof) string {
	words := []string{"clmc", "explore", p.Model}
	for _, name := range slices.Sorted(maps.Keys(x.defines)) {
		word := name
		if v := x.defines[name]; v != "" {
			word += "=" + v
		}
		words = append(words, "-D", word)
	}
	return shell.Command(append(words, p.Launch...)...)
}
