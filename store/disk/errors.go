package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"

	"github.com/clmc/clmc/store"
)

// classed reports whether an error has a kind.
func classed(err error) bool {
	for _, k := range store.Kinds {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}

// plain words an error of the file system about a directory, or about one of the
// store's own files in it. It is never called damage.
func plain(dir string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	kind := store.ErrSystem
	switch {
	case full(err):
		return fmt.Errorf("%s: %w: %w", dir, store.ErrFull, err)
	case errors.Is(err, fs.ErrNotExist):
		kind = store.ErrNone
	}
	return store.Classed(kind, fmt.Errorf("%s: %w", dir, err))
}

// judge finds the kind of an error that is met in the database. It is damage
// only if the system has no part in it: a store must not be called damaged, and
// be given up, because of the system's troubles.
func (d *Store) judge(err error) error {
	switch {
	case err == nil || classed(err) && strings.HasPrefix(err.Error(), d.dir):
		return err
	case classed(err):
		return fmt.Errorf("%s: %w", d.dir, err)
	}
	cause, known := causeOf(err)
	switch {
	case known && cause == lockedErrno:
		return fmt.Errorf("%s: %w: %w", d.dir, store.ErrInUse, err)
	case known && !ownErrnos[cause]:
		return plain(d.dir, cause)
	}
	return fmt.Errorf("%s: %w: %w", d.dir, store.ErrDamaged, err)
}

// causeOf finds what the system said, if an error comes from there. Badger hands
// on the text, but not always the error: then the text ends a line of its own.
func causeOf(err error) (cause syscall.Errno, ok bool) {
	if errors.As(err, &cause) {
		return cause, true
	}
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		for text, e := range errnoTexts() {
			if strings.HasSuffix(line, text) {
				return e, true
			}
		}
	}
	return 0, false
}

// lastErrno is more than any system's errors of files have; those that are not
// in use have texts that nothing says.
const lastErrno = 255

// errnoTexts are the texts of all of the system's errors. A store that is full
// or held by somebody must be known as such, whatever else has the same text.
var errnoTexts = sync.OnceValue(func() map[string]syscall.Errno {
	texts := map[string]syscall.Errno{}
	for e := syscall.Errno(lastErrno); e > 0; e-- {
		texts[e.Error()] = e
	}
	return texts
})

// full reports whether an error says that the disk, or a quota, is full.
func full(err error) bool {
	for _, e := range fullErrnos {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
