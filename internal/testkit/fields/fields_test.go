package fields

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A field is named where it is selected, through whatever else, or set in a literal; what
// the package imports need not be there.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	code := `package p

import "example.org/elsewhere"

type inner struct{ deep int }

type other struct{ a int }

type thing struct {
	a, b, c int
	inner
	x elsewhere.X
}

func (t *thing) one(o *other) { t.a++; elsewhere.Use(t.deep, t.x.Some()) }
func two() thing { return thing{b: 1} }
func three(o *other) int { return o.a }
`
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := p.fieldsOf("thing"); !slices.Equal(all, []string{"a", "b", "c", "inner", "x"}) {
		t.Errorf("fields %v", all)
	}
	for _, c := range []struct {
		funcs, want []string
	}{
		{[]string{"thing.one"}, []string{"a", "x"}},
		{[]string{"two"}, []string{"b"}},
		{[]string{"three"}, nil},
		{[]string{"thing.one", "two"}, []string{"a", "b", "x"}},
	} {
		if got, err := p.named("thing", c.funcs); err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), c.want) {
			t.Errorf("%v name %v, %v; want %v", c.funcs, got, err, c.want)
		}
	}
	if _, err := p.named("thing", []string{"one"}); err == nil {
		t.Error("a function that does not exist names fields")
	}
	if _, err := p.fieldsOf("nothing"); err == nil {
		t.Error("a type that does not exist has fields")
	}
}
