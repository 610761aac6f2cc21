// Package regular reads files that somebody has named, and replaces them. A pipe would be waited
// for, a device may have no end, and neither is what was meant.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/clmc/clmc/internal/visible"
)

// ErrKind says that a name is not that of a regular file.
var ErrKind = errors.New("want a regular file")

// Read reads a regular file, of which it returns no more than so many bytes.
func Read(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened, which on a pipe waits for a writer
	if err != nil {
		return nil, err
	}
	if err := check(info); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := check(info); err != nil { // it has been replaced meanwhile
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// Create makes a file of a name of its own in a folder, for everybody whom the umask allows:
// the folder may be shared, and os.CreateTemp makes files that are not.
func Create(dir, prefix string) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Replace puts bytes into a file, all of them or none. A file that is there keeps its mode, and a link leads where it did.
func Replace(name string, data []byte) error {
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", name)
		}
		if info.Mode().Perm()&0o222 == 0 {
			return fmt.Errorf("%s is read-only", name)
		}
		if link, err := filepath.EvalSymlinks(name); err == nil {
			name = link
		}
	}
	f, err := Create(filepath.Dir(name), ".clmc-")
	if err != nil {
		return unwritten(name, info, err)
	}
	defer os.Remove(f.Name()) // unless it has been renamed
	_, err = f.Write(data)
	if info != nil {
		if mode := f.Chmod(info.Mode().Perm()); err == nil {
			err = mode
		}
	}
	if closed := errors.Join(f.Sync(), f.Close()); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return unwritten(name, info, err)
}

// unwritten says of a file that it could not be written, without the name of the temporary one.
func unwritten(name string, before fs.FileInfo, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	if before != nil {
		return fmt.Errorf("%s stays as it was: %w", name, err)
	}
	return fmt.Errorf("%s is not written: %w", name, err)
}

// check says what a file is that is not regular.
func check(info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "is a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "is a pipe"
	case mode&fs.ModeSocket != 0:
		what = "is a socket"
	case mode&fs.ModeDevice != 0:
		what = "is a device"
	default:
		what = "is something else"
	}
	return fmt.Errorf("it %s: %w", what, ErrKind)
}

// Fault words an error of the file system about a file: what is wrong, without the
// operation that found it.
func Fault(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", visible.Line(name), err)
}
