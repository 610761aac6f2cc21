package model

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/state/ir"
)

// TestStray says which lines are refused because nobody would read them, and which are not for clmc at all.
func TestStray(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{"k.cl", "//clmc:assert a[0] == 1", ""},
		{"k.cl", "\t//clmc:assert a[0] == 1", ""},
		{"k.cl", "\ufeff//clmc:launch k global=1", ""},
		{"k.cl", "a[0] = 1; //clmc:assert a[0] == 1", "k.cl:1:11: //clmc:assert is not read behind other text"},
		{"k.cl", "} /* end */ //clmc:known CL1001 k.cl:3 why", "k.cl:1:13: //clmc:known is not read"},
		{"k.cl", "// clmc:assert a[0] == 1", "k.cl:1:1: a comment is no line for clmc: write //clmc:assert, without a blank"},
		{"k.cl", "//  clmc:launch k", "write //clmc:launch"},
		{"k.cl", "// clmc: a model checker", ""},
		{"k.cl", "//clmc:asert a[0] == 1", "does not know the line //clmc:asert here"},
		{"k.cl", "x = 1; //clmc:unreachabel", "k.cl:1:8: clmc does not know the line //clmc:unreachabel"},
		{"k.cl", "x = 1; //clmc:unreachable", ""},
		{"k.cl", "x = 1; //clmc:free order //clmc:weight 10", ""},
		{"k.cl", "// The line //clmc:assert says so.", ""},
		{"k.cl", "/* //clmc:assert says so.", ""},
		{"k.cl", ` * //clmc:assert says so.`, ""},
		{"k.cl", `printf("//clmc:assert");`, ""},
		{"m.go", "//clmc:expext verified", "does not know the line //clmc:expext"},
		{"m.go", "//clmc:assert x == 1", "does not know the line //clmc:assert here\nthe lines are: //clmc:expect, //clmc:outcomes, //clmc:known"},
		{"m.go", "x = 1 //clmc:expect verified", "is not read behind other text"},
		{"m.go", "// clmc:known CL1001 m.go:3 why", "write //clmc:known"},
		{"m.go", "x = `//clmc:expect`", ""},
		{"t.litmus", "(*//clmc:expect fails*)", ""},
		{"t.litmus", "(* //clmc:outcomes x=1 *)", ""},
		{"t.litmus", "(*//clmc:known CL1001 t.litmus:3 why*)", "does not know the line //clmc:known here"},
		{"t.litmus", "} (*//clmc:expect fails*)", "is not read behind other text"},
	} {
		err := stray([]ir.Source{{Name: c.file, Text: c.line + "\n"}})
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s: %q is not refused, want %q", c.file, c.line, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %q: %v, want %q", c.file, c.line, err, c.want)
		}
	}
}
