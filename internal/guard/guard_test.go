package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCrashed(t *testing.T) {
	defer func(f func(string, any, []byte)) { Crashed = f }(Crashed)
	told := make(chan string, 2)
	Crashed = func(name string, cause any, stack []byte) {
		if !strings.Contains(string(stack), "TestCrashed") {
			t.Errorf("a stack that does not show the panic:\n%s", stack)
		}
		told <- name + ": " + cause.(string)
	}
	Go("one", func() { panic("first") })
	if got := <-told; got != "one: first" {
		t.Error(got)
	}
	var g Group
	g.Go("two", func() { panic("second") })
	g.Wait()
	if got := <-told; got != "two: second" {
		t.Error(got)
	}
}

// bare matches a line that starts a goroutine without a guard.
var bare = regexp.MustCompile(`^\s*go\s+(func\b|[A-Za-z_][\w.]*\()|\b(sync\.WaitGroup|errgroup\.)`)

// TestAllAreGuarded looks at all code of clmc but tests, and models, whose go
// statements start host threads.
func TestAllAreGuarded(t *testing.T) {
	for _, line := range []string{"	go func() {", "	go p.run()", "	var wg sync.WaitGroup"} {
		if !bare.MatchString(line) {
			t.Fatalf("%q is not found", line)
		}
	}
	files := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		slash := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && slash != "../.."):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(slash, ".go") || strings.HasSuffix(slash, "_test.go"),
			strings.HasPrefix(slash, "../../models/") && e.Name() == "main.go", strings.HasPrefix(slash, "../../internal/guard/"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for i, line := range strings.Split(string(text), "\n") {
			if code, _, _ := strings.Cut(line, "//"); bare.MatchString(code) && !strings.Contains(code, `"`) {
				t.Errorf("%s:%d: a goroutine whose panic is not told: use internal/guard\n%s", path, i+1, line)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
