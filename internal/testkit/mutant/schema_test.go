package mutant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// schemaCase is what functions can look like: a schema of it does, with each mutant active, what the text with that
// one replaced does.
const schemaCase = `package main

import (
	"fmt"
	"sort"
)

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p *pair[K, V]) set(_ K, v V) (old V) { old, p.val = p.val, v; return old }

func (pair[K, V]) name() string { return "pair" }

type counter int

func (c *counter) add(n int)    { *c += counter(n) }
func (counter) unused(_ int, _ ...string) string { return "unused" }
func (counter) bare(int, ...string) (string) { return "bare" }

func sum(first int, rest ...int) (total int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	total = first
	for _, x := range rest {
		if x < 0 {
			panic("negative")
		}
		total += x
	}
	return total, nil
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func largest[T int | string](list []T, _ bool) T {
	best := list[0]
	for _, x := range list[1:] {
		if x > best {
			best = x
		}
	}
	return best
}

var early = fib(9)

var table = map[string]int{"a": 1}

func init() { table["b"] = 2 }
func init() { table["c"] = 3 }

func rescued() (what string) {
	defer rescue(&what)
	panic("p")
}

func rescue(what *string) {
	if r := recover(); r != nil {
		*what = "rescued"
	}
}

const limit = 5

var inner = func(x int) int { return x * 2 }

func sorted(list []string) []string {
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}

func main() {
	p := &pair[string, int]{"k", 1}
	fmt.Println(p.set("x", 5), p.val, p.name())
	var c counter
	c.add(2)
	f := c.add
	f(3)
	fmt.Println(c, c.unused(1, ""), c.bare(1))
	fmt.Println(sum(1, 2, 3))
	fmt.Println(sum(1, -2))
	fmt.Println(fib(10), early, largest([]int{1, 3, 2}, true), largest([]string{"a", "b"}, true))
	fmt.Println(table, rescued(), limit, inner(4), sorted([]string{"b", "a"}))
}
`

// Mutants of each sort of function, within a schema and outside.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	cases := []struct {
		old, new string
		alone    string // part of why, of those that are not in the schema
	}{
		{"old, p.val = p.val, v;", "old, p.val = v, v;", ""},
		{`{ return "pair" }`, `{ return "couple" }`, ""},
		{"*c += counter(n)", "*c -= counter(n)", ""},
		{`return "unused"`, `return "used"`, ""},
		{`return "bare"`, `return "naked"`, ""},
		{"err = fmt.Errorf(\"%v\", r)", "err = nil", ""},
		{"total = first\n", "", ""},
		{"total += x", "total -= x", ""},
		{"return fib(n-1) + fib(n-2)", "return fib(n-1) - fib(n-2)", ""},
		{"if n < 2 {", "if n < 1 {\n\t\treturn n\n\t}\n\tif n == 1 {\n\t\tn++\n", ""},
		{"x > best", "x < best", ""},
		{`table["b"] = 2`, `table["b"] = 4`, ""},
		{`table["c"] = 3`, `delete(table, "a")`, ""},
		{"list[i] < list[j]", "list[i] > list[j]", ""},
		{"\tdefer rescue(&what)\n\tpanic(\"p\")\n", "\tdefer rescue(&what)\n\treturn what\n", ""},
		{"		*what = \"rescued\"\n", "		*what = \"saved\"\n", "recover"},
		{"const limit = 5", "const limit = 6", "not within one function"},
		{"return x * 2", "return x * 3", "not within one function"},
		{`{"a": 1}`, `{"a": 7}`, "not within one function"},
		{"	best := list[0]\n", "	best, other := list[0], 1\n", "does not compile"},
		{"	return list\n}\n\nfunc main() {\n", "	return list\n}\n\nfunc more() {}\n\nfunc main() {\n", "not within one function"},
		{"	return list\n", "	return list\n}\n\nfunc more() {\n", "not within one function"},
		{"		if x < 0 {\n", "		if x < 0 {{\n", "does not compile"},
	}
	var list []numbered
	for i, c := range cases {
		if strings.Count(schemaCase, c.old) != 1 {
			t.Fatalf("there is not one %q", c.old)
		}
		list = append(list, numbered{i + 1, Mutant{Old: c.old, New: c.new}})
	}
	_, alone := schemaOf("main.go", schemaCase, list)
	for i, c := range cases {
		why := fmt.Sprint(alone[i+1])
		if c.alone == "does not compile" && alone[i+1] == nil {
			continue // the type checker tells
		}
		if (alone[i+1] == nil) != (c.alone == "") || !strings.Contains(why, c.alone) {
			t.Errorf("%q is alone because of %v, want %q", c.old, why, c.alone)
		}
	}
	// What the type checker tells is left out by hand here.
	alone[20] = fmt.Errorf("declared and not used")
	f, _ := schemaOf("main.go", schemaCase, list[:19])

	run := func(name, text, active string) string {
		src := filepath.Join(dir, name)
		for file, text := range map[string]string{"main.go": text, activeFile: fmt.Sprintf(activeSource, "main"), "go.mod": "module x\n\ngo 1.26\n"} {
			if err := os.MkdirAll(src, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(src, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		bin := filepath.Join(src, "x.exe")
		if _, err := os.Stat(bin); err != nil {
			cmd := exec.Command("go", "build", "-o", bin, ".")
			cmd.Dir = src
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", name, err, out, text)
			}
		}
		cmd := exec.Command(bin)
		cmd.Env = append(os.Environ(), Environment+"="+active)
		out, _ := cmd.CombinedOutput() // with an error, if that is what the mutant is
		return string(out)
	}
	plain := run("plain", schemaCase, "0")
	if got := run("schema", f.text, "0"); got != plain {
		t.Errorf("with no mutant active:\n%s\nwant\n%s", got, plain)
	}
	for i, c := range cases {
		if alone[i+1] != nil {
			continue
		}
		want := run(fmt.Sprint("alone", i), strings.Replace(schemaCase, c.old, c.new, 1), "0")
		got := run("schema", f.text, fmt.Sprint(i+1))
		if got != want {
			t.Errorf("%q:\n%s\nwant\n%s", c.old, got, want)
		}
		if want == plain {
			t.Errorf("%q changes nothing", c.old)
		}
	}
}

// A mutant whose copy does not compile is built alone, the others of its file are not; and no function
// has lost its place.
func TestSchemaCompiles(t *testing.T) {
	list := []Mutant{
		{Rule: "good", File: "internal/testkit/daily/daily.go", Old: "return fixed", New: "return fixed + 1"},
		{Rule: "bad", File: "internal/testkit/daily/daily.go", Old: "return fixed", New: "x := 1\n\t\treturn fixed"},
		{Rule: "good, too", File: "internal/testkit/daily/daily.go", Old: "t.Unix() / (24 * 60 * 60)", New: "t.Unix()"},
	}
	c, err := newCompiler(list)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.schema(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.alone) != 1 || s.alone[2] == nil || !strings.Contains(s.alone[2].Error(), "declared and not used") {
		t.Errorf("built alone: %v", s.alone)
	}
	f := s.files["internal/testkit/daily/daily.go"]
	if len(f.copies) != 2 {
		t.Errorf("%d copies, want 2", len(f.copies))
	}
	_, text, err := list[0].text()
	if err != nil {
		t.Fatal(err)
	}
	lines, was := strings.Split(f.text, "\n"), strings.Split(text, "\n")
	for i, line := range was {
		if strings.HasPrefix(line, "func ") && !strings.HasPrefix(lines[i], strings.TrimSuffix(line, "}")[:12]) {
			t.Errorf("line %d: %s, was %s", i+1, lines[i], line)
		}
	}
}
