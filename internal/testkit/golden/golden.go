// Package golden compares what tests make with files that hold what it should be, and
// writes these files anew when tests are run with -update. Only tests import it.
package golden

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what tests compare texts with anew: testdata and generated pages")

// Update reports whether the files are to be written and not compared.
func Update() bool { return *update }

// File compares a text with that of a file.
func File(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		write(t, file, []byte(got))
		return
	}
	if want := string(read(t, file)); got != want {
		t.Errorf("%s is not what it should be; if it is right now, run this test with -update\n%s", file, difference(got, want))
	}
}

// Part compares a text with what stands between two lines of a file.
func Part(t *testing.T, file, begin, end, got string) {
	t.Helper()
	text := string(read(t, file))
	before, rest, ok := strings.Cut(text, begin)
	_, after, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s does not have the lines\n%s%s", file, begin, end)
	}
	File(t, file, before+begin+got+end+after)
}

// Archive compares files of an archive with what answer makes of others there. The name
// of what a file should give is what answerOf returns; "" is for a file that gives nothing.
func Archive(t *testing.T, file string, answerOf func(name string) string, answer func(t *testing.T, name string, files map[string][]byte) string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range a.Files {
		files[f.Name] = f.Data
	}
	given, asked := slices.Clone(a.Files), false
	for _, f := range given {
		to := answerOf(f.Name)
		if to == "" {
			continue
		}
		asked = true
		t.Run(f.Name, func(t *testing.T) {
			got := strings.TrimRight(answer(t, f.Name, files), "\n") + "\n"
			if want := string(files[to]); got != want && !*update {
				t.Errorf("%s of %s is not what it should be\n%s", to, file, difference(got, want))
			}
			put(a, f.Name, txtar.File{Name: to, Data: []byte(got)})
		})
	}
	if !asked {
		t.Errorf("%s asks nothing", file)
	}
	if *update && !t.Failed() {
		write(t, file, txtar.Format(a))
	}
}

// put replaces a file of an archive, or adds it behind another.
func put(a *txtar.Archive, behind string, f txtar.File) {
	at := func(name string) int {
		return slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	}
	if i := at(f.Name); i >= 0 {
		a.Files[i] = f
		return
	}
	a.Files = slices.Insert(a.Files, at(behind)+1, f)
}

// difference shows two texts from the first line that differs.
func difference(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	line := 0
	for line < min(len(g), len(w)) && g[line] == w[line] {
		line++
	}
	return fmt.Sprintf("line %d: got\n%swant\n%s", line+1, some(g[line:]), some(w[line:]))
}

// some returns the first lines of a text.
func some(lines []string) string {
	const most = 12
	if len(lines) > most {
		lines = append(lines[:most:most], "...\n")
	}
	text := strings.Join(lines, "")
	if !strings.HasSuffix(text, "\n") {
		text += "(no newline)\n"
	}
	return text
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
