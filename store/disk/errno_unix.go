//go:build unix

package disk

import "syscall"

// fullErrnos say that there is no room for a file, or for so large a one.
var fullErrnos = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// lockedErrno says that somebody else has the database.
const lockedErrno = syscall.EWOULDBLOCK

// ownErrnos are the system's errors that a store's files can be the reason of
// themselves, when they are missing, are something else, or are cut short.
var ownErrnos = map[syscall.Errno]bool{
	syscall.ENOENT: true, syscall.EEXIST: true, syscall.ENOTDIR: true, syscall.EISDIR: true, syscall.EINVAL: true,
}
