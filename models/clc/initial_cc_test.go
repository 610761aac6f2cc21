//go:build ccompiler

package clc_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitialisersInC sees that a C compiler gives the initialisers of TestInitialisers the meaning that they were made with.
func TestInitialisersInC(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		if cc, err = exec.LookPath("clang"); err != nil {
			t.Skip("there is no gcc and no clang to compare with")
		}
	}
	var head, body strings.Builder
	head.WriteString("#include <stdio.h>\n")
	for _, name := range []string{"char", "short", "int", "long"} {
		fmt.Fprintf(&head, "typedef unsigned %s u%s;\n", name, name)
	}
	for seed := range uint64(300) {
		g := &initials{r: rand.New(rand.NewPCG(seed, 6)), records: int(1000 * seed)}
		v := g.draw("q")
		g.argument = true // the contents of arguments are initialisers of C, but for vectors
		w := g.draw("p")
		head.WriteString(g.decls.String())
		fmt.Fprintf(&body, "{ %s; %s;\n", v.declaration, w.declaration)
		for _, x := range []initialised{v, w} {
			x.o.leaves(x.name, func(path string, value int) {
				fmt.Fprintf(&body, "if (%s != %d) printf(\"seed %d: %s is %%g, not %d\\n\", (double)%[1]s);\n", path, value, seed, path, value)
			})
		}
		body.WriteString("}\n")
	}
	source := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(source, []byte(head.String()+"int main(void) {\n"+body.String()+"return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(source, ".c")
	if out, err := exec.Command(cc, "-O0", "-w", "-fsigned-char", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
}
