package load

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/prove"
)

const anyText = `package main

import ocl "github.com/clmc/clmc/models/cl"

var (
	in = ocl.Any[[3]int8]()
	n  = (ocl.Any[float32]())
	b  = ocl.Any[bool]()
	m  [3]int8
)

func k() { m = in }

func main() {
	ocl.EnqueueNDRangeKernel(k, ocl.NDRange1D(1, 1))
	ocl.Assert(n < 1 || b || in[0] == 1, "x")
}
`

// TestGiven gives variables that are any values, right ones and wrong ones.
func TestGiven(t *testing.T) {
	p, err := Source("m.go", []byte(anyText), Options{Classes: prove.Classes})
	if err != nil || p.Late == nil || len(p.Late.Inputs) != 3 || p.Late.Inputs[0].Elem != "int8" || p.Late.Inputs[0].Len != 3 || p.Late.Inputs[1].Elem != "" || len(p.Data) != 3 {
		t.Fatal(p, err)
	}
	rest := []string{"n=1.5", "b=1"}
	for given, want := range map[string][]int64{"in=int8[3]{1,-2,3}": {1, -2, 3}, "in=int8[3]{7}": {7, 0, 0}, "in=int8[3]{5,6}": {5, 6, 0}, "in=int8[3]{ 0x10, 2 ,3}": {16, 2, 3}, "in=int8[3]{4|9}": {4, 4, 4}} {
		p, err := Source("m.go", []byte(anyText), Options{Given: append(rest, given)})
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if o := p.Objects[0]; p.Late != nil || len(p.Data) != 3 || !p.Data[0].Decides || o.Init[0] != want[0] || o.Init[1] != want[1] || o.Init[2] != want[2] {
			t.Errorf("%s: %v, %+v", given, o.Init, p.Data)
		}
	}
	for given, want := range map[string]string{
		"in=int8[2]{1,2}": "no content of in", "in=int16[3]{1}": "no content of in", "in=1": "no content of in", "in=int8[3]{1,2,3,4}": "holds 3 values, and these are 4",
		"in=int8[3]{200}": `"200" is no int8`, "in=int8[3]{1,x}": `"x" is no int8`, "in=int8[3]{}": `"" is no int8`, "n=": `"" is no float32`, "k=3": "no variable k is any", "m=int8[3]{1}": "no variable m is any", "b=2": `"2" is no bool`, "n=1,2": "these are 2",
	} {
		if _, err := Source("m.go", []byte(anyText), Options{Classes: prove.Classes, Given: []string{given}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}

// TestAnyAsked asks what the executions with choices would answer wrongly: of two reads of one cell each is chosen by itself. With values given it is answered.
func TestAnyAsked(t *testing.T) {
	text := strings.Replace(anyText, "func k() {", "func k() {\n\tocl.Observe(\"a\", in[0])\n\tif in[0] > 3 && in[0] < 2 {\n\t\tocl.Reachable(\"both\")\n\t}\n", 1)
	_, err := Source("m.go", []byte(text), Options{Classes: prove.Classes})
	for _, want := range []string{"m.go:13:2: what cl.Observe tells hangs on the data, and in is any", "m.go:15:3: whether cl.Reachable is reached hangs on the data, and in is any"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if p, err := Source("m.go", []byte(text), Options{Classes: prove.Classes, Given: []string{"in=int8[3]{1}", "n=1", "b=0"}}); err != nil || p.Late != nil {
		t.Error(err)
	}
}
