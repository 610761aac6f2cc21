package disk

import (
	"errors"
	"os"
	"syscall"
)

// reserve finds out whether so many bytes can be written to a file, which
// statfs does not know of quotas. Where that cannot be asked, they can. A limit
// on the size of one file says nothing about the many of a store.
func reserve(f *os.File, bytes int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, bytes)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return nil
}
