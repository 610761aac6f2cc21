package checks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// DefaultKeep is how long a store keeps what no run has used.
const DefaultKeep = 30 * 24 * time.Hour

// The folders of a store.
const (
	resultsName  = "results"
	searchesName = "searches"
)

// SearchDir returns the directory, in a store's folder, of the search with a key.
func SearchDir(dir, key string) string { return filepath.Join(dir, searchesName, key) }

// Prune removes the results and the searches in a store's folder that no run has
// used since a time, but for those with keys in use, and returns how many it
// has removed. A search that a process is at work on stays. What is not the
// store's own stays, too, and so does all of a folder that is not to be written:
// there it cannot be noted what is in use.
func Prune(dir string, since time.Time, inUse map[string]bool) (removed int, err error) {
	var errs []error
	if !writable(filepath.Join(dir, resultsName)) {
		return 0, nil
	}
	remove := func(path string, last time.Time, by func(string) error) {
		if last.After(since) {
			return
		}
		switch err := by(path); {
		case err == nil:
			removed++
		case !errors.Is(err, store.ErrInUse) && !errors.Is(err, os.ErrNotExist):
			errs = append(errs, err)
		}
	}
	results := filepath.Join(dir, resultsName)
	for _, name := range names(results) {
		key, ours := strings.CutSuffix(name, resultSuffix)
		ours = ours && isKey(key) || strings.HasPrefix(name, temporary)
		path := filepath.Join(results, name)
		if info, err := os.Lstat(path); err == nil && ours && info.Mode().IsRegular() && !inUse[key] {
			remove(path, info.ModTime(), os.Remove)
		}
	}
	for _, name := range names(filepath.Join(dir, searchesName)) {
		path := SearchDir(dir, name)
		key, _, aside := strings.Cut(name, asideInfix)
		if last, err := disk.Used(path); err == nil && isKey(key) && (aside || !inUse[key]) {
			remove(path, last, disk.Remove)
		}
	}
	return removed, errors.Join(errs...)
}

// writable reports whether files can be made in a folder, and are meant to be:
// rights mean nothing to the superuser.
func writable(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || info.Mode()&0o222 == 0 {
		return false
	}
	f, err := regular.Create(dir, temporary)
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// isKey reports whether a name has the form of what Key returns.
func isKey(name string) bool {
	return len(name) == len(digest(nil)) && strings.Trim(name, "0123456789abcdef") == ""
}

// names returns the names in a folder, none if it cannot be read.
func names(dir string) (list []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Holdings is what a store of results and searches holds.
type Holdings struct {
	Results  int      // that are remembered
	Searches []string // the directories of those that are not over
}

// Stored reports whether a folder is a store of results and searches, and what it holds.
func Stored(dir string) (h Holdings, ok bool) {
	if _, err := os.Stat(filepath.Join(dir, resultsName)); err != nil || disk.Exists(dir) {
		return h, false
	}
	for _, name := range names(filepath.Join(dir, resultsName)) {
		if key, ours := strings.CutSuffix(name, resultSuffix); ours && isKey(key) {
			h.Results++
		}
	}
	for _, name := range names(filepath.Join(dir, searchesName)) {
		if path := SearchDir(dir, name); isKey(name) && disk.Exists(path) {
			h.Searches = append(h.Searches, path)
		}
	}
	return h, true
}
