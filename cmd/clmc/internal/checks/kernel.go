package checks

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/shipped"
)

// maxKernel bounds what is read of a kernel file for its expectations.
const maxKernel = 4 << 20

// expectLine begins a line of a kernel file that says what is expected.
const expectLine = "//clmc:expect"

// stated returns what the list expects of a model, or else what its file does. The lines of a kernel file are about the
// launches of that file, so where the list has a launch of its own they say nothing.
func (c *Check) stated(t model.Target) (Expectation, error) {
	none := c.Expect.word == "" && c.Expect.kinds == nil
	if !none || !t.IsKernel() || filepath.Ext(string(t)) != clc.Ext || c.Kernels.Launches() {
		return c.Expect, nil
	}
	text, err := regular.Read(string(t), maxKernel)
	if err != nil {
		return c.Expect, nil // whoever loads it says so
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), expectLine)
		if !ok {
			continue
		}
		e, applies, err := c.kernelLine(strings.Fields(rest))
		if err != nil {
			return c.Expect, fmt.Errorf("%s:%d:%d: %s: %w", t, n, strings.Index(line, expectLine)+1, expectLine, err)
		}
		if applies {
			return e, nil
		}
	}
	return c.Expect, nil
}

// kernelLine reads a line, and reports whether it is about the check's macros and its reading of the specification.
func (c *Check) kernelLine(words []string) (e Expectation, applies bool, err error) {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "CL") }); i == 0 || i > 0 && words[i-1] != "violated" && words[i-1] != "-D" {
		words = slices.Insert(slices.Clone(words), i, "violated")
	}
	line, err := shipped.ParseExpectation(words)
	if err != nil {
		return e, false, err
	}
	kinds := line.Violations
	if kinds == nil {
		kinds = []string{verified}
	}
	for _, w := range kinds {
		if err := e.add(w); err != nil {
			return e, false, err
		}
	}
	spec, err := memmodel.ParseSpec(line.Spec)
	if line.Spec == "" {
		spec, err = memmodel.Specs[0], nil
	}
	applies = err == nil && spec.Name == c.Explore.Spec.Name && maps.Equal(line.Defines, c.Defines) &&
		line.Promises == c.Explore.Promises && line.LegacyWorkGroup == c.LegacyWorkGroup
	return e, applies, err
}
