// Package check reads OpenCL C: it preprocesses and parses a kernel file with
// modernc.org/cc/v4, checks it by the rules of OpenCL C, and makes the typed tree of package
// tree, or says what is wrong, with a place, the line, a caret and what to write instead.
//
// Of cc it uses the preprocessor and the parser. Its checker knows C, and no vectors, address
// spaces, overloads or blocks; and the compiler of the host is never asked.
package check

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
)

// Options says what to check and how. The zero value of a field is its default.
type Options struct {
	// Path names the kernel file, for messages and as the place from which it includes files.
	Path string
	// Source is the text of the kernel file; nil: it is read from Path.
	Source []byte
	// Include are the folders of -I, in order. Files are included from the folder of Path, from
	// these, and from folders below; everything else is refused.
	Include []string
	// Defines are the macros of -D: "NAME", which is 1, or "NAME=VALUE".
	Defines []string
	// Std is that of -cl-std; the default is CL30 with all optional features.
	Std tree.Std
	// Read returns the content of a file that is allowed by the above; nil: it is read from the
	// disk. The names are those of Include and Path, with what an #include adds.
	Read func(name string) ([]byte, error)
}

// Parse checks a kernel file. The unit is as package tree promises; warnings are about
// things that are allowed and likely wrong, by position.
//
// The error is a diag.Diagnostics, in the order of the text, unless the file cannot be
// read. There is no panic, whatever the input; what takes too much is refused.
func Parse(o Options) (u *tree.Unit, warnings diag.Diagnostics, err error) {
	panic("not yet")
}
