// Command importcorpus turns litmus tests with verdicts, one JSON object a
// line, into the files under testdata/corpus:
//
//	go run ./models/litmus/internal/importcorpus tests.jsonl models/litmus/testdata/corpus
//
// Each object has the fields id, family, litmus and verdict, which maps
// variants of the model to {vars, states, race, divergence}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/models/litmus/internal/corpus"
)

// record is one line of the input.
type record struct {
	ID      string
	Family  string
	Litmus  string
	Verdict map[string]struct {
		Vars             []string
		States           [][]int64
		Race, Divergence bool
	}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: importcorpus tests.jsonl directory")
	}
	families, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for family, tests := range families {
		slices.SortFunc(tests, func(a, b *corpus.Test) int { return strings.Compare(a.Source+a.ID, b.Source+b.ID) })
		var b strings.Builder
		for _, t := range tests {
			b.WriteString(corpus.Format(t))
		}
		if err := os.WriteFile(filepath.Join(os.Args[2], family+".txt"), []byte(b.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// read returns the tests of a file by family.
func read(name string) (map[string][]*corpus.Test, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	families := map[string][]*corpus.Test{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		t, err := convert(&r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.ID, err)
		}
		families[r.Family] = append(families[r.Family], t)
	}
	return families, lines.Err()
}

func convert(r *record) (*corpus.Test, error) {
	t := &corpus.Test{ID: r.ID, Family: r.Family, Source: r.Litmus, Verdicts: map[string]corpus.Verdict{}}
	t.Vars = r.Verdict[corpus.Base].Vars
	for variant, v := range r.Verdict {
		if !slices.Equal(v.Vars, t.Vars) {
			return nil, fmt.Errorf("%s has other variables than %s", variant, corpus.Base)
		}
		t.Verdicts[variant] = corpus.Verdict{Race: v.Race, Divergence: v.Divergence, Outcomes: v.States}
	}
	// The variants agree on tests without seq_cst operations, and so do their
	// restrictions to executions without cycles.
	if _, ok := t.Verdicts["scoped_porf"]; !ok {
		t.Verdicts["scoped_porf"] = t.Verdicts["simp_porf"]
	}
	return t, nil
}
