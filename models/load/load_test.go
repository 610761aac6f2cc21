package load

import (
	"errors"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/state/ir"
)

const mp = `package main

import "github.com/clmc/clmc/models/cl"

const n = 2

var (
	data [n]int32
	flag cl.AtomicInt
)

func mp() {
	switch cl.GetGlobalID(0) {
	case 0:
		data[0] = 42
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	case 1:
		if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
			cl.Assert(data[0] == 42, "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(mp, cl.NDRange1D(n, 1))
	cl.Finish()
}
`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFile(t *testing.T) {
	path := write(t, t.TempDir(), "mp.go", mp)
	p, err := File(path, Options{Defines: map[string]string{"n": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "mp" || p.Sources[0].Text != mp || p.Objects[0].Layout.Cells() != 3 {
		t.Errorf("loaded %s with %d cells in data", p.Name, p.Objects[0].Layout.Cells())
	}
	if th := p.Threads; len(th) != 1 || th[0].Name != "host" || !th[0].Place.Host {
		t.Errorf("threads %+v", th)
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	kernel, host, _ := strings.Cut(mp, "func main()")
	write(t, dir, "kernel.go", kernel)
	write(t, dir, "main.go", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nfunc main()"+host)
	write(t, dir, "model_test.go", "package nonsense")
	p, err := File(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "model" || len(p.Sources) != 2 {
		t.Errorf("loaded %s from %d files", p.Name, len(p.Sources))
	}
}

// TestUnreadable checks that input that is no text of a model is refused with
// a diagnostic that says why.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "folder")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "missing.go"), "no such file"},
		{empty, "no .go file"},
		{write(t, dir, "binary.go", "package main\x00\x01"), "not text"},
		{write(t, dir, "latin1.go", "package main // caf\xe9"), "not text"},
		{write(t, dir, "huge.go", "package main\n"+strings.Repeat("// padding\n", 100000)), "larger than 1 MiB"},
		{write(t, dir, "empty.go", ""), "is empty"},
		{os.DevNull, "want a regular file"},
	} {
		_, err := File(c.path, Options{})
		var ds Diagnostics
		if !errors.As(err, &ds) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path+": ") {
			t.Errorf("%s: %v, want %q", c.path, err, c.want)
		}
	}
}

// TestVocabulary checks that every function of package cl is in the table, and
// that the table knows its parameters.
func TestVocabulary(t *testing.T) {
	pkg, err := vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, name := range pkg.Scope().Names() {
		f, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !ast.IsExported(name) {
			continue
		}
		declared[name] = true
		b, ok := builtins[name]
		if !ok {
			t.Errorf("cl.%s is not in the table", name)
			continue
		}
		if n := f.Signature().Params().Len(); n != len(b.params) {
			t.Errorf("cl.%s has %d parameters, the table says %d", name, n, len(b.params))
		}
		if v := f.Signature().Variadic(); v != b.params.variadic() {
			t.Errorf("cl.%s: variadic %v, the table says otherwise", name, v)
		}
	}
	for name := range builtins {
		if !declared[name] {
			t.Errorf("cl.%s is in the table, but not declared", name)
		}
	}
}

// TestEmbedded checks that all files of package cl are embedded, but for the
// one that embeds them.
func TestEmbedded(t *testing.T) {
	files, err := filepath.Glob("../cl/*.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := cl.SourceFiles.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var embedded []string
	for _, e := range entries {
		embedded = append(embedded, e.Name())
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "source.go" && !strings.HasSuffix(name, "_test.go") && !slices.Contains(embedded, name) {
			t.Errorf("%s is not embedded", name)
		}
	}
}

// TestConcurrentLoads checks that models can be loaded at the same time.
func TestConcurrentLoads(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := Source("mp.go", []byte(mp), Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestDeterministic checks that loading a model twice gives the same program.
func TestDeterministic(t *testing.T) {
	text, err := os.ReadFile("corpus_test.go")
	if err != nil {
		t.Fatal(err)
	}
	src := strings.Replace(string(text), "package load", "package main", 1) + "\nfunc main() { caseStructs(); caseClosures(); casePointers() }\n"
	var first string
	for range 5 {
		p, err := Source("corpus.go", []byte(src), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := p.String(); first == "" {
			first = s
		} else if s != first {
			t.Fatal("two loads differ")
		}
	}
}

// TestInliningIsBounded checks that a model whose calls multiply is refused soon.
func TestInliningIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("package main\n\nvar x int\n\nfunc f0() {}\n\nfunc g0() { x++ }\n")
	for i := 1; i <= 60; i++ {
		s := strings.NewReplacer("I", strconv.Itoa(i), "J", strconv.Itoa(i-1))
		b.WriteString(s.Replace("func fI() { fJ(); fJ() }\n\nfunc gI() { gJ(); gJ() }\n"))
	}
	for _, name := range []string{"f60", "g60"} {
		_, err := Source("deep.go", []byte(b.String()+"\nfunc main() { "+name+"() }\n"), Options{})
		if err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConstantsAgree checks that orders and flags mean the same to package cl
// and the memory model.
func TestConstantsAgree(t *testing.T) {
	if len(orders) != 5 || orders[int64(cl.MemoryOrderAcqRel)] != memmodel.AcqRel {
		t.Errorf("orders %v", orders)
	}
	if len(scopes) != 5 || scopes[int64(cl.MemoryScopeAllDevices)] != memmodel.ScopeAllSVMDevices {
		t.Errorf("scopes %v", scopes)
	}
}

// FuzzSource checks that no text makes the loader panic, and that what it
// accepts is well formed.
func FuzzSource(f *testing.F) {
	f.Add(mp)
	for _, pattern := range []string{"testdata/refuse/*.txtar", "testdata/lower/*.txtar"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			if text, err := os.ReadFile(path); err == nil {
				_, rest, _ := strings.Cut(string(text), "-- model.go --\n")
				src, _, _ := strings.Cut(rest, "\n-- ")
				f.Add(src + "\n")
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Source("model.go", []byte(src), Options{})
		if err != nil {
			if strings.Contains(err.Error(), "internal error") {
				t.Fatal(err)
			}
			return
		}
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

var sink *ir.Program

func BenchmarkSource(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := Source("mp.go", []byte(mp), Options{})
		if err != nil {
			b.Fatal(err)
		}
		sink = p
	}
}
