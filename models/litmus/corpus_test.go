package litmus_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/internal/corpus"
)

func loadCorpus(t testing.TB) []*corpus.Test {
	tests, err := corpus.Load(os.DirFS("testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// parse parses the text of a test that must be correct.
func parse(t testing.TB, name, text string) *litmus.Test {
	t.Helper()
	test, err := litmus.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := sane(test.Program); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return test
}

func TestCorpusParses(t *testing.T) {
	tests := loadCorpus(t)
	if len(tests) != 2913 {
		t.Errorf("the corpus has %d tests", len(tests))
	}
	for _, c := range tests {
		test := parse(t, c.ID, c.Source)
		vars := slices.Sorted(maps.Keys(observed(test.Program)))
		if want := slices.Sorted(slices.Values(c.Vars)); len(want) > 0 && !slices.Equal(vars, want) {
			t.Errorf("%s: variables %v, want %v", test.Name, vars, want)
		}
		if got := slices.Sorted(slices.Values(test.Vars)); !slices.Equal(got, vars) {
			t.Errorf("%s: Vars %v, but the program reports %v", test.Name, got, vars)
		}
	}
}

// The format round-trips, so that a corpus can be regenerated and compared.
func TestCorpusFormat(t *testing.T) {
	text := ""
	family := ""
	check := func() {
		if family == "" {
			return
		}
		want, err := os.ReadFile("testdata/corpus/" + family + ".txt")
		if err != nil || string(want) != text {
			t.Errorf("%s changes when it is written again (%v)", family, err)
		}
	}
	for _, c := range loadCorpus(t) {
		if c.Family != family {
			check()
			family, text = c.Family, ""
		}
		text += corpus.Format(c)
	}
	check()
}

func BenchmarkParseCorpus(b *testing.B) {
	tests := loadCorpus(b)
	bytes := 0
	for _, c := range tests {
		bytes += len(c.Source)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range tests {
			if _, err := litmus.Parse(c.ID, []byte(c.Source)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
