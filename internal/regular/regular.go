// Package regular reads files that somebody has named. A pipe would be waited
// for, a device may have no end, and neither is what was meant.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
