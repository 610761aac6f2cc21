package load

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// golden runs f on every archive that matches the pattern. An archive holds a
// model, optionally a file "defines" with lines name=value, and the file "want"
// that f's result must equal.
func golden(t *testing.T, pattern string, f func(t *testing.T, src []byte, opt Options) string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]*txtar.File{}
			for i := range a.Files {
				files[a.Files[i].Name] = &a.Files[i]
			}
			opt := Options{}
			if d := files["defines"]; d != nil {
				opt.Defines = map[string]string{}
				for line := range strings.Lines(string(d.Data)) {
					name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
					opt.Defines[name] = value
				}
			}
			got := f(t, files["model.go"].Data, opt) + "\n"
			want := files["want"]
			if *update {
				if want == nil {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = &a.Files[len(a.Files)-1]
				}
				want.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want == nil || !bytes.Equal(want.Data, []byte(got)) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want.Data)
			}
		})
	}
}

// TestRefuse checks what is said of models outside the language.
func TestRefuse(t *testing.T) {
	golden(t, "testdata/refuse/*.txtar", func(t *testing.T, src []byte, opt Options) string {
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
	golden(t, "testdata/lower/*.txtar", func(t *testing.T, src []byte, opt Options) string {
		p, err := Source("model.go", src, opt)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(p.String(), "\n")
	})
}
