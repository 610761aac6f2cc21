package litmus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/litmus"
)

// FuzzParse checks that any text either parses into a sane program or is
// rejected with a position inside it.
func FuzzParse(f *testing.F) {
	for i, c := range loadCorpus(f) {
		if i%100 == 0 {
			f.Add([]byte(c.Source))
		}
	}
	for _, c := range features {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("OpenCL x\n{}\nP0 (){}\nlocations []"))
	f.Fuzz(func(t *testing.T, text []byte) {
		test, err := litmus.Parse("fuzz", text)
		var e *litmus.Error
		switch {
		case err == nil:
			if err := sane(test.Program); err != nil {
				t.Fatal(err)
			}
			_ = test.Cond.String()
			test.Judge([]map[string]int64{{}})
		case !errors.As(err, &e):
			t.Fatalf("not an *Error: %v", err)
		case e.Line < 1 || e.Col < 1 || e.Line > strings.Count(string(text), "\n")+1:
			t.Fatalf("position %d:%d", e.Line, e.Col)
		case e.Error() == "":
			t.Fatal("empty message")
		}
	})
}
