package proofs

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/shipped"
)

// TestIdioms goes through kernels whose verdicts are derived beside them.
func TestIdioms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			for line := range strings.Lines(string(f.Data)) {
				if what, ok := strings.CutPrefix(line, "//: "); ok {
					t.Run(f.Name+" "+strings.TrimSpace(what), func(t *testing.T) { idiom(t, f, strings.TrimSpace(what)) })
				}
				if what, ok := strings.CutPrefix(strings.TrimSpace(line), "//!"); ok {
					t.Run(f.Name+" "+strings.TrimSpace(what+" "+open), func(t *testing.T) { idiom(t, f, what+" "+open) })
				}
			}
		}
	}
}

// open is whatever is not proved.
const open = "open"

// idiom proves one kernel as a line says.
func idiom(t *testing.T, f txtar.File, what string) {
	flags, verdict, about := what, "", ""
	for _, v := range []string{NotProved, Proved, Violated, open} {
		if before, after, ok := strings.Cut(" "+what+" ", " "+v+" "); ok {
			flags, verdict, about = strings.TrimSpace(before), v, strings.TrimSpace(after)
			break
		}
	}
	opt := Options{Query: time.Minute, AnySize: true, Model: model.Options{Defines: map[string]string{}}}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Func("D", "", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		opt.Model.Defines[name] = value
		return nil
	})
	set.StringVar(&opt.Groups, "groups", "", "")
	set.BoolVar(&opt.Model.Kernels.GPUVerify, "gpuverify-header", false, "")
	set.StringVar(&opt.Model.Kernels.Local, "local", "", "")
	set.Func("arg", "", func(s string) error { opt.Model.Kernels.Args = append(opt.Model.Kernels.Args, s); return nil })
	set.Func("assume", "", func(s string) error { opt.Assume = append(opt.Assume, s); return nil })
	if err := set.Parse(strings.Fields(flags)); err != nil || verdict == "" || set.NArg() > 0 {
		t.Fatalf("what is %q? %v", what, err)
	}
	opt.AnySize = opt.Model.Kernels.Local == ""
	if verdict != Proved { // what the solver cannot find out then, smaller sizes tell
		opt.Query = time.Duration(thorough.Of(150, 500)) * time.Millisecond
	}
	if verdict == Violated { // on any machine
		opt.Replay = time.Minute
	}
	opt.Dry = verdict == open
	list, err := Source(t.Context(), f.Name, f.Data, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.Verdict != verdict && (verdict != open || p.Verdict == Proved) {
			t.Errorf("%s, want %s\n%s", p.Verdict, verdict, p.Text(120))
		}
		if p.Found != nil && !strings.Contains(p.Found.Verdict(), about) || p.Verdict == NotProved && !strings.Contains(strings.Join(p.Open, "\n"), about) {
			t.Errorf("%s, want %s", p.Text(120), about)
		}
		document(t, p)
	}
}

// document sees that the stored form has what the schema says.
func document(t *testing.T, p *Proof) {
	text, err := json.Marshal(p.Document(nil))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if json.Unmarshal(text, &doc) != nil || json.Unmarshal([]byte(SchemaText), &schema) != nil {
		t.Fatalf("no JSON: %s", text)
	}
	for name := range doc {
		if schema.Properties[name] == nil {
			t.Errorf("the schema has no %s", name)
		}
	}
	for _, name := range schema.Required {
		if _, ok := doc[name]; !ok {
			t.Errorf("the document has no %s", name)
		}
	}
}

var figures = flag.Bool("figures", false, "how long proofs take, as docs/performance.md says")

// TestProofTimes measures proofs in processor time: of kernels in the style of GPUVerify's, of those that are shipped, and of one of 500 lines.
func TestProofTimes(t *testing.T) {
	if !*figures {
		t.Skip("no -figures")
	}
	timed := func(name string, text []byte, opt Options) (took time.Duration, verdict string) {
		from, _ := cputime.Spent()
		list, err := Source(t.Context(), name, text, opt)
		now, _ := cputime.Spent()
		if err != nil {
			return now - from, "refused"
		}
		for _, p := range list {
			verdict += p.Verdict + " "
		}
		return now - from, verdict
	}
	var all []time.Duration
	for _, name := range []string{"testdata/style.txtar", "testdata/small.txtar"} {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			opt := Options{AnySize: true}
			if _, flags, ok := strings.Cut(string(f.Data), "//: --local "); ok {
				opt.Model.Kernels.Local, opt.AnySize = strings.Fields(flags)[0], false
				if words := strings.Fields(flags); words[1] == "--groups" {
					opt.Groups = words[2]
				}
			}
			took, verdict := timed(f.Name, f.Data, opt)
			all = append(all, took)
			t.Logf("%s: %v %s", f.Name, took, verdict)
		}
	}
	slices.Sort(all)
	t.Logf("%d kernels: %v at the median, %v at the 95th percentile, %v at most", len(all), all[len(all)/2], all[len(all)*95/100], all[len(all)-1])
	sum, n := time.Duration(0), 0
	for _, m := range shipped.All() {
		if m.IsKernel() {
			took, verdict := timed(m.Name, []byte(m.Source), Options{})
			sum, n = sum+took, n+1
			t.Logf("%s: %v %s", m.Name, took, verdict)
		}
	}
	t.Logf("%d shipped kernel files: %v", n, sum)
	for _, lines := range []int{100, 200, 500} {
		took, verdict := timed("long.cl", longKernel(lines), Options{AnySize: true})
		t.Logf("%d lines: %v %s", lines, took, verdict)
	}
}

// longKernel has so many lines of loops, branches, barriers and accesses, as long kernels of libraries have: in each part all write to their own element,
// and read a neighbour's behind a barrier.
func longKernel(lines int) []byte {
	var b strings.Builder
	b.WriteString("kernel void k(global int *a, local int *t, int n) {\n  int l = get_local_id(0), L = get_local_size(0), g = get_global_id(0), s = 0;\n")
	for i := 0; 7*i+5 < lines; i++ {
		fmt.Fprintf(&b, "  for (int i = 0; i < n + %d; i++)\n    s = s * 3 + a[g * 4 + (i & 3)];\n  if (s > %d)\n    s -= %d;\n  t[l] = s;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  s += t[(l + %d) %% L]; barrier(CLK_LOCAL_MEM_FENCE);\n", i%5, i, i, 1+i%4)
	}
	b.WriteString("  a[g * 4] = s;\n}\n")
	return []byte(b.String())
}
