// Package changes hears of changes of files in folders: those of names that its user cares about, when they are over.
package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// calmTime is how long files have to be left alone before a change is over: editors and version control write several at a time.
const calmTime = 100 * time.Millisecond

// Ear hears of changes. Its methods are for one goroutine at a time.
type Ear struct {
	notes *fsnotify.Watcher
	dirs  map[string]bool
	cares func(path string) bool
	// New says that since it was set to false a file came or went, or changes were lost.
	New bool
}

// Listen returns an ear for files whose absolute path its user cares about. Folders are to be named.
func Listen(cares func(path string) bool) (*Ear, error) {
	notes, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &Ear{notes: notes, dirs: map[string]bool{}, cares: cares}, nil
}

// Close ends it.
func (e *Ear) Close() error { return e.notes.Close() }

// Folder has changes in a folder heard of. One that is not there is left out.
func (e *Ear) Folder(dir string) error {
	dir = Absolute(dir)
	if e.dirs[dir] {
		return nil
	}
	if err := e.notes.Add(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	e.dirs[dir] = true
	return nil
}

// Tree has changes heard of in a folder and in all below it but those with a name that begins with a dot.
func (e *Ear) Tree(root string) error {
	var all []error
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // who looks for models tells what cannot be read
		if err != nil || !d.IsDir() {
			return nil
		}
		if path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		all = append(all, e.Folder(path))
		return nil
	})
	return errors.Join(all...)
}

// Wait returns true when there was a change that is over, and false when ctx is done.
func (e *Ear) Wait(ctx context.Context) bool {
	if !e.Next(ctx) {
		return false
	}
	for {
		quiet, cancel := context.WithTimeout(ctx, calmTime)
		more := e.event(quiet)
		cancel()
		if !more {
			return ctx.Err() == nil
		}
	}
}

// Next returns true as soon as there is a change, and false when ctx is done.
func (e *Ear) Next(ctx context.Context) bool {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case note, ok := <-e.notes.Events:
			if !ok {
				return false
			}
			if e.matters(note) {
				return true
			}
		case <-e.notes.Errors: // what has changed is not known
			e.New = true
			return true
		}
	}
	return false
}

// event waits for any event, whether it matters or not, and reports whether there was one.
func (e *Ear) event(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case note, ok := <-e.notes.Events:
		if ok {
			e.matters(note)
		}
		return ok
	}
}

// matters reports whether what has happened can make a difference, and hears of what happens in folders that come.
func (e *Ear) matters(note fsnotify.Event) bool {
	if note.Op == fsnotify.Chmod {
		return false
	}
	path := Absolute(note.Name)
	if note.Has(fsnotify.Remove) || note.Has(fsnotify.Rename) {
		delete(e.dirs, path) // it may come again
	}
	isNew := note.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if isNew && !strings.HasPrefix(filepath.Base(path), ".") {
			_ = e.Tree(path) // it is named again by who finds models in it
			e.New = true
		}
		return isNew
	}
	if !e.cares(path) {
		return false
	}
	e.New = e.New || isNew
	return true
}

// Absolute returns a path that does not depend on the current folder, as far as that is known.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
