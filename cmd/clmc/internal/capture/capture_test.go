package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const vecadd = "kernel void add(global const int *a, global int *b, local int *tmp, float2 v, uint n) { if (get_global_id(0) < n) b[get_global_id(0)] = a[get_global_id(0)]; }"

// logOf writes lines as the log of a process, and reads it.
func logOf(t *testing.T, lines ...string) *Log {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "00.log"), []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const (
	noted        = `{"t":"process","pid":1,"cwd":"/somewhere"}`
	notedProgram = `{"t":"program","n":1,"made":"source","cut":false,"options":"-DWG=64 -D BIG -cl-std=CL1.2","text":"` + vecadd + `","inputs":[],"headers":[]}`
	notedLaunch  = `{"t":"launch","program":1,"queue":9,"outoforder":false,"kernel":"add","global":[1024],"local":[64],"offset":null,"args":[` +
		`{"size":8,"mem":3,"bytes":4000,"flags":4},{"size":8,"mem":4,"bytes":4096,"flags":1},{"size":256,"null":true},{"size":8,"value":"0000c03f000000c0"},{"size":4,"value":"e8030000"}]}`
)

// launchLine returns the launch line of the only file that a log makes.
func launchLine(t *testing.T, l *Log, scale int) (line, whole string, w *Written) {
	t.Helper()
	w, err := Write(l, filepath.Join(t.TempDir(), "out"), scale)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Launches) != 1 {
		t.Fatalf("%d launches, want 1; %v", len(w.Launches), w.Said)
	}
	text, err := os.ReadFile(w.Launches[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "//clmc:launch") {
			return line, string(text), w
		}
	}
	t.Fatalf("no launch line:\n%s", text)
	return "", "", nil
}

// A launch is written with what its parameters are given, the macros of the build, and the command that reads it so.
func TestWrite(t *testing.T) {
	line, whole, w := launchLine(t, logOf(t, noted, notedProgram, notedLaunch, ""), 1)
	if want := "//clmc:launch add global=1024 local=64 a=zero[1000] b=zero[1024] tmp=local[64] v={1.5,-2.0} n=1000"; line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	for _, want := range []string{"#define WG 64\n", "#define BIG 1\n", "#include \"program1.cl\"\n"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing in\n%s", want, whole)
		}
	}
	if !strings.HasPrefix(w.Launches[0].Next, "clmc explore --cl-std CL1.2 ") {
		t.Error(w.Launches[0].Next)
	}
	if len(w.Said) > 0 {
		t.Error(w.Said)
	}
}

// Sizes are divided but for two groups, and what depends on them becomes smaller: 1,000 of 1,024 is 24 less than all.
func TestScale(t *testing.T) {
	line, whole, _ := launchLine(t, logOf(t, noted, notedProgram, notedLaunch, ""), 8)
	if want := "//clmc:launch add global=128 local=64 a=zero[104] b=zero[128] tmp=local[64] v={1.5,-2.0} n=104"; line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	if !strings.Contains(whole, "n 1000 is 104") || !strings.Contains(whole, "Scaled by 8") {
		t.Error(whole)
	}
	for _, c := range []struct{ groups, by, want int }{{16, 8, 2}, {16, 4, 4}, {16, 1000, 2}, {1, 8, 1}, {3, 2, 2}} {
		s := newShrink(&launch{Global: []int{c.groups * 8}, Local: []int{8}}, c.by)
		if s.global[0] != c.want*8 {
			t.Errorf("%d groups by %d: %d items, want %d groups of 8", c.groups, c.by, s.global[0], c.want)
		}
	}
	// indices that the host wrote stay within their buffers: these keep their length
	indexed := strings.Replace(notedLaunch, `"bytes":4000,"flags":4`, `"bytes":4000,"flags":4,"content":"`+strings.Repeat("e7030000", 1000)+`"`, 1)
	if line, _, _ := launchLine(t, logOf(t, noted, notedProgram, indexed, ""), 8); !strings.Contains(line, "a=[1000]{999,...} b=zero[1024]") {
		t.Error(line)
	}
}

// What contents are known is written, and what is not is said.
func TestContents(t *testing.T) {
	for _, c := range []struct{ mem, want, note string }{
		{`"bytes":16,"content":"05000000060000000700000008000000"`, "a=[4]{5..8}", ""},
		{`"bytes":16,"content":"05000000ffffffff0000000000000000"`, "a=[4]{5,-1}", ""},
		{`"bytes":16,"content":"00000000000000000000000000000000"`, "a=zero[4]", ""},
		{`"bytes":16,"content":"0500000006000000"`, "a=[4]{5,6}", "The first 8 of the 16 bytes of a are known"},
		{`"bytes":16,"content":"05000000","writer":"init"`, "a=[4]{5}", "a holds what the host wrote last; init may have changed it since"},
		{`"bytes":16777216`, "a=zero[1048576]", "a has 4194304 elements"},
		{`"bytes":0,"svm":true`, "a=zero[1]", "a is shared virtual memory"},
	} {
		l := strings.Replace(notedLaunch, `"bytes":4000,"flags":4`, c.mem, 1)
		line, whole, _ := launchLine(t, logOf(t, noted, notedProgram, l, ""), 1)
		if !strings.Contains(line, " "+c.want+" ") || !strings.Contains(whole, c.note) {
			t.Errorf("%s: want %s, and %q in\n%s", c.mem, c.want, c.note, whole)
		}
	}
}

// Two arguments may have the same buffer, or overlap, which a launch line cannot say.
func TestSharedBuffers(t *testing.T) {
	same := strings.Replace(notedLaunch, `"mem":4,"bytes":4096`, `"mem":3,"bytes":4000`, 1)
	if line, _, _ := launchLine(t, logOf(t, noted, notedProgram, same, ""), 1); !strings.Contains(line, "a=zero[1000] b=a ") {
		t.Error(line)
	}
	overlap := strings.Replace(notedLaunch, `"mem":4,"bytes":4096`, `"mem":3,"bytes":2000,"sub":true,"origin":1000`, 1)
	line, whole, w := launchLine(t, logOf(t, noted, notedProgram, overlap, ""), 1)
	if !strings.Contains(line, "a=zero[1000] b=zero[500] ") || !strings.Contains(whole, "a and b share 2000 bytes") || len(w.Said) != 1 {
		t.Error(whole, w.Said)
	}
	apart := strings.NewReplacer(`"mem":4,"bytes":4096`, `"mem":3,"bytes":2000,"sub":true,"origin":2000`, `"mem":3,"bytes":4000`, `"mem":3,"bytes":2000,"sub":true`).Replace(notedLaunch)
	if _, whole, w := launchLine(t, logOf(t, noted, notedProgram, apart, ""), 1); strings.Contains(whole, "share") || len(w.Said) != 0 {
		t.Error(whole, w.Said)
	}
}

// A log may end in the middle of a line, and may hold what is none.
func TestBrokenLogs(t *testing.T) {
	whole := strings.Join([]string{noted, notedProgram, notedLaunch, notedLaunch, ""}, "\n")
	for cut := 0; cut < len(whole); cut += 7 {
		l := logOf(t, whole[:cut])
		if n := strings.Count(whole[:cut], "\n"); len(l.launches) != max(n-2, 0) {
			t.Fatalf("%d lines, and %d launches", n, len(l.launches))
		}
		if _, err := Write(l, filepath.Join(t.TempDir(), "out"), 8); err != nil {
			t.Fatal(err)
		}
	}
	l := logOf(t, "junk", `{"t":"launch"}`, `{"t":"launch","program":7,"kernel":"k","global":[1]}`, `{"t":"launch","global":"x"}`, `{"t":"program","n":"x"}`, `{"t":"limit","what":"full"}`, "")
	w, err := Write(l, filepath.Join(t.TempDir(), "out"), 1)
	if err != nil || len(w.Launches) != 0 || len(w.Said) != 2 {
		t.Error(w, err)
	}
}

// What a program is made of that has no source is said, and nothing is written for it.
func TestWithoutSource(t *testing.T) {
	for made, want := range map[string]string{"binary": "made from a binary", "il": "made from SPIR-V", "builtin": "made from built-in kernels"} {
		l := logOf(t, noted, strings.Replace(notedProgram, `"made":"source"`, `"made":"`+made+`"`, 1), notedLaunch, "")
		dir := filepath.Join(t.TempDir(), "out")
		w, err := Write(l, dir, 1)
		if err != nil || len(w.Launches) != 0 || len(w.Said) != 1 || !strings.Contains(w.Said[0], want) {
			t.Errorf("%s: %v, %v", made, w, err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 0 {
			t.Errorf("%s: there are files", made)
		}
	}
	l := logOf(t, noted, strings.Replace(notedProgram, vecadd, "kernel void add(", 1), notedLaunch, "")
	if w, err := Write(l, filepath.Join(t.TempDir(), "out"), 1); err != nil || len(w.Launches) != 0 || len(w.Said) != 1 {
		t.Error(w, err)
	}
}

func TestSplitOptions(t *testing.T) {
	for s, want := range map[string][]string{
		"":                             nil,
		"-DA -D B=2  -I inc\t-cl-x":    {"-DA", "-D", "B=2", "-I", "inc", "-cl-x"},
		`-D "TEXT=a b" -I'two words'`:  {"-D", "TEXT=a b", "-Itwo words"},
		`-DQ=\"x\" -I a\ b`:            {"-DQ=\"x\"", "-I", "a b"},
		`-D"unclosed word`:             {"-Dunclosed word"},
		"-cl-std=CL2.0\n-DF(x)=(x)+1 ": {"-cl-std=CL2.0", "-DF(x)=(x)+1"},
	} {
		if got := splitOptions(s); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// The local sizes that are tried where OpenCL chooses divide the global size.
func TestLocalChoices(t *testing.T) {
	for want, global := range map[string][]int{"1|4|64": {128}, "1|3|9": {9}, "1,1|4,4|16,4": {16, 8}, "1": {1}, "1|7": {7}, "1,1,1|4,4,4|64,1,1": {64, 64, 64}} {
		if got := localChoices(global); got != want {
			t.Errorf("%v: %s, want %s", global, got, want)
		}
	}
}

// What an application writes into the folder of notes itself is read with care: no list is long, no file is beside the folder of files, and what is no file is refused.
func TestNotesOfAnApplication(t *testing.T) {
	launch := func(from, to string) string { return strings.Replace(notedLaunch, from, to, 1) }
	out := filepath.Join(t.TempDir(), "out")
	l := logOf(t, noted, notedProgram,
		launch(`"kernel":"add"`, `"kernel":"../../add"`), // a name that leads out of the folder
		launch(`"kernel":"add"`, `"kernel":"add\nx"`),
		launch(`"global":[1024]`, `"global":[`+strings.Repeat("1,", mostOfList)+`1]`),
		launch(`"args":[`, `"args":[`+strings.Repeat("{},", mostOfList)),
		strings.Replace(notedLaunch, `"args":[`, `"args":[null,null,null,null,null,`, 1),
		strings.Repeat("[", 100_000), "null", "{", "\x00")
	w, err := Write(l, out, 8)
	if err != nil {
		t.Fatal(err)
	}
	// Arguments that are null are none: they have no buffer, and no value.
	if len(w.Launches) != 1 || filepath.Dir(w.Launches[0].Name) != out {
		t.Errorf("%v, want one launch in the folder; %q", w.Launches, w.Said)
	}
	if files, err := filepath.Glob(filepath.Join(out, "..", "*")); err != nil || len(files) != 1 {
		t.Errorf("%v: there is something beside the folder: %v", files, err)
	}

	many := slices.Repeat([]string{notedLaunch}, maxLaunches+2)
	if l = logOf(t, append([]string{noted, notedProgram}, many...)...); len(l.launches) != maxLaunches || len(l.limits) != 1 {
		t.Errorf("%d launches are read, and it is said %q", len(l.launches), l.limits)
	}
	if l = logOf(t, append([]string{noted}, slices.Repeat([]string{notedProgram}, maxPrograms+2)...)...); len(l.programs) != maxPrograms || len(l.limits) != 1 {
		t.Errorf("%d programs are read, and it is said %q", len(l.programs), l.limits)
	}

	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "00.log"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "want a regular file") {
		t.Errorf("a folder in the place of a log: %v", err)
	}
}
