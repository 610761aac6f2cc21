package disk

import "syscall"

// Errors that package syscall has no names for.
const (
	errInvalidParameter syscall.Errno = 87
	errSharingViolation syscall.Errno = 32
	errHandleDiskFull   syscall.Errno = 39
	errDiskFull         syscall.Errno = 112
	errHandleEOF        syscall.Errno = 38
)

// fullErrnos say that there is no room for a file.
var fullErrnos = []syscall.Errno{errDiskFull, errHandleDiskFull}

// lockedErrno says that somebody else has the database.
const lockedErrno = errSharingViolation

// ownErrnos are the system's errors that a store's files can be the reason of
// themselves, when they are missing, are something else, or are cut short.
var ownErrnos = map[syscall.Errno]bool{
	syscall.ERROR_FILE_NOT_FOUND: true, syscall.ERROR_PATH_NOT_FOUND: true, syscall.ERROR_FILE_EXISTS: true,
	syscall.ERROR_ALREADY_EXISTS: true, errInvalidParameter: true, errHandleEOF: true,
}
