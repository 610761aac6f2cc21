package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// openStore opens the store of x for a model, or makes one. One that is damaged is moved aside, and another made.
func (a *app) openStore(ctx context.Context, x *exploreFlags, m *model.Model) (*disk.Store, error) {
	return guard.Await(ctx, "store", func() (*disk.Store, error) {
		d, err := a.openOrMake(x, m)
		if !errors.Is(err, store.ErrDamaged) {
			return d, err
		}
		aside, moved := checks.SetAside(x.store)
		if moved != nil {
			return nil, err
		}
		why, _, _ := strings.Cut(err.Error(), "\n")
		a.logf("%s\nThe store is moved aside, to %s, and the search starts again", why, aside)
		return a.openOrMake(x, m)
	})
}

// openOrMake opens the store of x for a model, or makes one.
func (a *app) openOrMake(x *exploreFlags, m *model.Model) (*disk.Store, error) {
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
			err = fmt.Errorf("%s: %w:\n  %s\n'clmc resume %s' continues that search; for another one, name another folder",
				x.store, store.ErrOther, strings.Join(diff, "\n  "), shell.Word(x.store))
		}
	}
	if err != nil {
		d.Close()
		return nil, storeError(x.store, err)
	}
	a.logf("%s: continuing the search in the store", x.store)
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
	case errors.Is(err, guard.ErrLeft) && disk.Exists(dir):
		return inputError{fmt.Errorf("%s: not explored: %w\nThe search is kept. Go on with: clmc resume %s", dir, err, shell.Word(dir))}
	case errors.Is(err, guard.ErrLeft):
		return inputError{fmt.Errorf("%s: not explored: %w", dir, err)}
	case errors.Is(err, store.ErrFull):
		advice = makeSpace(dir)
	case errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, store.ErrDamaged):
		advice = "Name a folder: clmc creates it if it does not exist"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "Make the folder and all files in it readable and writable, or name another folder"
	case errors.Is(err, syscall.EMFILE):
		advice = "Raise the limit on open files, for example with ulimit -n: a store has a file per few MiB"
	case errors.Is(err, syscall.ENOMEM):
		advice = "Give the process more memory, or raise its limit: the files of a store are mapped into memory"
	case errors.Is(err, store.ErrInUse):
		advice = fmt.Sprintf("'clmc status %s' says how far it is", shell.Word(dir))
	case errors.Is(err, store.ErrDamaged):
		advice = "The store cannot be used: 'clmc explore --store' with the model moves it aside and starts again"
	case errors.Is(err, store.ErrNone):
		advice = "'clmc explore --store DIR MODEL' creates one"
	case errors.Is(err, store.ErrFormat):
		advice = "Continue with the clmc that wrote it, or start again in another folder"
	case errors.Is(err, store.ErrSystem):
		advice = fmt.Sprintf("The disk or the system failed. When the cause is removed, continue from the last checkpoint: clmc resume %s", shell.Word(dir))
	}
	if advice != "" {
		err = fmt.Errorf("%w\n%s", err, advice)
	}
	return inputError{err}
}

// makeSpace says how to go on when the disk is full.
func makeSpace(dir string) string {
	if !disk.Exists(dir) {
		return "Free some space, and start again"
	}
	return fmt.Sprintf("The last checkpoint is intact. Free some space. Go on with: clmc resume %s", shell.Word(dir))
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
	opt.All, opt.Beyond, opt.Exact = x.all, x.all, x.exact
	opt.Liveness, _ = x.live.ask(requiredLive(x.require)) // which check has looked at
	m.Sets(&opt)
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
