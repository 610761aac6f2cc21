package visible

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ in, text, line string }{
		{"plain", "plain", "plain"},
		{"a\tb\n", "a\tb\n", `a\u0009b\u000a`},
		{"\x1b[2J", `\u001b[2J`, `\u001b[2J`},
		{"\x7f\u009b31m", `\u007f\u009b31m`, `\u007f\u009b31m`},
		{"\u202e\u2066\u061c", `\u202e\u2066\u061c`, `\u202e\u2066\u061c`},
		{"\xff\x9b\xc3", `\xff\x9b\xc3`, `\xff\x9b\xc3`},
		{"\U000e0041", `\udb40\udc41`, `\udb40\udc41`},
		{"größer ≤ 漢字 🙂\u00a0.", "größer ≤ 漢字 🙂\u00a0.", "größer ≤ 漢字 🙂\u00a0."},
	} {
		if got := Text(test.in); got != test.text {
			t.Errorf("Text(%q) is %q, want %q", test.in, got, test.text)
		}
		if got := Line(test.in); got != test.line {
			t.Errorf("Line(%q) is %q, want %q", test.in, got, test.line)
		}
	}
}

// hostile returns random text of bytes and characters that terminals obey.
func hostile(rng *rand.Rand) string {
	var b []byte
	for range rng.IntN(40) {
		switch rng.IntN(4) {
		case 0:
			b = append(b, byte(rng.IntN(256)))
		case 1:
			b = utf8.AppendRune(b, rune(rng.IntN(0x3000)))
		case 2:
			b = utf8.AppendRune(b, rune(rng.IntN(unicode.MaxRune)))
		default:
			b = append(b, "x\n\t漢"[rng.IntN(6)])
		}
	}
	return string(b)
}

// TestWriter cuts random text into pieces: what comes out is that of the whole,
// has nothing in it that is not to be seen, and as JSON means the same.
func TestWriter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		s := hostile(rng)
		var b bytes.Buffer
		w := NewWriter(&b)
		for rest := s; rest != ""; {
			n := 1 + rng.IntN(len(rest))
			if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil || b.String() != Text(s) {
			t.Fatalf("%q in pieces is %q, want %q", s, b.String(), Text(s))
		}
		for _, r := range b.String() {
			if r != '\n' && r != '\t' && !unicode.IsGraphic(r) || r == utf8.RuneError && !utf8.ValidString(b.String()) {
				t.Fatalf("%q is shown as %q", s, b.String())
			}
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if json.Unmarshal(text, &before) != nil || json.Unmarshal([]byte(Text(string(text))), &after) != nil || before != after {
			t.Fatalf("%q means %q in JSON, and before %q", s, after, before)
		}
	}
}
