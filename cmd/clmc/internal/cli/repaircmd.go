package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/optimise"
)

const repairLong = `Search the cheapest strengthening with which a model verifies that goes wrong as it is.

What may change are the orders, scopes and flags of atomic operations, fences and barriers, none of which becomes weaker; a
fence may come before or behind an atomic operation, and barriers anywhere; those to which not all come may go or move. Up to
five repairs of equal cost are printed as patches. Each has been verified by itself: as it is written, in each configuration,
under each reading.

docs/optimise.md says what is searched and what a cost is.`

const repairExit = `Exit codes:
  0  repaired, or nothing to repair
  1  not repaired: no change of orders, scopes, flags or barriers mends it
  2  the command line or a file is at fault
  3  inconclusive: a limit was met before anything was found
  4  internal error: a bug of clmc, please report it`

const repairExample = `  clmc repair lock.go
  clmc repair --patch lock.diff lock.go
  clmc repair --config '-D N=4' reduce.cl`

func (a *app) repairCommand() *cobra.Command {
	x := &optimiseFlags{defines: defines{}, format: formatValue()}
	cmd := &cobra.Command{
		Use:     "repair MODEL",
		Short:   "Search the cheapest change of orders, scopes, flags and barriers that mends a model",
		Long:    repairLong + "\n\n" + repairExit,
		Example: repairExample,
		Args:    oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.repair(cmd.Context(), x, model.Target(args[0]))
		},
	}
	x.register(cmd.Flags())
	return cmd
}

// repairExits are the exit codes of verdicts.
var repairExits = map[string]int{optimise.Repaired: exitVerified, optimise.NoFault: exitVerified, optimise.NoRepair: exitViolation,
	optimise.Inconclusive: exitInconclusive}

// repair searches, prints and writes. Of several repairs the first is written.
func (a *app) repair(ctx context.Context, x *optimiseFlags, t model.Target) error {
	x.asIs, x.repair = true, true
	r, err := assigned(ctx, a, x, t, optimise.Repair)
	if r == nil {
		return err
	}
	a.code = worse(a.code, repairExits[r.Verdict])
	if err := a.tellAssigned(x, r.Document(), r.Text); err != nil || len(r.Found) == 0 {
		return err
	}
	patch, err := r.Patch(r.Found[0])
	if err != nil {
		return err
	}
	return x.save(t, r.Changed(r.Found[0]), r.Found[0].Texts, patch)
}
