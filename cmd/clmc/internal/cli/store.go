package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// openStore opens the store of x for a model, or makes one.
func (a *app) openStore(x *exploreFlags, m *model.Model) (*disk.Store, error) {
	now := newRecord(m, x)
	if !disk.Exists(x.store) {
		opt := disk.Options{Mem: x.memory(defaultMem)}
		blob, err := now.blob()
		if err != nil {
			return nil, err
		}
		d, err := disk.Create(x.store, opt, nil, []store.Blob{blob})
		return d, storeError(x.store, err)
	}
	d, err := disk.Open(x.store, x.again())
	if err != nil {
		return nil, storeError(x.store, err)
	}
	then, err := readRecord(d)
	if err == nil {
		if diff := then.differences(now); len(diff) > 0 {
			err = fmt.Errorf("%s: %w:\n  %s\n'clmc resume %s' goes on with it; start another in another directory",
				x.store, store.ErrOther, strings.Join(diff, "\n  "), shell.Word(x.store))
		}
	}
	if err != nil {
		d.Close()
		return nil, storeError(x.store, err)
	}
	a.logf("%s: going on with the search in the store", x.store)
	return d, nil
}

// storeError adds what to do to an error about a store.
func storeError(dir string, err error) error {
	advice := ""
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(inputError)): // it has been said
		return err
	case errors.Is(err, guard.ErrLeft):
		return inputError{fmt.Errorf("%s: not explored: %w", dir, err)}
	case errors.Is(err, store.ErrFull):
		advice = makeSpace(dir)
	case errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, store.ErrDamaged):
		advice = "Name a directory: clmc makes it if it is not there"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "Make it readable and writable, with all that is in it, or name another directory"
	case errors.Is(err, syscall.EMFILE):
		advice = "Raise the limit, with ulimit -n for example: a store has a file for each few MiB"
	case errors.Is(err, syscall.ENOMEM):
		advice = "Give it more memory, or raise the limit on it: a store's files are mapped"
	case errors.Is(err, store.ErrInUse):
		advice = fmt.Sprintf("'clmc status %s' says how far it is", shell.Word(dir))
	case errors.Is(err, store.ErrDamaged):
		advice = "Nothing in it can be relied on: remove it and start again"
	case errors.Is(err, store.ErrNone):
		advice = "'clmc explore --store DIR MODEL' begins one"
	case errors.Is(err, store.ErrFormat):
		advice = "Go on with the clmc that wrote it, or start again in another directory"
	case errors.Is(err, store.ErrSystem):
		advice = "Nothing is wrong with the store itself: go on with it when that has been mended"
	}
	if advice != "" {
		err = fmt.Errorf("%w\n%s", err, advice)
	}
	return inputError{err}
}

// makeSpace says how to go on when the disk is full.
func makeSpace(dir string) string {
	if !disk.Exists(dir) {
		return "Make space, and begin again"
	}
	return fmt.Sprintf("The last checkpoint is intact. Make space, and go on with: clmc resume %s", shell.Word(dir))
}

// search explores a model with what the flags say about its store.
func (a *app) search(ctx context.Context, x *exploreFlags, m *model.Model, d *disk.Store) *explore.Result {
	opt := x.optionsFor(m)
	x.apply(&opt)
	if d == nil {
		return a.run(ctx, m, opt, &x.searchFlags)
	}
	opt.Store = d
	if opt.Workers > 1 && opt.Mem == 0 {
		opt.Mem = d.Mem() // for the others, which have no store
	}
	confine(d.Mem() + opt.Mem*min(opt.Workers-1, 1))
	notes := newNotes(d, newRecord(m, x))
	opt.Progress = notes.sample
	r := a.run(ctx, m, opt, &x.searchFlags)
	if err := d.Close(); err != nil && r.Err == nil {
		r.Err = err
	}
	notes.end(r)
	a.sayHowToGoOn(x.store, r)
	return r
}

// optionsFor returns the options to explore a model.
func (x *exploreFlags) optionsFor(m *model.Model) explore.Options {
	opt := x.options()
	all := x.all || len(m.Known) > 0 // others may be found beside what is known
	opt.All, opt.Beyond, opt.Exact = all, all, x.exact
	opt.Aside = len(m.Known) > 0
	if x.page != "" {
		opt.Witnesses = maxWitnesses
	}
	return opt
}

// sayHowToGoOn prints the command that goes on with an unfinished search.
func (a *app) sayHowToGoOn(dir string, r *explore.Result) {
	switch {
	case r.Err != nil:
		a.failFor(storeError(dir, r.Err))
	case r.Paused:
		a.logf("the search is kept. Go on with: clmc resume %s", shell.Word(dir))
	}
}
