package model

import (
	"maps"
	"slices"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/load"
)

// Options tunes how a target is loaded, whatever it is.
type Options struct {
	// Defines overrides constants of a model, name to value as in load.Options, and
	// defines macros of a kernel file.
	Defines map[string]string
	// LegacyWorkGroup takes the atomic functions of OpenCL 1.x to have work-group
	// scope, and not device scope (rule 3.9).
	LegacyWorkGroup bool
	// Kernels says how kernels in OpenCL C are read and launched.
	Kernels clc.Options
}

// models returns the options for a Go model.
func (o *Options) models() load.Options {
	return load.Options{Defines: o.Defines, LegacyWorkGroup: o.LegacyWorkGroup, KeepValues: o.Kernels.KeepValues, Unwritten: o.Kernels.Unwritten,
		Given: o.Kernels.Given, Names: o.Kernels.Names, Classes: o.Kernels.Classes, AnyWidth: o.Kernels.AnyWidth}
}

// Preprocessed returns the options for a kernel file with all its macros, to read it without launching it.
func (o *Options) Preprocessed() clc.Options { return o.kernels() }

// kernels returns the options for a kernel file. Its macros are Defines, and those of Kernels.
func (o *Options) kernels() clc.Options {
	k := o.Kernels
	k.LegacyWorkGroup = o.LegacyWorkGroup
	k.Defines = slices.Concat(k.Defines, o.macros())
	return k
}

// macros are Defines as name or name=value, in order.
func (o *Options) macros() (words []string) {
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		if v := o.Defines[name]; v != "" {
			name += "=" + v
		}
		words = append(words, name)
	}
	return words
}

// DefineFlags returns the flags of clmc explore that define the macros and constants, in order.
func (o *Options) DefineFlags() (words []string) {
	for _, macro := range o.macros() {
		words = append(words, "-D", macro)
	}
	return words
}
