package store

import (
	"os"
	"path/filepath"
)

// Note replaces the note about the search that ReadNote reads.
func (d *Disk) Note(text []byte) error { return replaceFile(d.dir, statusName, text) }

// ReadNote returns the last note about the search in a directory, also while a
// process uses the store.
func ReadNote(dir string) ([]byte, error) {
	if _, err := readMark(dir); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, statusName))
	if err != nil {
		return nil, plain(dir, err)
	}
	return text, nil
}
