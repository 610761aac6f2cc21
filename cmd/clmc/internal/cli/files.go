package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// files are the files that a run of clmc explore writes on a violation. They
// are opened before the search, so that a wrong path does not cost its result.
type files struct {
	graphs []*outputFile
	trace  *outputFile // nil if not asked for
}

// openFiles opens the files that the flags name.
func (x *exploreFlags) openFiles(models int) (_ *files, err error) {
	if models != 1 && (x.trace != "" || len(x.graphs) > 0) {
		return nil, fmt.Errorf("--graph and --trace are for one model at a time, not for %d", models)
	}
	f := &files{}
	defer func() {
		if err != nil {
			f.discard()
		}
	}()
	for _, name := range x.graphs {
		if ext := filepath.Ext(name); ext != ".dot" && ext != ".svg" {
			return nil, fmt.Errorf("--graph %s: the name must end in .dot or .svg", name)
		}
		o, err := openOutput(name)
		if err != nil {
			return nil, inputError{fmt.Errorf("--graph %w", err)}
		}
		f.graphs = append(f.graphs, o)
	}
	if x.trace != "" {
		if f.trace, err = openOutput(x.trace); err != nil {
			return nil, inputError{fmt.Errorf("--trace %w", err)}
		}
	}
	return f, nil
}

// discard closes the files and removes those that were not written.
func (f *files) discard() {
	for _, o := range f.graphs {
		o.discard()
	}
	if f.trace != nil {
		f.trace.discard()
	}
}

// outputFile is a file that keeps its old contents until it is written.
type outputFile struct {
	*os.File
	created, written bool
}

func openOutput(name string) (*outputFile, error) {
	_, err := os.Stat(name)
	created := errors.Is(err, os.ErrNotExist)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%w\nName a file that can be written", fileError(name, err))
	}
	return &outputFile{File: f, created: created}, nil
}

// fileError words an error of the file system without advice on models.
func fileError(name string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// fill replaces the file's contents by what write writes.
func (o *outputFile) fill(write func(io.Writer) error) error {
	o.written = true
	o.Truncate(0) // fails on a pipe or device, which needs no truncation
	if err := write(o.File); err != nil {
		return fileError(o.Name(), err)
	}
	return o.Close()
}

// discard closes the file, and removes it if it is new and has no contents.
func (o *outputFile) discard() {
	o.Close()
	if o.created && !o.written {
		os.Remove(o.Name())
	}
}
