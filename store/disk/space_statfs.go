//go:build linux || darwin || freebsd

package disk

import "syscall"

// Free returns the space that is left on the disk of a directory.
func Free(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
