package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
)

// List is a list of checks.
type List struct {
	File   string
	Budget time.Duration // for all checks together; 0 means no bound
	Store  string        // the folder that remembers results; "" means none
	Keep   time.Duration // how long the store keeps what no run uses
	Checks []*Check
	// Folders: some check names one, and Left are what looks like a model there and is not checked. Jobs finds them.
	Folders bool
	Left    []model.Left
}

// Check asks for the exploration of one model, or of all in a folder.
type Check struct {
	At    trace.Pos // in the list
	Name  string    // "" means that the model names it
	Model string    // a path, or @name of a shipped model
	// Alone: the model is this one, whatever else is in a folder of that name.
	Alone bool
	Options
}

// Options say how to explore a model and what to expect.
type Options struct {
	Explore explore.Options   // but for what a command adds: progress and the like
	Defines map[string]string // constants of the model
	// LegacyWorkGroup is that of model.Options.
	LegacyWorkGroup bool
	Kernels         clc.Options   // of a kernel file: how it is read and launched
	TimeLimit       time.Duration // the most that one night may spend on it; 0 means no bound
	CPULimit        time.Duration // likewise, of processor time
	// UndecidedOK: that load buffering was not decided in the time for that is as good as verified.
	UndecidedOK bool
	// Device is the OpenCL device on which the model runs, too; "" for none.
	Device  string
	Expect  Expectation
	live    liveWords // of a list, from which Explore.Liveness comes
	Known   []string  // findings that are known, as report.ParseKnown reads them
	knownAt trace.Pos
}

// maxList bounds the size of a list in bytes.
const maxList = 1 << 20

// Read reads a list. Paths in it are relative to its folder, and so are made
// relative to the working directory. Every error has a position in the file.
func Read(file string) (*List, error) {
	text, err := regular.Read(file, maxList+1)
	var pe *fs.PathError
	switch {
	case errors.Is(err, regular.ErrKind):
		return nil, fmt.Errorf("%s: %w; name the file that lists the checks", file, err)
	case errors.As(err, &pe):
		return nil, fmt.Errorf("%s: %w", file, pe.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(text) > maxList:
		return nil, fmt.Errorf("%s: larger than %d MiB, too large for a list of checks", file, maxList>>20)
	}
	l, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	l.resolve(filepath.Dir(file))
	return l, nil
}

// resolve makes the paths of the list, which are relative to dir, relative to
// the working directory.
func (l *List) resolve(dir string) {
	join := func(path string) string {
		if path == "" || strings.HasPrefix(path, "@") || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	l.Store = join(l.Store)
	for _, c := range l.Checks {
		c.Model = join(filepath.FromSlash(c.Model))
		c.Kernels.Include = slices.Clone(c.Kernels.Include)
		for i, folder := range c.Kernels.Include {
			c.Kernels.Include[i] = join(filepath.FromSlash(folder))
		}
	}
}
