package ramdir

import "syscall"

const inMemory = "/dev/shm"

// room returns how many bytes can be written to a folder, 0 if that is not known.
func room(dir string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
