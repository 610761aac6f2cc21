package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

const resumeLong = `Continue the search that clmc explore --store keeps in a folder, from its last checkpoint. The text
of the model, its constants and the options are in the store. Limits such as --time-limit hold for one
run. If the search has ended, clmc prints its result again.`

const resumeExample = `  clmc explore --store night.store --time-limit 8h model.go
  clmc status night.store
  clmc resume night.store
  clmc resume night.store --time-limit 8h --mem 16GiB --format json`

func (a *app) resumeCommand() *cobra.Command {
	x := &exploreFlags{defines: defines{}}
	cmd := &cobra.Command{
		Use:     "resume DIR",
		Short:   "Continue a search that is kept in a store",
		Long:    resumeLong + "\n\n" + exitHelp,
		Example: resumeExample,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := x.check(); err != nil {
				return err
			}
			x.store, x.tries = args[0], !x.noTry
			if err := x.checkLive(); err != nil {
				return err
			}
			return a.resume(cmd.Context(), x)
		},
	}
	f := cmd.Flags()
	x.registerRun(f)
	x.storeFlags.register(f)
	x.registerOutput(f)
	x.registerTry(f)
	x.live.registerRefused(f)
	return cmd
}

// resume goes on with the search in a store.
func (a *app) resume(ctx context.Context, x *exploreFlags) error {
	files, err := x.open()
	if err != nil {
		return err
	}
	defer files.discard()
	d, err := guard.Await(ctx, "store", func() (*disk.Store, error) { return disk.Open(x.store, x.again()) })
	if err != nil {
		return storeError(x.store, err)
	}
	ctx, cancel := x.limit(ctx) // only now: with a limit shorter than opening takes, a search would never get on
	defer cancel()
	m, err := a.recorded(ctx, x, d)
	if err != nil {
		d.Close()
		return storeError(x.store, err)
	}
	return a.conclude(ctx, x, m, a.search(ctx, x, m, d), files, map[explore.Verdict]int{})
}

// recorded loads the model of a store and sets the flags to what they were.
func (a *app) recorded(ctx context.Context, x *exploreFlags, d *disk.Store) (*model.Model, error) {
	r, err := readRecord(d)
	if err != nil {
		return nil, err
	}
	if err := r.flags(x); err != nil {
		return nil, err
	}
	m, err := guard.Read(ctx, "load", r.load)
	if errors.Is(err, errTranslated) {
		err = store.Classed(store.ErrFormat, err)
	}
	return m, err
}
