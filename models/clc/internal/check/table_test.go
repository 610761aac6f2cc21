package check

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// row is a line of testdata/table.txt.
type row struct {
	line    int
	ok      bool
	ours    bool // clang says something else
	std     tree.Std
	text    string
	message string
}

// body is what a row with @ is the body of.
func body(std tree.Std, text string) string {
	params := `global int *gi, global uint *gu, global float *gf, local int *li, constant int *ci, global float4 *gv, global int4 *gi4,
	global half *gh, global double *gd, global char *gc, int n, uint u, float f, float4 v, int4 iv`
	if std >= tree.CL20 {
		params += ", global atomic_int *ga"
	}
	return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(" + params + ") {\n" + text + "\n}\n"
}

func readTable(t *testing.T) (rows []row) {
	b, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		head := strings.Fields(parts[0])
		if len(head) != 2 || len(parts) < 2 {
			t.Fatalf("line %d is no row: %s", i+1, line)
		}
		r := row{line: i + 1, ok: strings.HasPrefix(head[0], "ok"), ours: strings.HasSuffix(head[0], "!")}
		r.std = map[string]tree.Std{"1.0": tree.CL10, "1.1": tree.CL11, "1.2": tree.CL12, "2.0": tree.CL20, "3.0": tree.CL30}[head[1]]
		text := strings.Join(parts[1:], " | ")
		if !r.ok {
			text = strings.TrimSuffix(text, " |")
			if at := strings.LastIndex(text, " | "); at >= 0 {
				text, r.message = text[:at], text[at+3:]
			}
		}
		if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "@ #") {
			r.text = strings.ReplaceAll(text, `\n`, "\n")
		} else {
			r.text = text
		}
		if rest, ok := strings.CutPrefix(r.text, "@ "); ok {
			r.text = body(r.std, rest)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestTable checks what is accepted and refused, and that every error says what it should and
// has a place.
func TestTable(t *testing.T) {
	rows := readTable(t)
	accepted, refused := 0, 0
	for _, r := range rows {
		u, err := parse(r.text, r.std)
		switch {
		case r.ok && err != nil:
			t.Errorf("line %d is refused: %v", r.line, err)
		case !r.ok && err == nil:
			t.Errorf("line %d is accepted: %s", r.line, r.text)
		case !r.ok && !strings.Contains(err.Error(), r.message):
			t.Errorf("line %d: the error does not say %q: %v", r.line, r.message, err)
		case !r.ok && strings.Contains(err.Error(), "internal error"):
			t.Errorf("line %d: %v", r.line, err)
		case !r.ok && !strings.HasPrefix(err.Error(), "k.cl:"):
			t.Errorf("line %d: no place: %v", r.line, err)
		}
		if r.ok {
			accepted++
		} else {
			refused++
		}
		if err == nil {
			verify(t, u)
		}
	}
	if t.Logf("%d accepted, %d refused", accepted, refused); accepted < 100 || refused < 150 {
		t.Error("the table has become too small")
	}
}

var askClang = flag.Bool("clang", false, "compare the verdicts of the table with those of clang")

// TestClang compares the verdicts of the table with those of clang, if asked for and installed.
func TestClang(t *testing.T) {
	clang := ""
	for _, name := range []string{"clang-15", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			clang = path
			break
		}
	}
	if clang == "" || !*askClang {
		t.Skip("no clang, or no -clang")
	}
	file := filepath.Join(t.TempDir(), "k.cl")
	for _, r := range readTable(t) {
		if err := os.WriteFile(file, []byte(r.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		std := "CL" + r.std.String()
		cmd := exec.Command(clang, "-fsyntax-only", "-cl-std="+std, "-target", "spir64", "-Xclang", "-finclude-default-header", "-w", "-cl-ext=+all", file)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (r.ok != r.ours) {
			t.Errorf("line %d: clang says %v: %s\n%.600s", r.line, err == nil, r.text, out)
		}
	}
}
