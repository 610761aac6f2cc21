package foreign

import (
	"slices"
	"testing"
)

// What has been found in reports once, and what looks like it and is the user's.
func TestIn(t *testing.T) {
	w := Of(false, "kernel void k(global int *a, write_only pipe int p) { // p.state is not a name of the program\n a[0] = 0x10; func(); s.key = 1; }")
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Data race on a[0] (global memory): work-item k(0) writes it", nil},
		{"another value of p.state, whose last value is 140737488355331", []string{"p.state", "140737488355331"}},
		{"n.byte8 = 0", []string{"n.byte8"}},
		{"exchange p.packets[0]", []string{"p.packets[0]"}},
		{"memmodel.Loc 3", []string{"memmodel.Loc"}},
		{"the value %!d(string=x)", []string{"%!"}},
		{"unit 3 waits", []string{"unit 3"}},
		{"a pointer 0x200000003, and 0x10", []string{"0x200000003"}},
		{"(rule )", []string{"(rule )"}},
		{"atomic_store_explicit(&a[0], 1, memory_order_relaxed, memory_scope_device)", nil},
		{"s.key of func2(0)", nil},
		{"s.other of func7(0)", []string{"s.other", "func7"}},
	} {
		if got := w.Know("s").In(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := Of(true, "").In("left 140737488355331"); got != nil {
		t.Errorf("a program with wide numbers: %q", got)
	}
}

// Of documents only what is for people counts, and of pages not the sources, nor the page's own code.
func TestDocuments(t *testing.T) {
	w := Of(false, "kernel void k() {}")
	got, err := w.InJSON([]byte(`{"message": "p.state", "schema": "a.b", "steps": [{"read": 140737488355331, "lane": 140737488355331}], "files": [{"text": "x.y"}]}`))
	slices.Sort(got)
	if want := []string{"message: p.state", "read: 140737488355331"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("JSON: %q %v, want %q", got, err, want)
	}
	got, err = w.InHTML(`<style>a.b{}</style><p>q.r</p><script id="data" type="application/json">{"strings": ["n.byte0"]}</script><script>f.g()</script>`)
	if want := []string{"strings: n.byte0", "q.r"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("page: %q %v, want %q", got, err, want)
	}
}
