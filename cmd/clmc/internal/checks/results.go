package checks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// Results remembers what finished searches found, in a folder with one file for
// each. A file that is damaged or foreign is never believed.
type Results struct {
	dir       string
	untouched bool // of some file it could not be noted that it is in use
}

// Prunable reports whether it is known which results are in use.
func (r *Results) Prunable() bool { return !r.untouched }

// resultsSchema names the format of the files.
const resultsSchema = "clmc.remembered/1"

// The names of the files: of results, and of those that are being written.
const (
	resultSuffix = ".json"
	temporary    = "new-"
)

// maxResult bounds what is read of a file in bytes: one that is larger is cut
// short, and so it is not believed.
const maxResult = 1 << 30

// remembered is a file's contents.
type remembered struct {
	Schema string          `json:"schema"`
	Key    string          `json:"key"`
	Digest string          `json:"digest"` // of the result, byte for byte
	Result json.RawMessage `json:"result"`
}

// OpenResults opens the results in a store's folder, which need not exist.
func OpenResults(store string) (*Results, error) {
	dir := filepath.Join(store, resultsName)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &Results{dir: dir}, nil
}

// Load returns the result that is remembered under a key, nil if there is none,
// and notes that it is in use. An error means that the file is of no use.
func (r *Results) Load(key string) (*report.Document, error) {
	data, err := regular.Read(r.path(key), maxResult)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := decode(key, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.path(key), err)
	}
	now := time.Now()
	if err := os.Chtimes(r.path(key), now, now); err != nil {
		r.untouched = true
	}
	return doc, nil
}

func decode(key string, data []byte) (*report.Document, error) {
	var f remembered
	if err := strictly(data, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Schema != resultsSchema:
		return nil, fmt.Errorf("its schema is %q, want %q", f.Schema, resultsSchema)
	case f.Key != key:
		return nil, errors.New("it belongs to another check")
	case f.Digest != digest(f.Result):
		return nil, errors.New("its digest is wrong")
	}
	doc := &report.Document{}
	if err := strictly(f.Result, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// strictly decodes one JSON value and nothing after it.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after its end")
	}
	return nil
}

// Save remembers a result. The file appears whole or not at all.
func (r *Results) Save(key string, doc *report.Document) error {
	result, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	data, err := json.Marshal(remembered{resultsSchema, key, digest(result), result})
	if err != nil {
		return err
	}
	f, err := regular.Create(r.dir, temporary)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it has been renamed
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), r.path(key))
}

func (r *Results) path(key string) string { return filepath.Join(r.dir, key+resultSuffix) }

// Key identifies all that a search's result depends on: this very build of
// clmc, the text of the model, and the options. Bounds on time and states are
// left out, since what a finished search found does not depend on them.
func Key(p *ir.Program, o *Options) (string, error) {
	build, err := BuildID()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(keyed{
		Format: resultsSchema, Build: build, Program: p.String(), Sources: p.Sources, Defines: o.Defines,
		Spec: o.Explore.Spec.Name, POR: o.Explore.POR.String(), All: o.Explore.All, Beyond: o.Explore.Beyond, Aside: o.Explore.Aside, Exact: o.Explore.Exact, Promises: o.Explore.Promises,
		LegacyWorkGroup: o.LegacyWorkGroup, Kernels: o.Kernels, Known: o.Known, Without: o.Explore.Without, Liveness: o.Explore.Liveness,
	})
	return digest(text), err
}

// keyed is what goes into a key. A test knows the options that do not.
type keyed struct {
	Format, Build, Program    string
	Sources                   []ir.Source
	Defines                   map[string]string
	Spec, POR                 string
	All, Beyond, Aside, Exact bool
	Promises                  int
	LegacyWorkGroup           bool
	Kernels                   clc.Options
	Known                     []string          `json:",omitempty"`
	Without                   explore.Analyses  `json:",omitempty"`
	Liveness                  *explore.Liveness `json:",omitempty"`
}

// BuildID is a digest of the running executable. Version numbers do not tell
// builds of a working copy apart.
var BuildID = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
})

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
