package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/store"
)

// openStore opens the store of x for a model, or makes one.
func (a *app) openStore(x *exploreFlags, m *model) (*store.Disk, error) {
	now := newRecord(m, x)
	if !store.Exists(x.store) {
		opt := store.Options{Mem: x.memory(defaultMem)}
		blob, err := now.blob()
		if err != nil {
			return nil, err
		}
		d, err := store.Create(x.store, opt, nil, []store.Blob{blob})
		return d, storeError(x.store, err)
	}
	d, err := store.Open(x.store, x.again())
	if err != nil {
		return nil, storeError(x.store, err)
	}
	then, err := readRecord(d)
	if err == nil {
		if diff := then.differences(now); len(diff) > 0 {
			err = inputError{fmt.Errorf("%s: the store belongs to another search:\n  %s\n'clmc resume %s' goes on with it; start another in another directory",
				x.store, strings.Join(diff, "\n  "), word(x.store))}
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
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		err = fmt.Errorf("%w\nName a directory: clmc makes it if it is not there", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w\nMake it readable and writable, with all that is in it, or name another directory", err)
	case errors.Is(err, syscall.EMFILE):
		err = fmt.Errorf("%w\nRaise the limit, with ulimit -n for example: a store has a file for each few MiB", err)
	case errors.Is(err, store.ErrInUse):
		err = fmt.Errorf("%w\n'clmc status %s' says how far it is", err, word(dir))
	case errors.Is(err, store.ErrDamaged):
		err = fmt.Errorf("%w\nNothing in it can be relied on: remove it and start again", err)
	case errors.Is(err, store.ErrNone), errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w\n'clmc explore --store DIR MODEL' begins one", err)
	case errors.Is(err, store.ErrFormat):
		err = fmt.Errorf("%w\nGo on with the clmc that wrote it, or start again in another directory", err)
	}
	return inputError{err}
}

// search explores a model with what the flags say about its store.
func (a *app) search(ctx context.Context, x *exploreFlags, m *model, d *store.Disk) *explore.Result {
	opt := x.options()
	opt.All, opt.Exact = x.all, x.exact
	x.apply(&opt)
	opt.Store = d
	if d == nil {
		return a.run(ctx, m, opt, &x.searchFlags)
	}
	confine(d.Mem())
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

// sayHowToGoOn prints the command that goes on with an unfinished search.
func (a *app) sayHowToGoOn(dir string, r *explore.Result) {
	switch {
	case errors.Is(r.Err, store.ErrFull):
		a.fail(exitInconclusive, fmt.Errorf("%w\nThe last checkpoint is intact. Make space, and go on with: clmc resume %s", r.Err, word(dir)))
	case r.Err != nil:
		a.fail(exitUsage, storeError(dir, r.Err))
	case r.Paused:
		a.logf("the search is kept. Go on with: clmc resume %s", word(dir))
	}
}

// word quotes a word for the shell, if it must be.
func word(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@%+=:,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
