package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// record is what a store says of the search in it, all that clmc resume needs.
type record struct {
	Format      int
	Version     string // of clmc
	Fingerprint string // the function
	Model       string // as it was named on the command line
	Name        string // of the program
	Litmus      bool
	Sources     []ir.Source
	Defines     map[string]string
	Program     string // digest of what the sources were translated to
	Spec        string
	POR         string
	Promises    string
	NoCache     bool
	Symmetry    bool
	All, Exact  bool
	Launch      []string // flags about a kernel file
	// LegacyWorkGroup: atomic functions of OpenCL 1.x have work-group scope.
	LegacyWorkGroup bool
	Known           []string // what a list of checks says is known beside the model's files
}

const (
	recordFormat = 1
	recordBlob   = 'r' // its kind in the store
	fingerprints = "xxh3-128"
)

// newRecord describes the search of a model with these flags.
func newRecord(m *model.Model, x *exploreFlags) *record {
	return &record{
		Format: recordFormat, Version: version(), Fingerprint: fingerprints,
		Model: m.Name, Name: m.Program.Name, Litmus: m.Test != nil, Sources: m.Program.Sources,
		Defines: x.defines, Program: report.Digest(m.Program),
		Spec: x.spec.Name, POR: x.por.Mode.String(), Promises: x.promises.String(), NoCache: x.noCache,
		Symmetry: x.symmetry, All: x.all, Exact: x.exact, LegacyWorkGroup: bool(x.legacy), Launch: x.kernel.options.Flags(), Known: x.known,
	}
}

// blob encodes the record.
func (r *record) blob() (store.Blob, error) {
	data, err := disk.Encode(r)
	return store.Blob{Kind: recordBlob, Data: data}, err
}

// readRecord reads the record of a store and checks that this clmc can go on
// with its search.
func readRecord(d *disk.Store) (*record, error) {
	data, err := d.Blob(recordBlob, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Dir(), err)
	}
	r := &record{}
	if err := d.Decode(data, r); err != nil {
		return nil, fmt.Errorf("%s: the description of the search cannot be read: %w", d.Dir(), err)
	}
	switch {
	case r.Format != recordFormat:
		return nil, fmt.Errorf("%s: %w: its description has format %d; this clmc reads format %d", d.Dir(), store.ErrFormat, r.Format, recordFormat)
	case r.Fingerprint != fingerprints:
		return nil, fmt.Errorf("%s: %w: its fingerprints are %s; those of this clmc are %s", d.Dir(), store.ErrFormat, r.Fingerprint, fingerprints)
	case r.Version != version():
		return nil, store.Classed(store.ErrFormat, fmt.Errorf("%s: clmc %s wrote the store, and this is clmc %s\nThe two may explore different states", d.Dir(), r.Version, version()))
	}
	return r, nil
}

// errTranslated tells that a model is not what it was when the search of it began.
var errTranslated = errors.New("this clmc translates the model differently from the clmc that began the search")

// load loads the model from the record's texts.
func (r *record) load() (*model.Model, error) {
	kernels, err := kernelOptions(r.Launch)
	if err != nil {
		return nil, err
	}
	m, err := model.Again(r.Model, r.Name, r.Sources, r.Litmus, model.Options{Defines: r.Defines, LegacyWorkGroup: r.LegacyWorkGroup, Kernels: kernels})
	if err != nil {
		return nil, err
	}
	if report.Digest(m.Program) != r.Program {
		return nil, fmt.Errorf("%s: %w", r.Model, errTranslated)
	}
	for _, text := range r.Known {
		k, err := report.ParseKnown(text)
		if err != nil {
			return nil, err
		}
		m.Known = append(m.Known, k)
	}
	return m, nil
}

// flags restores the flags that make a difference to the search.
func (r *record) flags(x *exploreFlags) error {
	x.defines, x.noCache, x.symmetry, x.all, x.exact = r.Defines, r.NoCache, r.Symmetry, r.All, r.Exact
	x.legacy, x.known = legacyValue(r.LegacyWorkGroup), r.Known
	var err error
	if x.kernel.options, err = kernelOptions(r.Launch); err != nil {
		return err
	}
	if err := x.spec.Set(r.Spec); err != nil {
		return err
	}
	if err := x.por.Set(r.POR); err != nil {
		return err
	}
	return x.promises.Set(r.Promises)
}

// differences lists in words what a search would do otherwise than the stored
// one.
func (r *record) differences(now *record) []string {
	var all []string
	differ := func(what string, then, now any) {
		if then != now {
			all = append(all, fmt.Sprintf("%s is %v, and was %v", what, now, then))
		}
	}
	differ("--spec", r.Spec, now.Spec)
	differ("--por", r.POR, now.POR)
	differ("--promises", r.Promises, now.Promises)
	differ("--no-cache", r.NoCache, now.NoCache)
	differ("--symmetry", r.Symmetry, now.Symmetry)
	differ("--all", r.All, now.All)
	then, is := legacyValue(r.LegacyWorkGroup), legacyValue(now.LegacyWorkGroup)
	differ("--legacy-atomics", then.String(), is.String())
	differ("--exact", r.Exact, now.Exact)
	differ("the launch", strings.Join(r.Launch, " "), strings.Join(now.Launch, " "))
	names := slices.Sorted(maps.Keys(r.Defines))
	for name := range now.Defines {
		if _, both := r.Defines[name]; !both {
			names = append(names, name)
		}
	}
	for _, name := range names {
		differ("-D "+name, given(r.Defines, name), given(now.Defines, name))
	}
	if !slices.Equal(r.Sources, now.Sources) {
		all = append(all, r.modelDifference(now))
	}
	if len(all) == 0 && r.Program != now.Program {
		all = append(all, "this clmc translates the model differently")
	}
	return all
}

func given(d map[string]string, name string) string {
	if v, ok := d[name]; ok {
		return v
	}
	return "not given"
}

// modelDifference says how the model differs.
func (r *record) modelDifference(now *record) string {
	for i := range min(len(r.Sources), len(now.Sources)) {
		switch was, is := &r.Sources[i], &now.Sources[i]; {
		case was.Name != is.Name:
			return fmt.Sprintf("the model is %s, and was %s", is.Name, was.Name)
		case was.Text != is.Text:
			return fmt.Sprintf("the text of %s has changed", is.Name)
		}
	}
	return fmt.Sprintf("the model has %d files, and had %d", len(now.Sources), len(r.Sources))
}
