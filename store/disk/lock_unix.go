//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/clmc/clmc/store"
)

// lock is a locked file. The system releases it when the process ends, in
// whatever way.
type lock struct{ f *os.File }

// acquire locks a directory.
func acquire(dir string) (*lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, plain(dir, err)
	}
	for try := 0; ; try++ { // Running holds it for a moment
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil || try == lockTries {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		pid, _ := os.ReadFile(f.Name())
		f.Close()
		return nil, fmt.Errorf("%s: %w by process %s", dir, store.ErrInUse, strings.TrimSpace(string(pid)))
	case err == nil && !named(f): // whoever had it has moved or removed the store meanwhile
		err = fs.ErrNotExist
	}
	if err != nil {
		f.Close()
		return nil, plain(dir, err)
	}
	f.Truncate(0) // who holds it is for messages only
	f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return &lock{f}, nil
}

// lockTries is how often acquire tries, a hundred times a second.
const lockTries = 20

// named reports whether a file is still what its name says.
func named(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	called, err := os.Stat(f.Name())
	return err == nil && os.SameFile(is, called)
}

func (l *lock) release() { l.f.Close() }

// Running reports whether a process uses the store at the moment.
func Running(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// allocated is the space that a file takes, which may have holes.
func allocated(info os.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
