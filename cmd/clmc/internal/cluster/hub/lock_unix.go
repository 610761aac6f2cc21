//go:build unix

package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock keeps a second hub out of a folder. The system releases it when the process ends, in whatever way.
type lock struct{ f *os.File }

func acquire(dir string) (*lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return &lock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	return nil, fmt.Errorf("%s: %w", dir, err)
}

func (l *lock) release() {
	if l != nil {
		l.f.Close()
	}
}
