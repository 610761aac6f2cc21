package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

// The same program three times: the second work-group waits for what the first writes. It ends if the lowest one that can go on does
// (hsa, and all that promise that: hsa_obe, which is gpu, lobe, fair), and not if only those go on that have started (obe), as the first may
// never start, nor if nothing is promised (unfair, opencl). Strong fairness changes nothing: it is about those who are owed something.
const (
	waitsGo = `package main

import "github.com/clmc/clmc/models/cl"

//clmc:expect verified
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=obe fairness=strong CL1020
//clmc:expect liveness=gpu verified
//clmc:expect fairness=strong liveness=gpu verified
//clmc:expect -D first=1 liveness=hsa violated CL1020
const first = 0

var flag cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == first {
		cl.AtomicStore(&flag, 1)
	} else {
		for cl.AtomicLoad(&flag) == 0 {
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`
	waitsCL = `//clmc:expect verified
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=opencl violated CL1020
//clmc:expect liveness=device=hsa,group=fair verified
//clmc:expect liveness=all verified
//clmc:launch k global=2 local=1
kernel void k(global atomic_int *flag) {
	if (get_group_id(0) == 0) atomic_store(flag, 1);
	else while (atomic_load(flag) == 0) ;
}
`
	waitsLitmus = `OpenCL W
(*//clmc:expect holds*)
(*//clmc:expect liveness=obe violated CL1020*)
(*//clmc:expect liveness=gpu holds*)
{ [x]=0; }
P0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P1 (global atomic_int* x) { int r0 = 0; while (r0 == 0) { r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); } }
exists (1:r0=1)
`
)

// waits writes the programs into a folder.
func waits(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"w.go": waitsGo, "w.cl": waitsCL, "w.litmus": waitsLitmus} {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ran runs a command and returns what it prints.
func ran(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(args, &out, &err)
	return code, out.String(), err.String()
}

// TestExpectedToEnd has lines of models of all languages say which of them end, rightly and wrongly.
func TestExpectedToEnd(t *testing.T) {
	dir := waits(t)
	for name, n := range map[string]string{"w.go": "6 checks: 6 as expected", "w.cl": "5 checks: 5 as expected", "w.litmus": "3 checks: 3 as expected"} {
		if code, out, err := ran("test", filepath.Join(dir, name)); code != exitVerified || !strings.Contains(out, n) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, err)
		}
	}
	for name, text := range map[string]string{
		"a.go":     strings.Replace(waitsGo, "liveness=obe violated CL1020", "liveness=obe verified", 1),
		"b.go":     strings.Replace(waitsGo, "liveness=gpu verified", "liveness=gpu violated CL1020", 1),
		"c.cl":     strings.Replace(waitsCL, "liveness=obe violated CL1020", "liveness=lobe violated CL1020", 1),
		"d.litmus": strings.Replace(waitsLitmus, "liveness=gpu holds", "liveness=unfair holds", 1),
		"e.litmus": strings.Replace(waitsLitmus, "liveness=obe violated CL1020", "liveness=fair violated CL1020", 1),
	} {
		put(t, filepath.Join(dir, name), text)
		if code, out, err := ran("test", filepath.Join(dir, name)); code != exitViolation || !strings.Contains(out, "1 unexpected") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, err)
		}
	}
}

// TestExpectedToEndMistakes has lines that say nothing that can be understood.
func TestExpectedToEndMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.cl")
	for line, why := range map[string]string{
		"liveness=obi verified":                      `"obi": want fair, lobe`,
		"liveness= verified":                         `unexpected "liveness="`,
		"fairness=strong verified":                   "how liveness=MODEL is meant",
		"liveness=obe fairness=strongly verified":    `"strongly": want weak or strong`,
		"liveness=opencl fairness=strong verified":   "strong fairness promises nothing",
		"liveness=obe liveness=gpu verified":         "liveness= is given twice",
		"verified liveness=obe":                      "unexpected",
		"liveness=obe":                               "no verdict",
		"liveness=device=obe,device=fair verified":   "given twice",
		"liveness=device=obe,warp=fair CL1020":       `there is no level "warp"`,
		"-D liveness=gpu fairness=strong violated X": "how liveness=MODEL is meant",
	} {
		put(t, path, "\n//clmc:expect "+line+"\n"+waitsCL)
		if code, out, err := ran("test", path); code != exitUsage || !strings.Contains(err, path+":2:1: ") || !strings.Contains(err, why) {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, err)
		}
	}
}

// TestListsAskForTheEnd has a list ask, run it twice with a store, and look at what it writes: what is remembered is an answer to
// the same question.
func TestListsAskForTheEnd(t *testing.T) {
	dir := waits(t)
	list := filepath.Join(dir, "list.yaml")
	put(t, list, `store: kept
defaults: {liveness: hsa_obe}
checks:
  - model: w.cl
    liveness: obe
    expect: violated CL1020
  - {model: w.cl, liveness: obe, fairness: strong, expect: CL1020}
  - {model: w.cl, expect: verified}
  - {model: w.cl, liveness: all}
  - {model: w.litmus, liveness: fair}
  - {model: w.go, liveness: obe}
  - {model: w.go, define: {first: 1}, name: wrong}
`)
	for night := range 2 {
		code, out, err := ran("run", "--format", "json", "--junit", filepath.Join(dir, "junit.xml"), "--sarif", filepath.Join(dir, "out.sarif"), "--html", filepath.Join(dir, "pages"), list)
		var got struct {
			Checks []struct {
				Name, Status, Verdict, Again string
				Remembered                   bool
				Violations                   []struct{ ID string }
				Liveness                     struct {
					Answers []struct{ Model, Fairness, Verdict string }
				}
			}
		}
		if e := json.Unmarshal([]byte(out), &got); e != nil || code != exitViolation || len(got.Checks) != 7 {
			t.Fatalf("exit code %d, %v\n%s%s", code, e, out, err)
		}
		for i, c := range got.Checks {
			verdict := []string{"violated", "violated", "verified", "verified", "verified", "violated", "violated"}[i]
			answers := []int{1, 1, 1, 11, 1, 1, 1}[i]
			if c.Verdict != verdict || c.Remembered != (night == 1) || (c.Status == "expected") != (i < 6) || !strings.Contains(c.Again, " --liveness ") || len(c.Liveness.Answers) != answers {
				t.Errorf("night %d: check %d is %+v", night, i, c)
			}
		}
		if c := got.Checks[6]; len(c.Violations) != 1 || c.Violations[0].ID != "CL1020" || c.Liveness.Answers[0].Verdict != "violated" {
			t.Errorf("night %d: %+v", night, c)
		}
		for _, name := range []string{"junit.xml", "out.sarif"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), "CL1020") || !strings.Contains(string(text), "may spin for ever") {
				t.Errorf("%s: %v\n%.3000s", name, err, text)
			}
		}
	}
}

// TestListsRefuse has lists ask for what there is not: each is told with its place.
func TestListsRefuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.yaml")
	for line, want := range map[string]string{
		"checks: [{model: w.cl, liveness: obi}]":                                `:1:34: "obi": want fair`,
		"checks: [{model: w.cl, liveness: obe, fairness: fair}]":                `:1:49: "fair": want weak or strong`,
		"checks: [{model: w.cl, fairness: strong}]":                             ":1:34: fairness says how liveness: MODEL",
		"checks: [{model: w.cl, liveness: unfair, fairness: strong}]":           ":1:52: unfair has a level",
		"checks: [{model: w.cl, liveness: obe, exact: true}]":                   ":1:34: liveness goes without exact",
		"checks: [{model: w.cl, liveness: [obe, gpu]}]":                         "want a single value",
		"checks: [{model: w.cl}]\ndefaults: {liveness: \"\"}":                   ":2:22: the value is empty",
		"checks: [{model: w.cl, liveness: fair, exact: false, fairness: weak}]": "",
		"checks: [{model: w.cl}]\ndefaults: {fairness: strong}":                 "",
	} {
		put(t, path, line)
		_, _, err := ran("run", path)
		if want != "" && !strings.Contains(err, want) || want == "" && !strings.Contains(err, "no such file") {
			t.Errorf("%s:\n%s", line, err)
		}
	}
}

// TestLitmusTellsTheEnd asks of litmus tests, in text and in JSON. What the condition says is of the executions that end, and all of these
// are known though another goes on for ever.
func TestLitmusTellsTheEnd(t *testing.T) {
	dir := waits(t)
	path, racy := filepath.Join(dir, "w.litmus"), filepath.Join(dir, "r.litmus")
	put(t, racy, "OpenCL R\n{ [x]=0; }\nP0 (global int* x) { *x = 1; }\nP1 (global int* x) { int r0 = *x; }\nexists (1:r0=1)\n")
	never := filepath.Join(dir, "n.litmus")
	put(t, never, strings.Replace(waitsLitmus, "exists (1:r0=1)", "~exists (1:r0=0)", 1))
	for _, c := range []struct {
		file, model string
		code        int
		says        string
	}{
		{path, "all", exitVerified, "\n\nDoes every execution end, if work-groups are scheduled so?\n           weak          strong fairness\n  unfair   no            -\n  hsa      yes           yes\n  obe      no            no\n"},
		{path, "gpu", exitVerified, "\n\nEvery execution ends under gpu (weak fairness).\n"},
		{path, "obe", exitViolation, "\n\nAn execution may go on for ever under obe (weak fairness).\n"},
		{never, "obe", exitViolation, "\nOk\n"},
		{racy, "obe", exitVerified, "\n\nWhether every execution ends was not asked: the program goes wrong.\n"},
	} {
		if code, out, err := ran("litmus", "--liveness", c.model, c.file); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s, %s: exit code %d\n%s%s", c.file, c.model, code, out, err)
		}
	}
	for model, verdicts := range map[string]string{"gpu": "verified", "obe": "violated", "all": "violated verified violated verified verified verified verified violated verified verified verified"} {
		_, out, err := ran("litmus", "--format", "json", "--liveness", model, path)
		var got struct {
			Verdict  string
			Complete bool
			Liveness struct {
				Answers []struct{ Verdict string }
			}
		}
		if e := json.Unmarshal([]byte(out), &got); e != nil || got.Verdict != "Ok" || !got.Complete {
			t.Fatalf("%s: %v\n%s%s", model, e, out, err)
		}
		var all []string
		for _, a := range got.Liveness.Answers {
			all = append(all, a.Verdict)
		}
		if s := strings.Join(all, " "); s != verdicts {
			t.Errorf("%s: %s, want %s", model, s, verdicts)
		}
	}
	if _, out, _ := ran("litmus", "--format", "json", path); strings.Contains(out, "liveness") {
		t.Errorf("nobody has asked:\n%s", out)
	}
	for _, flags := range [][]string{{"--device=x"}, {"--emit", dir}, {"--specs", "all"}, {"--no-cache"}, {"--gen", "random", "-n", "1"}} {
		if code, out, err := ran(append([]string{"litmus", "--liveness", "gpu", path}, flags...)...); code != exitUsage || !strings.Contains(err, "--liveness") {
			t.Errorf("%q: exit code %d\n%s%s", flags, code, out, err)
		}
	}
}

// TestListsOnAClusterAskForTheEnd runs a list on a cluster: a process answers the question by itself, and what it finds is not said of the job of
// another check of the same model.
func TestListsOnAClusterAskForTheEnd(t *testing.T) {
	h, err := hub.Start(hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	list := filepath.Join(waits(t), "list.yaml")
	put(t, list, `checks:
  - {model: w.cl, liveness: gpu, expect: verified}
  - {model: w.cl, expect: verified, known: "CL1001 w.cl:1 there is none"}
  - {model: w.cl, liveness: obe, expect: CL1020, known: "CL1001 w.cl:1 there is none"}
`)
	for range 2 {
		if code, out, err := ran("run", "--cluster", h.URL, list); code != exitVerified || !strings.Contains(out, "3 checks: 3 as expected") {
			t.Errorf("exit code %d\n%s%s", code, out, err)
		}
	}
	if code, out, err := ran("cluster", "jobs", "--cluster", h.URL); code != exitVerified || !strings.Contains(out, "verified") || strings.Contains(out, "violated") {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
}

// TestGraphsAreNotKept gives a check with a question so little time before searches go to the store that each that may does. This one's graph is
// in memory, so it stays there, and ends.
func TestGraphsAreNotKept(t *testing.T) {
	dir := waits(t)
	list := filepath.Join(dir, "list.yaml")
	put(t, list, "store: kept\nchecks: [{model: w.go, liveness: obe, expect: CL1020}]\n")
	var out, said bytes.Buffer
	if code := run([]string{"run", list}, &out, &said, 1); code != exitVerified {
		t.Errorf("exit code %d\n%s%s", code, &out, &said)
	}
	if _, err := os.Stat(filepath.Join(dir, "kept", "searches")); err == nil {
		t.Error("the search is in the store")
	}
}

// TestKnownFindingsHideNoQuestion has a program whose work-groups race as is known, and one of which waits for the others: under obe it may
// do so for ever. What is asked of it is not verified because the race is set aside; a finding CL1020 is set aside as any other.
func TestKnownFindingsHideNoQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.cl")
	text := `//clmc:launch k global=3 local=1
kernel void k(global atomic_int *flag, global int *y) {
	if (get_group_id(0) < 2) { *y = 1; atomic_store(flag, 1); }
	else while (atomic_load(flag) == 0) ;
}
`
	for _, c := range []struct {
		lines string
		code  int
		says  string
	}{
		{"//clmc:known CL1001 k.cl:5 so be it\n//clmc:expect verified\n", exitVerified, "verified but for known"},
		{"//clmc:known CL1001 k.cl:5 so be it\n//clmc:expect liveness=obe verified\n", exitInconclusive, "whether every execution ends was not asked"},
		{"//clmc:known CL1001 k.cl:5 so be it\n//clmc:expect liveness=all verified\n", exitInconclusive, "whether every execution ends was not asked"},
		{"//clmc:known CL1001 k.cl:5 so be it\n//clmc:expect liveness=obe CL1020\n", exitInconclusive, "whether every execution ends was not asked"},
		{"//clmc:expect liveness=obe violated CL1020\n\n", exitViolation, "found CL1001"},
	} {
		put(t, path, c.lines+text)
		if code, out, err := ran("test", path); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit code %d\n%s%s", c.lines, code, out, err)
		}
	}
	put(t, path, "//clmc:known CL1020 k.cl:6 there are three at a time\n//clmc:expect liveness=obe verified\n"+strings.Replace(text, "*y = 1;", "", 1))
	if code, out, err := ran("test", path); code != exitVerified || !strings.Contains(out, "verified but for known") {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
}

// TestReplayedRounds keeps a round that goes on for ever under weak fairness, and says of it what is not so: under strong fairness it ends with probability 1.
func TestReplayedRounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	if code, out, err := ran("explore", "@progress_after_you", "--liveness", "fair", "--trace", path); code != exitViolation {
		t.Fatalf("exit code %d\n%s%s", code, out, err)
	}
	if code, out, err := ran("replay", path); code != exitViolation || !strings.Contains(out, "From here steps 5 to 10 repeat for ever.") {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, strings.Replace(string(text), `"fairness": "weak"`, `"fairness": "strong"`, 1))
	if code, out, err := ran("replay", path); code != exitUsage || !strings.Contains(err, "with probability 1 it ends") {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
	if code, out, err := ran("explore", "@progress_after_you", "--liveness", "hsa", "--fairness", "strong", "--trace", path); code != exitViolation {
		t.Fatalf("exit code %d\n%s%s", code, out, err)
	}
	if code, out, err := ran("replay", path); code != exitViolation {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
}
