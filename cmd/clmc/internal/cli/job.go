package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
)

// job is what a job on a cluster is about: all that a worker needs.
type job struct {
	Format    int
	Semantics uint32 // explore.Semantics
	Build     string // of the clmc that searches
	Record    record
}

const jobFormat = 2

// newJob describes the search of a model with these flags.
func newJob(m *model.Model, x *exploreFlags) (*job, error) {
	b, err := build()
	return &job{jobFormat, explore.Semantics, b, *newRecord(m, x)}, err
}

// build tells apart what may search differently: what one build is done with, another one in which a fault has been mended must not
// skip. That is the version if it names a revision, and else the executable itself.
func build() (string, error) {
	if v := version(); v != unversioned && !strings.Contains(v, "+dirty") {
		return v, nil
	}
	return checks.BuildID()
}

// named is a version, with what tells its build apart where it does not.
func named(version, build string) string {
	if version == build {
		return version
	}
	return fmt.Sprintf("%s (build %.12s)", version, build)
}

// text is the job as it is sent.
func (j *job) text() ([]byte, error) { return json.Marshal(j) }

// id is the same for all who ask the same question, and for nobody else: whatever has a part in what a search finds goes
// into it. What the model was called on somebody's command line has none; the version that is shown to people is the build's.
func (j *job) id() (string, error) {
	same := *j
	same.Record.Model, same.Record.Version = "", ""
	text, err := json.Marshal(same)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), err
}

// errForeign tells that a job is for another version of clmc.
var errForeign = errors.New("this clmc cannot work on it")

// checkJob reports a description that is not that of the job with an id, as this clmc describes jobs: a hub takes no other, so that nobody
// takes the place of another's job.
func checkJob(id string, text []byte) error {
	j := &job{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(j); err != nil {
		return fmt.Errorf("the hub, of clmc %s, cannot read the job's description: %w\nRun the same clmc everywhere", version(), err)
	}
	real, err := j.id()
	switch {
	case err != nil:
		return err
	case j.Format != jobFormat || j.Record.Format != recordFormat:
		return fmt.Errorf("the job is of clmc %s, and the hub of clmc %s reads others: run the same clmc everywhere", j.Record.Version, version())
	case real != id:
		return errors.New("the job's description belongs to another job")
	}
	return nil
}

// readJob reads the job with an id, and what it sets the flags to. What comes over the network may be anything.
func readJob(id string, text []byte) (*job, *exploreFlags, *model.Model, error) {
	j := &job{}
	foreign := func(err error) (*job, *exploreFlags, *model.Model, error) {
		return nil, nil, nil, fmt.Errorf("job %s: %w: %w", id, errForeign, err)
	}
	if err := json.Unmarshal(text, j); err != nil {
		return foreign(err)
	}
	own, err := build()
	if err != nil {
		return foreign(err)
	}
	switch real, err := j.id(); {
	case j.Format != jobFormat:
		return foreign(fmt.Errorf("its description has format %d; this clmc reads format %d", j.Format, jobFormat))
	case j.Semantics != explore.Semantics || j.Record.Format != recordFormat || j.Record.Fingerprint != fingerprints, j.Build != own:
		return foreign(fmt.Errorf("clmc %s submitted it, which may explore different states from this clmc %s", named(j.Record.Version, j.Build), named(version(), own)))
	case err != nil:
		return foreign(err)
	case real != id:
		return foreign(errors.New("its description belongs to another job"))
	case len(j.Record.Sources) == 0:
		return foreign(errors.New("it has no model"))
	}
	x := &exploreFlags{searchFlags: searchFlags{progress: progressValue(), format: formatValue(), workers: 1}}
	if err := j.Record.flags(x); err != nil {
		return foreign(err)
	}
	opt := x.options()
	opt.Exact = x.exact
	if err := opt.Shareable(); err != nil {
		return foreign(err)
	}
	m, err := j.Record.load()
	if err != nil {
		return foreign(err)
	}
	return j, x, m, nil
}
