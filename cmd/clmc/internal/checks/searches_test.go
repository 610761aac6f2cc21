package checks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// TestGoOn gives a search every kind of trouble: only three of them make it begin
// again, once, and then what was there is still there under another name.
func TestGoOn(t *testing.T) {
	for _, test := range []struct {
		err        error
		lost, wait bool
	}{
		{nil, false, false},
		{store.ErrDamaged, true, false},
		{store.ErrFormat, true, false},
		{store.ErrOther, true, false},
		{store.ErrInUse, false, true},
		{store.ErrFull, false, true},
		{store.ErrSystem, false, false},
		{syscall.EIO, false, false},
		{errors.New("what nobody has thought of"), false, false},
	} {
		dir := filepath.Join(t.TempDir(), digest(nil))
		d, err := disk.Create(dir, disk.Options{Mem: 1 << 20}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		for night := 1; night <= 2; night++ {
			runs, said := 0, 0
			err := GoOn(dir, func() error {
				if runs++; runs > 1 || test.err == nil {
					return os.MkdirAll(dir, 0o777)
				}
				return fmt.Errorf("%s: %w", dir, test.err)
			}, func(string, ...any) { said++ })
			aside, _ := filepath.Glob(dir + asideInfix + "*")
			switch {
			case !test.lost && (!errors.Is(err, test.err) || runs != 1 || said != 0 || len(aside) != 0 || !disk.Exists(dir)):
				t.Errorf("%v: %v, %d runs, aside: %v", test.err, err, runs, aside)
			case test.lost && (err != nil || runs != 2 || said != 1 || len(aside) != night || night == 1 && !disk.Exists(aside[0])):
				t.Errorf("%v: %v, %d runs, aside: %v", test.err, err, runs, aside)
			}
			if Unfinished(fmt.Errorf("x: %w", test.err)) != test.wait {
				t.Errorf("%v is not to be waited for: %v", test.err, !test.wait)
			}
			if !test.lost {
				break
			}
		}
	}
}

// TestGone goes on with a search that another process has just ended.
func TestGone(t *testing.T) {
	runs := 0
	err := GoOn(filepath.Join(t.TempDir(), digest(nil)), func() error {
		if runs++; runs == 1 {
			return store.ErrNone
		}
		return nil
	}, func(string, ...any) { t.Error("it has nothing to say") })
	if err != nil || runs != 2 {
		t.Errorf("%v after %d runs", err, runs)
	}
}
