package golden

import (
	"testing"

	"golang.org/x/tools/txtar"
)

func TestPut(t *testing.T) {
	a := txtar.Parse([]byte("-- a --\n1\n-- a.out --\n2\n-- b --\n3\n-- c --\n4\n"))
	put(a, "a", txtar.File{Name: "a.out", Data: []byte("5\n")})
	put(a, "b", txtar.File{Name: "b.out", Data: []byte("6\n")})
	const want = "-- a --\n1\n-- a.out --\n5\n-- b --\n3\n-- b.out --\n6\n-- c --\n4\n"
	if got := string(txtar.Format(a)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ got, want, said string }{
		{"a\nb\nc\n", "a\nB\nc\n", "line 2: got\nb\nc\nwant\nB\nc\n"},
		{"a\n", "", "line 1: got\na\nwant\n(no newline)\n"},
		{"a\nb", "a\nb\n", "line 2: got\nb(no newline)\nwant\nb\n"},
	} {
		if said := difference(c.got, c.want); said != c.said {
			t.Errorf("%q and %q: %q", c.got, c.want, said)
		}
	}
}
