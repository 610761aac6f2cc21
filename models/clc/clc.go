package clc

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/state/ir"
)

// Options says how to read a kernel file and how to launch a kernel of it. The zero value leaves
// everything to the file.
type Options struct {
	Kernel string // the kernel to launch; may be left out if there is one
	Global string // the global size: "8" or "8,4"
	Local  string // the local size
	Offset string // the global offset
	// SubGroup is the size of sub-groups: a number, several with | between them, or auto.
	SubGroup string
	Args     []string // "n=8", "a=int[8]{1,2}", "out=zero[1]", "tmp=local[4]"
	Include  []string // folders for #include
	Defines  []string // macros: "N=4", or "N", which is 1
	Std      string   // "CL1.2" and the like; the default is CL3.0
	// LegacyWorkGroup takes the atomic functions of OpenCL 1.x to have work-group scope, and not
	// device scope (rule 3.9).
	LegacyWorkGroup bool
	// GPUVerify takes the sizes from the header of the file, as GPUVerify does, and understands its annotations.
	GPUVerify bool
	// KeepValues computes also what nothing depends on, so that traces show it.
	KeepValues bool
	// Undefined takes functions that are declared and not defined to return 0 or 1, and to do nothing.
	Undefined bool
	// Unwritten is what reads of memory return that nothing has written, also in models in Go.
	Unwritten ir.Indeterminate
	// AnyWidth bounds the number of values that are distinguished at one place where a value is chosen late; 0 is DefaultAnyWidth.
	AnyWidth int
	// Given are values for arguments that are any, written as in Args: the search tries these data only.
	Given []string
	// Classes tells values apart that make a difference (prove.Classes). Whoever sets it knows that a program with Late has executions that no data have.
	// Without it arguments that are any are refused.
	Classes func(t ir.Type, list []ir.Outcome, most int) []int64 `json:"-"`
	// Names: where the host chooses data, the choice says what each is.
	Names bool
}

// DefaultAnyWidth is the number of values that are distinguished at one place where a value is chosen late.
const DefaultAnyWidth = 64

// Launches reports whether the options say how to launch a kernel.
func (o *Options) Launches() bool {
	return o.Kernel != "" || o.Global != "" || o.Local != "" || o.Offset != "" || len(o.Args) > 0
}

// ParseUndefined reads what functions do that are declared and not defined: whether any is taken for what they may do, and not refused.
func ParseUndefined(s string) (taken bool, err error) {
	if s != "any" && s != "refused" {
		return false, fmt.Errorf("%q: want any or refused", s)
	}
	return s == "any", nil
}

// Flags returns the options as flags of clmc explore, macros and the reading of OpenCL 1.x's atomic
// functions apart: what a search is known by, and what repeats it.
func (o *Options) Flags() (words []string) {
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, value)
		}
	}
	add("--kernel", o.Kernel)
	add("--global", o.Global)
	add("--local", o.Local)
	add("--offset", o.Offset)
	add("--sub-group", o.SubGroup)
	for _, a := range o.Args {
		add("--arg", a)
	}
	for _, dir := range o.Include {
		add("--include", dir)
	}
	add("--cl-std", o.Std)
	for _, a := range o.Given {
		add("--given", a)
	}
	if o.AnyWidth > 0 {
		add("--any-width", strconv.Itoa(o.AnyWidth))
	}
	if o.GPUVerify {
		words = append(words, "--gpuverify-header")
	}
	if o.KeepValues {
		words = append(words, "--keep-values")
	}
	if o.Undefined {
		words = append(words, "--undefined", "any")
	}
	if o.Unwritten != ir.IndeterminateWrong {
		words = append(words, "--unwritten", o.Unwritten.String())
	}
	return words
}

// The endings of the names of files that this package loads.
const (
	Ext    = ".cl"
	SimExt = ".sim"
)

// IsFile reports whether a name is that of a file for this package.
func IsFile(name string) bool { return filepath.Ext(name) == Ext || filepath.Ext(name) == SimExt }

// byteOrderMark may begin a text in UTF-8, and says nothing.
const byteOrderMark = "\ufeff"

// maxFile bounds what is read of a file.
const maxFile = 4 << 20

// File loads a kernel file, or a file of Oclgrind's that names one.
func File(path string, opt Options) (*ir.Program, error) {
	text, err := regular.Read(path, maxFile+1)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	return Source(path, text, opt)
}

// parseFile reads and checks a kernel file, with nothing but the options: no header for GPUVerify, and no annotations.
func parseFile(path string, opt Options) (*tree.Unit, error) {
	text, err := regular.Read(path, maxFile+1)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	if len(text) > maxFile {
		return nil, tooLong(path)
	}
	std, err := parseStd(opt.Std)
	if err != nil {
		return nil, err
	}
	u, _, err := check.Parse(check.Options{Path: path, Source: text, Include: opt.Include, Defines: opt.Defines, Std: std, Undefined: opt.Undefined})
	return u, err
}

// Source loads a file from its text. What it includes is read from the disk.
func Source(path string, text []byte, opt Options) (*ir.Program, error) {
	return load(path, text, opt, nil)
}

// Sources loads a file again from the texts that a program was loaded from, its Program.Sources:
// the first is the file, the others are what it includes.
func Sources(texts []ir.Source, opt Options) (*ir.Program, error) {
	byName := map[string]string{}
	for _, t := range texts {
		byName[t.Name] = t.Text
	}
	read := func(name string) ([]byte, error) {
		text, ok := byName[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	return load(texts[0].Name, []byte(texts[0].Text), opt, read)
}

// planned is a kernel file that has been read, with what the host does.
type planned struct {
	*launcher
	plan     *code.Plan
	sim      *simFile // nil if there is none
	parsed   check.Options
	warnings diag.Diagnostics
}

// planOf reads a kernel file, and what the host does with it.
func planOf(path string, text []byte, opt Options, read func(string) ([]byte, error)) (*planned, error) {
	var sim *simFile
	kernels, source := path, text
	if filepath.Ext(path) == SimExt {
		var err error
		if sim, err = parseSim(path, text); err != nil {
			return nil, err
		}
		if !filepath.IsLocal(sim.program) {
			return nil, fmt.Errorf("%s: the kernel file %s: name a file in the simulator file's folder, or below it", path, sim.program)
		}
		kernels = filepath.Join(filepath.Dir(path), sim.program)
		if source, err = readKernel(kernels, read); err != nil {
			return nil, err
		}
	}
	if n := max(len(text), len(source)); n > maxFile { // more was not read
		return nil, tooLong(kernels)
	}
	std, err := parseStd(opt.Std)
	if err != nil {
		return nil, err
	}
	defines, include := opt.headed(kernels, source)
	parsed := check.Options{Path: kernels, Source: source, Include: include, Defines: defines, Std: std, Undefined: opt.Undefined, Annotations: opt.GPUVerify, Read: read}
	u, warnings, err := check.Parse(parsed)
	if err != nil {
		return nil, err
	}
	l := &launcher{unit: u, opt: opt, path: kernels, buffers: map[string]*code.Buffer{}}
	plan := opt.plan(path)
	plan.Launches = l.launches(sim)
	if len(l.found) > 0 {
		l.found.Sort()
		return nil, l.found
	}
	return &planned{l, plan, sim, parsed, warnings}, nil
}

// load runs the stages: each needs the one before to have found no fault.
func load(path string, text []byte, opt Options, read func(string) ([]byte, error)) (*ir.Program, error) {
	l, err := planOf(path, text, opt, read)
	if err != nil {
		return nil, err
	}
	p, _, err := build(l.unit, l.plan, l.made)
	if err != nil {
		return nil, err
	}
	p.Unchecked = l.unchecked
	for _, f := range l.unit.Undefined {
		p.Assumed = append(p.Assumed, undefined(f))
	}
	p.Notes = append(p.Notes, l.notes...)
	for _, w := range l.warnings {
		p.Notes = append(p.Notes, warning(w))
	}
	if len(l.zeros) > 0 {
		p.Notes = append(p.Notes, "Buffers that were not given hold zeros: "+strings.Join(l.zeros, ", ")+". To give others, use --arg or the //clmc:launch line.")
	}
	if l.sim != nil {
		p.Sources = append([]ir.Source{{Name: path, Text: string(text)}}, p.Sources...)
		for i := range p.Positions {
			if p.Positions[i].Line > 0 {
				p.Positions[i].File++
			}
		}
	}
	return p, nil
}

// plan returns the plan for a file, without launches.
func (o *Options) plan(path string) *code.Plan {
	return &code.Plan{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), LegacyScope: o.legacyScope(), KeepValues: o.KeepValues, Unwritten: o.Unwritten,
		AnyWidth: cmp.Or(o.AnyWidth, DefaultAnyWidth), Classes: o.Classes, Names: o.Names}
}

// headed returns the macros and the folders of the options, and with GPUVerify those of the header of the file.
func (o *Options) headed(path string, source []byte) (defines, include []string) {
	if !o.GPUVerify {
		return o.Defines, o.Include
	}
	h := readHeader(string(source))
	include = slices.Clone(o.Include)
	for _, dir := range h.include {
		include = append(include, filepath.Join(filepath.Dir(path), filepath.FromSlash(dir)))
	}
	return slices.Concat(h.headerDefines(o.Defines), o.Defines), include
}

// warning words a warning in a line, for the notes of a report.
func warning(d diag.Diagnostic) string {
	d.Line, d.Message = "", "warning: "+d.Message
	return strings.ReplaceAll(d.String(), "\n", ". ")
}

// build lowers and links; a panic there is a bug of clmc, and told as one.
func build(u *tree.Unit, plan *code.Plan, made []*code.Buffer) (p *ir.Program, needs *code.Needs, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, internal(u.Files[0].Name, r)
		}
	}()
	p, needs, found := code.Build(u, plan)
	if found != nil {
		return nil, nil, found
	}
	p.TakeWritten()
	p.Link()
	if err := p.Verify(); err != nil {
		return nil, nil, internal(u.Files[0].Name, err)
	}
	p.Data, p.HasData = dataOf(p, needs, made), true
	p.Late = lateOf(needs, made)
	if note := ValuesNote(p); note != "" {
		p.Notes = append(p.Notes, note)
	}
	return p, needs, nil
}

func internal(name string, cause any) error {
	return diag.Diagnostics{{Pos: token.Position{Filename: name}, Message: fmt.Sprintf("internal error: %v", cause),
		Hint: "this is a bug of clmc: please report it together with the file"}}
}

func readKernel(path string, read func(string) ([]byte, error)) ([]byte, error) {
	if read != nil {
		return read(path)
	}
	text, err := regular.Read(path, maxFile+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such kernel file", path)
	}
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	return text, nil
}

// legacyScope is the scope of the atomic functions of OpenCL 1.x.
func (o *Options) legacyScope() memmodel.Scope {
	if o.LegacyWorkGroup {
		return memmodel.ScopeWorkGroup
	}
	return memmodel.ScopeDevice
}

var standards = map[string]tree.Std{"": tree.CL30, "CL1.0": tree.CL10, "CL1.1": tree.CL11, "CL1.2": tree.CL12, "CL2.0": tree.CL20, "CL3.0": tree.CL30}

func parseStd(s string) (tree.Std, error) {
	std, ok := standards[s]
	if !ok {
		names := slices.Sorted(maps.Keys(standards))
		return 0, fmt.Errorf("--cl-std %s: want one of %s", s, strings.Join(names[1:], ", "))
	}
	return std, nil
}

// undefined says what a function is taken to do that has no definition.
func undefined(f *tree.Func) string {
	what := "returns 0 or 1, and neither reads nor writes memory"
	if f.Result.Kind == tree.Void {
		what = "does nothing"
	}
	return fmt.Sprintf("%s, which is not defined, %s (--undefined any)", f.Name, what)
}
