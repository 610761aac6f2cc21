//go:build !unix

package disk

import (
	"os"
	"path/filepath"
)

// lock is nothing here: Badger's own lock keeps a second process out.
type lock struct{}

func acquire(dir string) (*lock, error) {
	f, err := os.Create(filepath.Join(dir, lockName)) // tells Create whose directory it is
	if err != nil {
		return nil, plain(dir, err)
	}
	return &lock{}, f.Close()
}

func (l *lock) release() {}

// Running reports whether a process uses the store, where that can be told.
func Running(string) bool { return false }

func allocated(info os.FileInfo) int64 { return info.Size() }
