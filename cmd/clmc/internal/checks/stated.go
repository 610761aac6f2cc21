package checks

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/shipped"
)

// What is expected of a model can stand in the model itself, in lines that begin with
// //clmc:expect. A litmus test has them in its comments.

// maxModel bounds what is read of a file for its expectations.
const maxModel = 4 << 20

// expectLine begins a line of a model that says what is expected, and outcomesLine one that lists all outcomes, and
// continues the line above it.
const (
	expectLine   = "//clmc:expect"
	outcomesLine = "//clmc:outcomes"
)

// statement is such a line.
type statement struct {
	at   trace.Pos
	line shipped.Expectation
	Expectation
}

// statements reads the lines of a model.
func statements(t model.Target) (all []statement, err error) {
	var errs []error
	for _, name := range textsOf(t) {
		text, err := regular.Read(name, maxModel)
		if err != nil {
			continue // whoever loads it says so
		}
		n := 0
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			n++
			said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "(*"))
			if list, ok := strings.CutPrefix(said, outcomesLine); ok {
				if len(all) == 0 || all[len(all)-1].at.File != name {
					errs = append(errs, fmt.Errorf("%s:%d:%d: %s: no %s line above it", name, n, strings.Index(line, outcomesLine)+1, outcomesLine, expectLine))
					continue
				}
				s := &all[len(all)-1]
				s.Expectation.outcomes = append(s.Expectation.outcomes, shipped.ParseOutcomes(strings.TrimSuffix(strings.TrimSpace(list), "*)"))...)
				continue
			}
			words, ok := strings.CutPrefix(said, expectLine)
			if !ok {
				continue
			}
			at := trace.Pos{File: name, Line: n, Col: strings.Index(line, expectLine) + 1}
			s, err := parseStatement(strings.Fields(strings.TrimSuffix(strings.TrimSpace(words), "*)")))
			if err != nil {
				errs = append(errs, fmt.Errorf("%s:%d:%d: %s: %w", name, n, at.Col, expectLine, err))
			}
			s.at, s.Expectation.At = at, at
			all = append(all, s)
		}
	}
	return all, errors.Join(errs...)
}

// textsOf lists the files that a model is written in.
func textsOf(t model.Target) []string {
	name := string(t)
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil
	case !info.IsDir() && t.IsKernel() && filepath.Ext(name) != clc.Ext: // it names the file of the kernels
		return nil
	case !info.IsDir():
		return []string{name}
	}
	names, _ := filepath.Glob(filepath.Join(model.EscapeGlob(name), "*.go"))
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// parseStatement reads the words of a line, those after //clmc:expect.
func parseStatement(words []string) (s statement, err error) {
	condition := ""
	if n := len(words); n > 0 && conditions[words[n-1]].verdict != "" { // of a litmus test
		condition = words[n-1]
		words = append(slices.Clone(words[:n-1]), verified)
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "CL") }); i == 0 || i > 0 && words[i-1] != "violated" && words[i-1] != "-D" {
		words = slices.Insert(slices.Clone(words), i, "violated")
	}
	if s.line, err = shipped.ParseExpectation(words); err != nil {
		return s, err
	}
	if s.line.Spec != "" {
		if _, err := memmodel.ParseSpec(s.line.Spec); err != nil {
			return s, err
		}
	}
	kinds := s.line.Violations
	switch {
	case condition != "":
		kinds = []string{condition}
	case kinds == nil && s.line.AllData:
		kinds = []string{verified, allData}
	case kinds == nil:
		kinds = []string{verified}
	}
	for _, w := range kinds {
		if err := s.add(w); err != nil {
			return s, err
		}
	}
	return s, nil
}

// spec is the reading of the specification that a statement is about.
func (s *statement) spec() memmodel.Spec {
	if spec, err := memmodel.ParseSpec(s.line.Spec); err == nil {
		return spec
	}
	return memmodel.Specs[0]
}

// about reports whether a statement is about a check's constants, its reading of the specification and what else it asks.
func (s *statement) about(c *Check) bool {
	model, fairness := s.line.Liveness.Words()
	m, f := c.Explore.Liveness.Words()
	return model == m && fairness == f && s.spec().Name == c.Explore.Spec.Name && maps.Equal(s.line.Defines, c.Defines) &&
		s.line.Promises == c.Explore.Promises && s.line.LegacyWorkGroup == c.LegacyWorkGroup
}

// stated returns what the list expects of a model, or else what the model itself does. The lines of a kernel file are about the
// launches of that file, so where the list has a launch of its own they say nothing.
func (c *Check) stated(t model.Target) (Expectation, error) {
	none := c.Expect.word == "" && c.Expect.kinds == nil
	if !none || c.Kernels.Launches() {
		return c.Expect, nil
	}
	all, err := statements(t)
	if err != nil {
		return c.Expect, err
	}
	for i := range all {
		if all[i].about(c) {
			return all[i].Expectation, nil
		}
	}
	return c.Expect, nil
}

// Doubt adds to each check one of the same model that does without all analyses, and expects the same.
func (l *List) Doubt() {
	for _, c := range l.Checks {
		other := *c
		other.Explore.Without = explore.AllAnalyses
		l.Checks = append(l.Checks, &other)
	}
}

// Stated is a list of checks of what models state themselves, one for each line. Of a litmus test
// without a line, the condition is to hold. Others without one are returned by name.
func Stated(targets []model.Target) (list *List, silent []model.Target, err error) {
	list = &List{Keep: DefaultKeep}
	var errs []error
	for _, t := range targets {
		all, err := statements(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(all) == 0 && !t.IsLitmus() {
			silent = append(silent, t)
			continue
		}
		if len(all) == 0 {
			list.Checks = append(list.Checks, &Check{At: trace.Pos{File: string(t), Line: 1, Col: 1}, Model: string(t), Alone: true})
		}
		for _, s := range all {
			c := &Check{At: s.at, Model: string(t), Alone: true}
			c.Defines, c.LegacyWorkGroup, c.Expect = s.line.Defines, s.line.LegacyWorkGroup, s.Expectation
			c.Explore.Spec, c.Explore.Promises, c.Explore.Liveness = s.spec(), s.line.Promises, s.line.Liveness
			list.Checks = append(list.Checks, c)
		}
	}
	return list, silent, errors.Join(errs...)
}
