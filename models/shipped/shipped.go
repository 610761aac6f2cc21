// Package shipped holds the models that clmc ships: small programs that each
// show one idiom of OpenCL concurrency, right or wrong, with the verdict that
// the specification implies.
//
// Each model is a file main.go, in Go, or kernel.cl, in OpenCL C, in a folder of its own; a folder that
// holds both has one model written twice, unless the kernels are those of the Go model, which names
// the file (//cl:program kernel.cl). The comment at its head says
// what it models and derives the verdict from the rules of docs/semantics.md;
// lines of the form
//
//	//clmc:expect [-D name=value]... [spec=name] [promises=N] verified [all-data]
//	//clmc:expect [-D name=value]... [spec=name] [promises=N] violated CL1001...
//	//clmc:expect [-D name=value]... liveness=MODEL [fairness=strong] verified
//	//clmc:outcomes name=value... | name=value...
//
// state it for tests. An outcomes line continues the expectation above it:
// together they list every outcome, and no other. Kernels have lines that launch them, too.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package shipped

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
)

//go:embed */main.go */kernel.cl
var files embed.FS

// A model in OpenCL C: the file that it is in, and how its name ends.
const (
	kernelFile = "kernel.cl"
	kernelExt  = ".cl"
	// programLine is in the Go models whose kernels it has.
	programLine = "\n//cl:program " + kernelFile
)

// Model is a shipped model.
type Model struct {
	Name         string // of its folder; with .cl at the end if it is in OpenCL C
	Path         string // from the root of the module
	Description  string // one sentence
	Source       string
	Kernels      string // of a Go model: the text of the kernel.cl that it names
	Expectations []Expectation
}

// Expectation is what a search of the model must find under one reading of the
// specification and one choice of its constants.
type Expectation struct {
	Defines map[string]string
	Spec    string // "" for the default
	// Promises is the bound on promises, as in explore.Options.
	Promises int
	// Liveness is what is asked about the end of executions, as in explore.Options.
	Liveness *explore.Liveness
	// LegacyWorkGroup is that of load.Options.
	LegacyWorkGroup bool
	// Violations lists the ids of the kinds of violation. The search must find
	// the first of them and no others; without any it must verify the model.
	Violations []string
	// AllData: the verdict must hold whatever data the kernel is given.
	AllData bool
	// Outcomes lists all outcomes, each as "name=value" words in order, if the
	// model states them.
	Outcomes []string
}

// All returns the shipped models in order of their names.
func All() []Model {
	paths, err := fs.Glob(files, "*/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var all []Model
	for _, p := range paths {
		name, kernels := path.Dir(p), path.Join(path.Dir(p), kernelFile)
		isKernel, ofModel := p == kernels, strings.Contains(text(path.Join(name, "main.go")), programLine)
		if isKernel && ofModel {
			continue
		}
		if isKernel {
			name += kernelExt
		}
		m, err := parse(name, text(p))
		if err != nil {
			panic(fmt.Sprintf("shipped: %s: %v", p, err)) // a test looks at all of them
		}
		m.Path = "models/shipped/" + p
		if ofModel {
			m.Kernels = text(kernels)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// text reads a file; one that there is not is empty.
func text(name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err) // the files are embedded
	}
	return string(text)
}

// KernelPath is the path of a Go model's Kernels, from the root of the module.
func (m *Model) KernelPath() string { return path.Join(path.Dir(m.Path), kernelFile) }

// IsKernel reports whether the model is in OpenCL C.
func (m *Model) IsKernel() bool { return path.Ext(m.Name) == kernelExt }

// folder is the name of the model's folder.
func (m *Model) folder() string { return strings.TrimSuffix(m.Name, kernelExt) }

// parse reads the head of a model.
func parse(name, source string) (Model, error) {
	m := Model{Name: name, Source: source}
	var prose []string
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "//") {
			break
		}
		if rest, ok := strings.CutPrefix(line, "//clmc:"); ok {
			if err := m.directive(rest); err != nil {
				return m, fmt.Errorf("%s: %w", line, err)
			}
			continue
		}
		prose = append(prose, strings.TrimSpace(strings.TrimPrefix(line, "//")))
	}
	first := prose
	if i := slices.Index(prose, ""); i >= 0 {
		first = prose[:i]
	}
	begin := "Command " + m.folder()
	if m.IsKernel() {
		begin = "Kernel " + m.folder()
	}
	description, ok := strings.CutPrefix(strings.Join(first, " "), begin+" ")
	if !ok {
		return m, fmt.Errorf("the comment does not begin with %q", begin)
	}
	m.Description = description
	if len(m.Expectations) == 0 {
		return m, fmt.Errorf("no //clmc:expect line")
	}
	return m, nil
}

// directive reads one line of the head, without its "//clmc:".
func (m *Model) directive(text string) error {
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "launch", "assert": // of kernels, which read them
		if !m.IsKernel() {
			break
		}
		return nil
	case "expect":
		e, err := ParseExpectation(strings.Fields(rest))
		m.Expectations = append(m.Expectations, e)
		return err
	case "outcomes":
		if len(m.Expectations) == 0 {
			return fmt.Errorf("no expectation above")
		}
		e := &m.Expectations[len(m.Expectations)-1]
		e.Outcomes = append(e.Outcomes, ParseOutcomes(rest)...)
		return nil
	}
	return fmt.Errorf("unknown directive %q", verb)
}

// ParseOutcomes reads the outcomes of a line, what stands behind //clmc:outcomes: each with its words in order.
func ParseOutcomes(list string) (all []string) {
	for o := range strings.SplitSeq(list, "|") {
		words := strings.Fields(o)
		slices.Sort(words)
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// AllData is the word of an expectation that a verdict holds for all data.
const AllData = "all-data"

// ParseExpectation reads the words of a line, those after //clmc:expect.
func ParseExpectation(words []string) (e Expectation, err error) {
	e.Defines = map[string]string{}
	if words, e.Liveness, err = asked(words); err != nil {
		return e, err
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "-D" && len(words) > 0:
			name, value, ok := strings.Cut(words[0], "=")
			if !ok {
				return e, fmt.Errorf("-D wants name=value")
			}
			e.Defines[name] = value
			words = words[1:]
		case strings.HasPrefix(word, "spec="):
			e.Spec = strings.TrimPrefix(word, "spec=")
		case strings.HasPrefix(word, "promises="):
			if e.Promises, err = explore.ParsePromises(strings.TrimPrefix(word, "promises=")); err != nil {
				return e, err
			}
		case word == "legacy=work_group":
			e.LegacyWorkGroup = true
		case word == "verified" && len(words) == 0:
			return e, nil
		case word == "verified" && len(words) == 1 && words[0] == AllData:
			e.AllData = true
			return e, nil
		case word == "violated" && len(words) > 0:
			e.Violations = words
			return e, nil
		default:
			return e, fmt.Errorf("unexpected %q", word)
		}
	}
	return e, fmt.Errorf("no verdict")
}

// asked takes from the words of a line those before its verdict that ask whether executions end.
func asked(words []string) (rest []string, ask *explore.Liveness, err error) {
	given := map[string]string{}
	for i, w := range words {
		if w == "verified" || w == "violated" {
			rest = append(rest, words[i:]...)
			break
		}
		key, value, _ := strings.Cut(w, "=")
		if key != "liveness" && key != "fairness" || value == "" || i > 0 && words[i-1] == "-D" {
			rest = append(rest, w)
			continue
		}
		if given[key] != "" {
			return nil, nil, fmt.Errorf("%s= is given twice", key)
		}
		given[key] = value
	}
	switch {
	case given["liveness"] != "":
		ask, err = explore.ParseLiveness(given["liveness"], given["fairness"])
	case given["fairness"] != "":
		err = fmt.Errorf("fairness=%s: it says how liveness=MODEL is meant; add that", given["fairness"])
	}
	return rest, ask, err
}
