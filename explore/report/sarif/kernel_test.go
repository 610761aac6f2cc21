package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/clc"
)

// place is where something is, as SARIF has it.
type place struct {
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine, StartColumn int }
	}
}

func (p place) String() string {
	at := p.PhysicalLocation
	return fmt.Sprintf("%s:%d", filepath.Base(at.ArtifactLocation.URI), at.Region.StartLine)
}

// TestKernelPlaces sees that what is found in a kernel file has its places there and in what it includes, also those that a
// macro or a rewritten text moved.
func TestKernelPlaces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("set.h", "// set\nvoid set(__global int *a, int n) {\n  a[0] = n;\n}\n")
	path := write("k.cl", "#include \"set.h\"\n#define PUT(x) a[0] = (x)\n__kernel void k(__global int *a) {\n  __attribute__((opencl_unroll_hint)) for (int j = 0; j < 1; j++)\n    if (get_global_id(0)) PUT(7);\n    else set(a, 8);\n}\n")
	p, err := clc.File(path, clc.Options{Global: "2", Local: "1"})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := report.New("k.cl", p, explore.Run(t.Context(), p, explore.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	c := &report.Check{Name: "k.cl", Model: "k.cl", At: trace.Pos{File: "checks.yaml", Line: 1, Col: 1}, Expect: "verified", Status: report.Unexpected}
	c.SetResult(rep.Document())
	var b bytes.Buffer
	if err := Write(&b, report.NewSummary("v1", "checks.yaml", []*report.Check{c}, time.Second)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []place
				CodeFlows []struct {
					ThreadFlows []struct {
						Locations []struct{ Location place }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	r := doc.Runs[0].Results[0]
	var flow []string
	for _, l := range r.CodeFlows[0].ThreadFlows[0].Locations {
		flow = append(flow, l.Location.String())
		if l.Location.PhysicalLocation.Region.StartColumn < 1 || l.Location.PhysicalLocation.Region.StartLine < 1 {
			t.Errorf("no column at %v", l.Location)
		}
	}
	if r.RuleID != "CL1001" || len(r.Locations) != 1 || !slices.Contains([]string{"k.cl:5", "set.h:3"}, r.Locations[0].String()) {
		t.Errorf("%s at %v, want the race", r.RuleID, r.Locations)
	}
	slices.Sort(flow) // which of the two comes first is open
	if want := "k.cl:3 k.cl:5 set.h:3"; strings.Join(flow, " ") != want {
		t.Errorf("the schedule is at %v, want %s", flow, want)
	}
}

// TestScopes sees that the run says for which data the checks of kernel files are verified: content that nothing depends on is any, an index is given, and nobody reads out.
func TestScopes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(path, []byte("__kernel void k(__global const int *a, __global const int *idx, __global int *out) { int i = get_global_id(0); out[idx[i]] = a[i]; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := clc.File(path, clc.Options{Global: "2", Local: "1", Args: []string{"a=int[2]", "idx=int[2]{0,1}", "out=zero[2]"}})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := report.New("k.cl", p, explore.Run(t.Context(), p, explore.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	c := &report.Check{Name: "k.cl", Model: "k.cl", At: trace.Pos{File: "checks.yaml", Line: 1, Col: 1}, Expect: "verified", Status: report.Expected}
	c.SetResult(rep.Document())
	var b bytes.Buffer
	if err := Write(&b, report.NewSummary("v1", "checks.yaml", []*report.Check{c, {Name: "none", Status: report.Failed}}, time.Second)); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Runs []struct {
			Properties struct {
				Scopes []covered `json:"clmc/scopes"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Runs) != 1 || len(doc.Runs[0].Properties.Scopes) != 1 {
		t.Fatalf("no scopes in %s", b.Bytes())
	}
	got := doc.Runs[0].Properties.Scopes[0]
	said := got.Check + " " + got.Verdict
	for _, d := range got.Scope.Data {
		said += " " + d.Name + "=" + d.Covers
	}
	if want := "k.cl verified a=any idx=given"; said != want {
		t.Errorf("%s, want %s", said, want)
	}
}
