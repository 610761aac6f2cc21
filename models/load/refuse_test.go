package load

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
)

// examples runs f on every archive that matches the pattern. An archive holds a
// model, optionally a file "defines" with lines name=value, and the file "want"
// that f's result must equal.
func examples(t *testing.T, pattern string, f func(t *testing.T, src []byte, opt Options) string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	want := func(name string) string { return map[string]string{"model.go": "want"}[name] }
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			golden.Archive(t, path, want, func(t *testing.T, name string, files map[string][]byte) string {
				opt := Options{Defines: map[string]string{}}
				for line := range strings.Lines(string(files["defines"])) {
					name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
					opt.Defines[name] = value
				}
				return f(t, files[name], opt)
			})
		})
	}
}

// TestRefuse checks what is said of models outside the language.
func TestRefuse(t *testing.T) {
	examples(t, "testdata/refuse/*.txtar", func(t *testing.T, src []byte, opt Options) string {
		_, err := Source("model.go", src, opt)
		ds, ok := err.(Diagnostics)
		if !ok {
			t.Fatalf("error %v, want diagnostics", err)
		}
		for _, d := range ds {
			if strings.HasPrefix(d.Message, "internal error") {
				t.Errorf("%s", d)
			}
		}
		return ds.Error()
	})
}

// TestLower checks the code of models that show one feature each.
func TestLower(t *testing.T) {
	examples(t, "testdata/lower/*.txtar", func(t *testing.T, src []byte, opt Options) string {
		p, err := Source("model.go", src, opt)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(p.String(), "\n")
	})
}
