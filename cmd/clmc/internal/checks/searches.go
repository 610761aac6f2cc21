package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// GoOn runs a search that is kept in a directory, or begins one there. Only if
// the search in it is lost for good does it begin again, once, and say so: if the
// store is damaged, or has another format, or belongs to another search. What was
// there is moved aside. Nothing else, and least of all a trouble of the system's,
// makes it give up what nights have gone into.
func GoOn(dir string, run func() error, say func(format string, args ...any)) error {
	err := run()
	switch {
	case errors.Is(err, store.ErrNone) && !disk.Exists(dir): // a process that was at work on it has just ended it
		return run()
	case !lost(err):
		return err
	}
	aside, moveErr := SetAside(dir)
	if moveErr != nil {
		return fmt.Errorf("%w\nIt cannot be moved aside: %w", err, moveErr)
	}
	why, _, _ := strings.Cut(err.Error(), "\n") // what follows is advice to somebody who decides
	say("it begins again: %s\nWhat was there is now in %s", why, aside)
	return run()
}

// lost reports whether an error says that nothing can go on with a search.
func lost(err error) bool {
	return errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrFormat) || errors.Is(err, store.ErrOther)
}

// Unfinished reports whether an error is one that ends a turn and not a check:
// the search is kept, and goes on when there is room, or when the process that is
// at work on it has ended.
func Unfinished(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrInUse)
}

// asideInfix is between the key of a search that was moved aside and a number.
const asideInfix = ".aside-"

// maxAside bounds the number of searches with one key that are kept aside.
const maxAside = 100

// SetAside gives a search's directory another name, and returns it.
func SetAside(dir string) (string, error) {
	dir = filepath.Clean(dir)
	for i := range maxAside {
		to := fmt.Sprintf("%s%s%d", dir, asideInfix, i+1)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := disk.Move(dir, to); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
	return "", fmt.Errorf("there are %d like it beside it: remove them", maxAside)
}
