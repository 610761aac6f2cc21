package docs

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
)

// operationsFile lists the functions that tell operations apart, each with how many operations there were when somebody last read it.
const operationsFile = "testdata/operations.txt"

// telling are the packages in which what is said of an operation decides which executions are explored and what is reported of them.
var telling = []string{"state", "state/facts", "state/ir", "por", "por/loadbuffering", "explore", "explore/trace", "explore/whynot", "explore/report"}

var operationName = regexp.MustCompile(`^Op[A-Z]\w*$`)

// TestOperationsAreRead checks that each function that names operations has been read since the last one was added: whoever adds one is
// led to each place that must decide about it, and says there, by the number, that it has been decided. A new function is entered by
// -update, with the number of the operations that there are; numbers of others are raised by hand.
func TestOperationsAreRead(t *testing.T) {
	list, _ := sources(t)
	count := operations(t, list)
	read := readOperations(t)
	var lines []string
	for _, name := range tellingOperations(list) {
		n, known := read[name]
		switch {
		case !known && golden.Update():
			n = count
		case !known:
			t.Errorf("%s names operations, and is not in %s: see what it does with one that it does not name, and run this test with -update", name, operationsFile)
			continue
		case n != count:
			t.Errorf("%s was read when there were %d operations, and now there are %d: see that it does the right thing with the others, and write %d in %s", name, n, count, count, operationsFile)
		}
		delete(read, name)
		lines = append(lines, fmt.Sprintf("%d %s", n, name))
	}
	for name := range read {
		if !golden.Update() {
			t.Errorf("%s names no operation, or is not there: run this test with -update", name)
		}
	}
	if len(lines) < 100 && !t.Failed() {
		t.Errorf("%d functions: not those that are meant", len(lines))
	}
	if golden.Update() {
		if err := os.WriteFile(operationsFile, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// operations returns how many constants of type ir.Op there are.
func operations(t *testing.T, list []*source) (n int) {
	t.Helper()
	for name := range declared(list) {
		if room, rest, _ := strings.Cut(name, "."); room == "ir" && operationName.MatchString(rest) {
			n++
		}
	}
	if n < 40 {
		t.Fatalf("%d operations: not those of package ir", n)
	}
	return n
}

// readOperations reads the list: by function, the number of operations when it was read.
func readOperations(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(operationsFile)
	if err != nil && !golden.Update() {
		t.Fatal(err)
	}
	read := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var n int
		var name string
		if _, err := fmt.Sscanf(line, "%d %s", &n, &name); err != nil {
			t.Fatalf("%s: %q: %v", operationsFile, line, err)
		}
		read[name] = n
	}
	return read
}

// tellingOperations returns the functions that name operations, sorted.
func tellingOperations(list []*source) (names []string) {
	for _, s := range list {
		if !slices.Contains(telling, s.path) {
			continue
		}
		for _, f := range s.files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && namesOperation(fn) {
					name := fn.Name.Name
					if fn.Recv != nil {
						name = receiver(fn) + "." + name
					}
					names = append(names, path.Join(s.path, name))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namesOperation reports whether a function names an operation of package ir.
func namesOperation(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && operationName.MatchString(id.Name) {
			found = true
		}
		return !found
	})
	return found
}
