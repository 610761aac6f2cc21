package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/html"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
)

// files are the files that a run of clmc explore writes, graphs and trace on a violation only. They
// are opened before the search, so that a wrong path does not cost its result.
type files struct {
	graphs []*outputFile
	trace  *outputFile // nil if not asked for
	page   *outputFile // nil if not asked for
}

// outputFlags are the flags that name files to write.
type outputFlags struct {
	graphs []string
	trace  string
	page   string
	full   bool
}

func (o *outputFlags) registerGraph(f *pflag.FlagSet) {
	f.StringArrayVar(&o.graphs, "graph", nil, "draw the execution of the first violation into `FILE`, .dot or .svg (repeatable)")
	f.BoolVar(&o.full, "full", false, "show all steps of an execution, not only those on which the violation depends")
}

func (o *outputFlags) registerTrace(f *pflag.FlagSet) {
	f.StringVar(&o.trace, "trace", "", "write the execution of the first violation, or of --witness, into `FILE`, for clmc replay")
}

// maxWitnesses is the number of outcomes of which a page shows an execution.
const maxWitnesses = 100

func (o *outputFlags) registerPage(f *pflag.FlagSet) {
	f.StringVar(&o.page, "html", "", "write the report as a page for a browser into `FILE`, with executions to step through")
}

// open opens the files that the flags name.
func (o *outputFlags) open() (_ *files, err error) {
	f := &files{}
	defer func() {
		if err != nil {
			f.discard()
		}
	}()
	for _, name := range o.graphs {
		if ext := filepath.Ext(name); ext != ".dot" && ext != ".svg" {
			return nil, fmt.Errorf("--graph %s: the name must end in .dot or .svg", name)
		}
		g, err := openOutput(name)
		if err != nil {
			return nil, inputError{fmt.Errorf("--graph %w", err)}
		}
		f.graphs = append(f.graphs, g)
	}
	if o.trace != "" {
		if f.trace, err = openOutput(o.trace); err != nil {
			return nil, inputError{fmt.Errorf("--trace %w", err)}
		}
	}
	if o.page != "" {
		if f.page, err = openOutput(o.page); err != nil {
			return nil, inputError{fmt.Errorf("--html %w", err)}
		}
	}
	return f, nil
}

// show writes the page.
func (f *files) show(rep *report.Report) error {
	if f.page == nil {
		return nil
	}
	if err := f.page.fill(func(w io.Writer) error { return html.Write(w, rep) }); err != nil {
		return inputError{err}
	}
	return nil
}

// any reports whether there is any file to write of a violation.
func (f *files) any() bool { return f.trace != nil || len(f.graphs) > 0 }

// draw draws a trace into the graph files.
func (f *files) draw(t *trace.Trace) error {
	for _, o := range f.graphs {
		write := func(w io.Writer) error { return report.SVG(w, t) }
		if filepath.Ext(o.Name()) == ".dot" {
			write = func(w io.Writer) error { return report.DOT(w, t) }
		}
		if err := o.fill(write); err != nil {
			return inputError{err}
		}
	}
	return nil
}

// discard closes the files and removes those that were not written.
func (f *files) discard() {
	for _, o := range f.graphs {
		o.discard()
	}
	for _, o := range []*outputFile{f.trace, f.page} {
		if o != nil {
			o.discard()
		}
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
		return nil, fmt.Errorf("%w\nName a file that can be written", regular.Fault(name, err))
	}
	return &outputFile{File: f, created: created}, nil
}

// fill replaces the file's contents by what write writes.
func (o *outputFile) fill(write func(io.Writer) error) error {
	o.written = true
	o.Truncate(0)                      // fails on a pipe or device, which needs no truncation
	shown := visible.NewWriter(o.File) // somebody will print it on a terminal
	if err := errors.Join(write(shown), shown.Flush()); err != nil {
		return regular.Fault(o.Name(), err)
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
