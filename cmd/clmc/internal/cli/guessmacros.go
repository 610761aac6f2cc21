package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/clc"
)

// A kernel file that does not compile alone: the host says which extensions the device has, and defines macros.

// guessLaunches guesses the launches of a file. If it does not compile, it may be made for devices that have an extension for which it asks the
// preprocessor: the first with which it compiles is defined in the flags that are returned. If there is none, it may leave macros to its host: those are guessed.
func (x *exploreFlags) guessLaunches(ctx context.Context, t model.Target) (*exploreFlags, []*clc.Guess, error) {
	list, err := x.guesses(ctx, t)
	if err == nil || ctx.Err() != nil {
		return x, list, err
	}
	text, readErr := regular.Read(string(t), 1<<22)
	if readErr != nil {
		return x, nil, err
	}
	devices := []*exploreFlags{x}
	for _, name := range clc.AskedExtensions(text) {
		if _, given := x.defines[name]; given {
			continue
		}
		y := x.defining(name, "")
		y.extension, y.without = name, err
		if list, err := y.guesses(ctx, t); err == nil {
			return y, list, nil
		}
		devices = append(devices, y)
	}
	if errors.Is(err, clc.ErrNoKernel) || clc.Refuses(text) { // one condition or another must hold
		for _, name := range clc.AskedMacros(text) {
			if y := x.hosting(name); y != nil {
				devices = append(devices, y)
			}
		}
	}
	for _, y := range devices {
		for _, element := range []string{"float", "int"} {
			if z, list := y.guessMacros(ctx, t, text, element); list != nil {
				return z, list, nil
			}
		}
	}
	return x, nil, err
}

// hosting returns the flags with one more macro that the host is taken to define, as in NAME=VALUE, or nil if it is given.
func (x *exploreFlags) hosting(macro string) *exploreFlags {
	name, value, _ := strings.Cut(macro, "=")
	if _, given := x.defines[name]; given {
		return nil
	}
	y := x.defining(name, value)
	y.macros = append(x.macros[:len(x.macros):len(x.macros)], macro)
	return y
}

// guesses finds launches of a file, as the flags have it compiled.
func (x *exploreFlags) guesses(ctx context.Context, t model.Target) ([]*clc.Guess, error) {
	opt := x.preprocessed()
	return guard.Read(ctx, "load", func() ([]*clc.Guess, error) { return clc.Guesses(string(t), opt, x.launches) })
}

// preprocessed returns the flags as options of a kernel file.
func (x *exploreFlags) preprocessed() clc.Options {
	opt := x.loadOptions()
	return opt.Preprocessed()
}

// defining returns the flags with one more macro.
func (x *exploreFlags) defining(name, value string) *exploreFlags {
	y := *x
	if y.defines = maps.Clone(x.defines); y.defines == nil {
		y.defines = defines{}
	}
	y.defines[name] = value
	return &y
}

// mostRounds and mostMacros bound the search for macros that a file leaves to its host: what one hides shows when that is defined.
const (
	mostRounds = 8
	mostMacros = 32
)

// guessMacros defines the macros that a file leaves to its host, types as that of elements. It returns no launches if the file does not compile so.
func (x *exploreFlags) guessMacros(ctx context.Context, t model.Target, text []byte, element string) (*exploreFlags, []*clc.Guess) {
	for range mostRounds {
		list, err := x.guesses(ctx, t)
		if err == nil || ctx.Err() != nil {
			return x, list
		}
		more := clc.HostMacros(err, element)
		if len(more) == 0 {
			more = clc.HostMacros(clc.BeyondErrors(string(t), text, x.preprocessed()), element)
		}
		if len(more) == 0 || len(x.macros)+len(more) > mostMacros {
			return x, nil
		}
		for _, macro := range more {
			y := x.hosting(macro)
			if y == nil {
				return x, nil
			}
			_, value, _ := strings.Cut(macro, "=")
			y.sized = x.sized || !strings.HasPrefix(value, element)
			x = y
		}
	}
	return x, nil
}

// compiledAs says which extension and macros launches are guessed with, if the file needs some.
func (x *exploreFlags) compiledAs(t model.Target) (said []string) {
	if x.extension != "" {
		first, _, _ := strings.Cut(visible.Text(x.without.Error()), "\n")
		said = append(said, fmt.Sprintf("%s is compiled as for a device with %s (-D %s). Without it: %s", visible.Line(string(t)), x.extension, x.extension, first))
	}
	if len(x.macros) > 0 {
		said = append(said, fmt.Sprintf("%s leaves macros to its host, which are guessed: %s. -D gives them other values, as in -D %s.", visible.Line(string(t)), strings.Join(x.macros, ", "), x.macros[0]))
	}
	return said
}
