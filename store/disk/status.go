package disk

import (
	"path/filepath"

	"github.com/clmc/clmc/internal/regular"
)

// Note replaces the note about the search that ReadNote reads.
func (d *Store) Note(text []byte) error { return replaceFile(d.dir, statusName, text) }

// maxNote bounds what is read of a note.
const maxNote = 1 << 20

// ReadNote returns the last note about the search in a directory, also while a
// process uses the store.
func ReadNote(dir string) ([]byte, error) {
	if _, err := readMark(dir); err != nil {
		return nil, err
	}
	text, err := regular.Read(filepath.Join(dir, statusName), maxNote)
	if err != nil {
		return nil, plain(dir, err)
	}
	return text, nil
}
