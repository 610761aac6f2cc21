package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// written writes files into a new folder.
func written(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const helped = `-- go.mod --
module example.com/kernels // with a comment
-- main.go --
package main

import (
	"example.com/kernels/idioms/spin"
	"github.com/clmc/clmc/models/cl"
)

const n = 2

var (
	lock spin.Lock
	once = cl.NewBuffer[int32](n) // whose initialiser is the model's, and of no package
)

func add() {
	lock.Acquire()
	spin.Count++
	lock.Release()
}

func main() {
	cl.EnqueueNDRangeKernel(add, cl.NDRange1D(n, 1))
	cl.Finish()
	cl.Assert(spin.Count == n, "all have counted")
}
-- idioms/spin/spin.go --
package spin

import (
	"example.com/kernels/idioms/words"
	"github.com/clmc/clmc/models/cl"
)

type Lock struct{ held cl.AtomicInt }

var Count = words.None

func (l *Lock) Acquire() {
	for cl.AtomicExchangeExplicit(&l.held, 1, cl.MemoryOrderAcquire) != 0 {
	}
}

func (l *Lock) Release() { cl.AtomicStoreExplicit(&l.held, 0, words.Order) }
-- idioms/words/words.go --
package words

import "github.com/clmc/clmc/models/cl"

const Order = cl.MemoryOrderRelease

var None int32 = first()

func first() int32 {
	sum := int32(-3)
	for i := range int32(3) {
		sum += i
	}
	return sum
}
-- idioms/words/words_test.go --
package words

func not Go
`

// A model and the packages of its module that it imports are one program: the variables of the
// packages are initialised first, constants of the model alone can be set, and the
// program can be loaded again from its texts.
func TestPackages(t *testing.T) {
	dir := written(t, helped)
	p, err := File(filepath.Join(dir, "main.go"), Options{Defines: map[string]string{"n": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Constants) != 1 || p.Constants[0].Value != "3" {
		t.Errorf("the constants are %v, want n alone", p.Constants)
	}
	var found bool
	for _, o := range p.Objects {
		if o.Name == "Count" {
			found = o.Init[0] == 0
		}
	}
	if !found {
		t.Error("Count is not initialised to -3+0+1+2 = 0")
	}
	if len(p.Sources) != 4 {
		t.Errorf("%d texts, want those of three packages and go.mod", len(p.Sources))
	}
	os.RemoveAll(dir)
	again, err := Sources(p.Name, p.Sources, Options{Defines: map[string]string{"n": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != p.String() {
		t.Error("loaded again from its texts it is another program")
	}
}

// Packages that cannot be imported are refused, with a place and what to do.
func TestPackagesRefused(t *testing.T) {
	for _, c := range []struct{ what, old, new, want string }{
		{"a folder that is not there", "kernels/idioms/spin\"", "kernels/idioms/spun\"", `main.go:4:2: package "example.com/kernels/idioms/spun" is not part`},
		{"another module", "example.com/kernels/idioms/spin\"", "example.com/other/spin\"", `main.go:4:2: package "example.com/other/spin" is not part`},
		{"out of the module", "kernels/idioms/spin\"", "kernels/../spin\"", `is not part`},
		{"itself", "package words\n\n", "package words\n\nimport _ \"example.com/kernels/idioms/spin\"\n", "imports itself"},
		{"a model", "package spin", "package main", "is a model of its own"},
		{"not in the language", "sum := int32(-3)", "sum := int32(-3)\n\tdefer first()", "words.go:"},
		{"a mistake", "words.Order", "words.Ordre", "spin.go:"},
		{"a constant of another package", "const n = 2", "const m = 2", "declares no constant n"},
	} {
		dir := written(t, strings.Replace(helped, c.old, c.new, 1))
		_, err := File(filepath.Join(dir, "main.go"), Options{Defines: map[string]string{"n": "3"}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}
