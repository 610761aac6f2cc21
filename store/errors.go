package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
)

// What can be wrong with a store. Each error that this package returns is one of
// these, by errors.Is, and only of the first three is the search in it lost to
// this clmc: whoever decides what becomes of it needs to know no more.
var (
	ErrDamaged = errors.New("the store is damaged")                  // it contradicts itself, or cannot be read
	ErrFormat  = errors.New("the store has another format")          // another version of clmc wrote it
	ErrOther   = errors.New("the store belongs to another search")   // another model, or another question about it
	ErrNone    = errors.New("there is no store")                     // the directory is not there, or is something else
	ErrInUse   = errors.New("the store is in use")                   // by a process, perhaps this one
	ErrFull    = errors.New("the disk is full")                      // or a quota, or a limit on files; the last checkpoint is intact
	ErrSystem  = errors.New("the system does not give what it must") // rights, descriptors, memory: nothing is wrong with the store
)

// kinds are all of them.
var kinds = []error{ErrDamaged, ErrFormat, ErrOther, ErrNone, ErrInUse, ErrFull, ErrSystem}

// fault is an error with its kind, which its text need not repeat.
type fault struct {
	error
	kind error
}

func (f *fault) Unwrap() []error { return []error{f.kind, f.error} }

// Classed makes an error one of a kind without changing its text.
func Classed(kind, err error) error { return &fault{err, kind} }

// classed reports whether an error has a kind.
func classed(err error) bool {
	for _, k := range kinds {
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
	kind := ErrSystem
	switch {
	case full(err):
		return fmt.Errorf("%s: %w: %w", dir, ErrFull, err)
	case errors.Is(err, fs.ErrNotExist):
		kind = ErrNone
	}
	return Classed(kind, fmt.Errorf("%s: %w", dir, err))
}

// judge finds the kind of an error that is met in the database. It is damage
// only if the system has no part in it: a store must not be called damaged, and
// be given up, because of the system's troubles.
func (d *Disk) judge(err error) error {
	switch {
	case err == nil || classed(err) && strings.HasPrefix(err.Error(), d.dir):
		return err
	case classed(err):
		return fmt.Errorf("%s: %w", d.dir, err)
	}
	cause, known := causeOf(err)
	switch {
	case known && cause == lockedErrno:
		return fmt.Errorf("%s: %w: %w", d.dir, ErrInUse, err)
	case known && !ownErrnos[cause]:
		return plain(d.dir, cause)
	}
	return fmt.Errorf("%s: %w: %w", d.dir, ErrDamaged, err)
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
