package model

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
)

const handed = `//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
    *out = *data;
}
`

// TestReplayEdited repeats a recorded execution with the model as it was edited since: it is looked up by who reads what of whom, so that what does not
// matter to it may change; and where it does not go on, the step is told.
func TestReplayEdited(t *testing.T) {
	m, err := Target("mp.cl").Parse([]byte(handed), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := m.Explore(t.Context(), explore.Options{})
	if err != nil || len(rep.Traces) != 1 {
		t.Fatal(err)
	}
	file, err := report.NewTraceFile(m.Name, m.Program, rep.Result.Spec, nil, rep.Traces[0])
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := file.Save(&text); err != nil {
		t.Fatal(err)
	}
	// The second store comes after the first, so that to read 1 is to read what is not the newest: the second message from behind, or where there is one
	// more store, the third.
	for _, c := range []struct{ name, was, is, want string }{
		{"as it was", "", "", ""},
		{"lines moved", "kernel void", "\n\n// A comment.\nkernel void", ""},
		{"a fence more", "    atomic_store_explicit(flag, 2", "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n    atomic_store_explicit(flag, 2", ""},
		{"seq_cst", "flag, 2, memory_order_relaxed", "flag, 2, memory_order_seq_cst", ""},
		{"repaired", "flag, 1, memory_order_relaxed", "flag, 1, memory_order_release", "it ends without a violation"},
		{"a store is gone", "    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);\n", "", "fits until step "},
		{"it reads another", "flag, 1, memory_order_relaxed", "flag, 3, memory_order_relaxed", "fits until step "},
		{"one work-group", "global=2", "global=1", "fits until step "},
	} {
		edited := strings.Replace(handed, c.was, c.is, 1)
		if (edited == handed) != (c.was == "") {
			t.Fatalf("%s: nothing is edited", c.name)
		}
		n, err := Target("mp.cl").Parse([]byte(edited), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		file, err := report.LoadTrace(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.Repeat(file)
		switch {
		case c.want == "" && (err != nil || len(got.Traces) != 1 || got.Traces[0].ID != "CL1001"):
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
		t.Logf("%s: %v", c.name, err)
	}
}

// TestDamagedActs: what a trace file says of its moves is not believed.
func TestDamagedActs(t *testing.T) {
	m, err := Target("mp.cl").Parse([]byte(handed), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := m.Explore(t.Context(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Target("mp.cl").Parse([]byte(strings.Replace(handed, "flag, 1, memory_order_relaxed", "flag, 3, memory_order_relaxed", 1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(*report.TraceFile){
		"who":           func(f *report.TraceFile) { f.Acts[2].Unit = "x" },
		"what":          func(f *report.TraceFile) { f.Acts[2].Op = "nothing" },
		"no such write": func(f *report.TraceFile) { f.Acts[len(f.Acts)-3].Reads.Number = 99 },
		"nobody":        func(f *report.TraceFile) { f.Acts[2].Unit = "1234" },
	} {
		f, err := report.NewTraceFile(m.Name, m.Program, rep.Result.Spec, nil, rep.Traces[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Acts {
			if f.Acts[i].Reads != nil {
				f.Acts[len(f.Acts)-3], f.Acts[i] = f.Acts[i], f.Acts[len(f.Acts)-3]
			}
		}
		damage(f)
		if _, err := other.Repeat(f); err == nil {
			t.Errorf("%s: it is repeated", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
