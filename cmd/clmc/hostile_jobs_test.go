package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

// pasture is a hub, and a job there that others are made like.
type pasture struct {
	url      string
	c        *cluster.Cluster
	template []byte
}

// newPasture starts the hub.
func newPasture(t *testing.T) *pasture {
	h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	c, err := cluster.Dial(cluster.Server{URL: h.URL, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if o := run(t, "explore", "-q", "--cluster", h.URL, "@mp_relaxed"); o.code != 1 {
		t.Fatal(o.stdout, o.stderr)
	}
	jobs, _, err := c.Jobs(t.Context())
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	text, err := c.Description(t.Context(), jobs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(t.Context(), jobs[0].ID); err != nil {
		t.Fatal(err)
	}
	return &pasture{h.URL, c, text}
}

var (
	sourcesOfJob = regexp.MustCompile(`"Sources":\[.*\],"Defines"`)
	namesOfJob   = regexp.MustCompile(`"(Model|Version)":"[^"]*"`)
)

// submit submits a job with a description that no clmc has seen, and returns what removes it; an error where the hub does not take it.
func (at *pasture) submit(t *testing.T, name string, description []byte) (remove func(), err error) {
	sum := sha256.Sum256(namesOfJob.ReplaceAll(description, []byte(`"$1":""`)))
	id := hex.EncodeToString(sum[:16])
	if _, err := at.c.Submit(t.Context(), id, name, description, 0); err != nil {
		return nil, err
	}
	return func() {
		if err := at.c.Remove(t.Context(), id); err != nil {
			t.Error(err)
		}
	}, nil
}

// about is a description of a job about a model with a text.
func (at *pasture) about(name, model string) []byte {
	text, err := json.Marshal(model)
	if err != nil {
		panic(err)
	}
	to := fmt.Sprintf(`"Sources":[{"Name":%q,"Text":%s}],"Defines"`, name, text)
	return sourcesOfJob.ReplaceAllLiteral(at.template, []byte(to))
}

// description is one of a job, with words or bytes changed, or about a text that a grammar has made.
func (at *pasture) description(r *rand.Rand) string {
	text := string(at.template)
	switch r.IntN(4) {
	case 0:
		return bytesOf(r, text)
	case 1:
		return splice(r, [][]string{split(text)})
	case 2:
		return string(at.about("model.go", newGrammar(r).model()))
	}
	return strings.Replace(string(at.about("kernel.cl", newGrammar(r).kernelFile())), `"Kernels":{`, `"Kernels":{"Kernel":"k",`, r.IntN(2))
}
