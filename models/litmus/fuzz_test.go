package litmus_test

import (
	"errors"
	"regexp"
	"slices"
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
	f.Fuzz(func(t *testing.T, text []byte) { parseAnything(t, string(text)) })
}

// FuzzEdits does the same with tests that are correct but for a few tokens,
// which the fuzzer deletes, repeats, swaps or replaces.
func FuzzEdits(f *testing.F) {
	var sources [][]string
	for i, c := range loadCorpus(f) {
		if i%50 == 0 {
			sources = append(sources, tokens.FindAllString(c.Source, -1))
		}
	}
	for _, c := range features {
		sources = append(sources, tokens.FindAllString(c.text, -1))
	}
	f.Add(uint16(0), []byte("abcdef"))
	f.Fuzz(func(t *testing.T, which uint16, edits []byte) {
		list := slices.Clone(sources[int(which)%len(sources)])
		for ; len(edits) >= 3 && len(list) > 1; edits = edits[3:] {
			i := (int(edits[0])<<8 | int(edits[1])) % (len(list) - 1)
			switch k := int(edits[2]); k % 4 {
			case 0:
				list = slices.Delete(list, i, i+1)
			case 1:
				list = slices.Insert(list, i, list[k%len(list)])
			case 2:
				list[i], list[i+1] = list[i+1], list[i]
			case 3:
				list[i] = vocabulary[k/4%len(vocabulary)]
			}
		}
		parseAnything(t, strings.Join(list, ""))
	})
}

var (
	tokens     = regexp.MustCompile(`\w+|\s+|[^\w\s]`)
	vocabulary = strings.Fields("( ) { } [ ] ; : , = == != <= ~ ! - + * / % & | ^ && || /\\ \\/ @ \" (* *) // /* */ " +
		"x y 0:r0 P0 P1 r0 0 1 -1 0x7fffffff if else while int exists forall not filter locations scopeTree device kernel " +
		"work_group sub_group memory_order_seq_cst memory_scope_device 0 CLK_LOCAL_MEM_FENCE barrier atomic_load atomic_exchange_explicit")
)

// parseAnything parses a text that need not be a test.
func parseAnything(t *testing.T, text string) {
	test, err := litmus.Parse("fuzz", []byte(text))
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
	case e.Line < 1 || e.Col < 1 || e.Line > strings.Count(text, "\n")+1:
		t.Fatalf("position %d:%d", e.Line, e.Col)
	case e.Error() == "":
		t.Fatal("empty message")
	}
}
