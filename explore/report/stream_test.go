package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
)

// TestStream checks that documents are, byte by byte, what package json makes of them.
func TestStream(t *testing.T) {
	type inner struct {
		A int `json:"a"`
		trace.Pos
	}
	type large struct {
		None    []int `json:"none"`
		Few     []int `json:",omitempty"`
		Matrix  [][]int
		Bytes   []byte
		Many    []inner            `json:"many,omitempty"`
		Ptr     *inner             `json:"ptr,omitempty"`
		Nil     *large             `json:"nil"`
		Map     map[string]int64   `json:"map,omitempty"`
		Any     any                `json:"any"`
		Left    string             `json:"-"`
		Text    string             `json:"text,omitempty"`
		When    time.Time          `json:"when"`
		Number  json.Number        `json:"number"`
		Numbers []json.Number      `json:"numbers"`
		Struct  struct{ X, Y int } `json:"struct,omitempty"`
		Float   float64            `json:"float,omitempty"`
		Yes     bool               `json:"yes,omitempty"`
		hidden  int
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var values []any
	for range 50 {
		v := large{Left: "left", Text: []string{"", "<a>&\"\u2028\x1b é"}[rng.IntN(2)], Number: "7", Float: float64(rng.IntN(3)), Yes: rng.IntN(2) == 0, hidden: 1}
		for range rng.IntN(3) {
			v.Few = append(v.Few, rng.IntN(9))
			v.Matrix = append(v.Matrix, v.Few, nil, []int{})
			v.Many = append(v.Many, inner{rng.IntN(5), trace.Pos{File: "f<", Line: rng.IntN(2)}})
			v.Numbers = append(v.Numbers, "3")
			v.Bytes, v.Map = []byte("bytes"), map[string]int64{"b": 2, "a": 1}
			v.Ptr, v.Any = &v.Many[0], []any{v.Few, nil, map[string]any{}, v.Many}
		}
		values = append(values, v, &v, []large{v}, []*large{&v, nil})
	}
	values = append(values, nil, 3, "x", []int{}, map[string]int{}, struct{}{}, large{})
	for _, name := range models {
		values = append(values, reported(t, name, loaded(t, name), explore.Options{All: true}).Document())
	}
	for _, v := range values {
		for _, page := range []bool{false, true} {
			var want bytes.Buffer
			e := json.NewEncoder(&want)
			write := WriteData
			if e.SetEscapeHTML(page); !page {
				e.SetIndent("", "  ")
				write = WriteJSON
			}
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
			if got := written(t, func(w io.Writer) error { return write(w, v) }); got != want.String() {
				t.Fatalf("got\n%s\nwant\n%s", got, want.String())
			}
		}
	}
	var list []inner
	for i := range longList + 1 {
		list = append(list, inner{i, trace.Pos{Line: i}})
	}
	var compact, want bytes.Buffer
	long := written(t, func(w io.Writer) error { return WriteJSON(w, list) })
	if err := json.Compact(&compact, []byte(long)); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&want).Encode(list); err != nil {
		t.Fatal(err)
	}
	if compact.String()+"\n" != want.String() || bytes.Count([]byte(long), []byte("\n")) != len(list)+2 {
		t.Errorf("a long list is\n%.1000s", long)
	}
	if err := WriteJSON(io.Discard, []any{1, func() {}}); err == nil {
		t.Error("no error for what JSON has not")
	}
}
