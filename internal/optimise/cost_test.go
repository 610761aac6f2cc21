package optimise

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// TestTables reads clmc's own tables, and holds some of their numbers against the sources that they name.
func TestTables(t *testing.T) {
	dev, wg := memmodel.ScopeDevice, memmodel.ScopeWorkGroup
	for _, c := range []struct {
		table string
		kind  ir.SiteKind
		s     ir.Strength
		cost  int64 // in hundredths: what breaks ties is left out below
	}{
		{"default", ir.LoadSite, ir.Strength{Order: memmodel.Acquire, Scope: dev}, 3680},
		{"default", ir.BarrierSite, ir.Strength{Flags: memmodel.LocalFence | memmodel.GlobalFence}, 400},
		{"amdgpu", ir.LoadSite, ir.Strength{Order: memmodel.Acquire, Scope: dev}, 203}, // s_waitcnt, buffer_wbinvl1_vol
		{"amdgpu", ir.LoadSite, ir.Strength{Order: memmodel.Acquire, Scope: wg}, 2},
		{"amdgpu", ir.StoreSite, ir.Strength{Order: memmodel.Release, Scope: dev}, 103},                         // s_waitcnt
		{"amdgpu", ir.ModifySite, ir.Strength{Order: memmodel.AcqRel, Scope: memmodel.ScopeAllSVMDevices}, 304}, // s_waitcnt, s_waitcnt, buffer_wbinvl1_vol
		{"amdgpu", ir.FenceSite, ir.Strength{Order: memmodel.SeqCst, Scope: dev, Flags: memmodel.GlobalFence}, 205},
		{"ptx", ir.LoadSite, ir.Strength{Order: memmodel.SeqCst, Scope: wg}, 300}, // fence.sc.cta; ld.acquire.cta
		{"ptx", ir.FenceSite, ir.Strength{Order: memmodel.AcqRel, Scope: dev, Flags: memmodel.GlobalFence}, 405},
	} {
		table, err := ReadTable(c.table)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.of(c.kind, c.s) / 10; got != c.cost {
			t.Errorf("%s: a %v of %v costs %d hundredths, want %d", c.table, c.kind, c.s, got, c.cost)
		}
	}
	for _, name := range Tables() {
		text, err := os.ReadFile("cost/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if len(line) > 170 {
				t.Errorf("%s:%d: a line of %d characters", name, i+1, len(line))
			}
		}
		// Each row of numbers has a comment above it that says where they are from, but in the default table, which says that it is none.
		rows := regexp.MustCompile(`(?m)^(\w+):`).FindAllStringSubmatchIndex(string(text), -1)
		for _, r := range rows {
			row := string(text[r[2]:r[3]])
			before := strings.Split(strings.TrimSpace(string(text[:r[0]])), "\n")
			if name == "default" || row == "name" || row == "scope_alone" && name == "" {
				continue
			}
			near := strings.Join(before[max(0, len(before)-4):], "\n")
			if !strings.Contains(near, "#") {
				t.Errorf("%s: nothing says where the numbers of %s are from", name, row)
			}
		}
	}
	if _, err := ReadTable("nvidia"); err == nil {
		t.Error("a table that is no file is read")
	}
}

// TestTableFaults: what is wrong with a table is told with its place.
func TestTableFaults(t *testing.T) {
	text, err := os.ReadFile("cost/default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ was, is, want string }{
		{"load: {", "fetch: {relaxed: 0}\nload: {", `table.yaml:4:8: clmc does not know the row "fetch"`},
		{"load: {relaxed: 0, ", "load: {relaxed: 0, consume: 1, ", `table.yaml:4:29: load: clmc does not know the column "consume"`},
		{"store: {relaxed: 0", "store: {relaxed: -1", `table.yaml:5:18: store.relaxed: -1: want a number from 0`},
		{"store: {relaxed: 0", "store: {relaxed: .nan", `table.yaml:5:18: store.relaxed: want a number`},
		{"store: {relaxed: 0", "store: {relaxed: 1e30", `table.yaml:5:18: store.relaxed: want a number`},
		{"store: {relaxed: 0", "store: {relaxed: 1000001", `store.relaxed: 1.000001e+06: want a number from 0`},
		{"store: {relaxed: 0", "store: {relaxed: much", `table.yaml:5:18: store.relaxed: want a number`},
		{"barrier: 0\n", "", `the row "barrier" is missing`},
		{"release: 4, seq_cst: 8}", "seq_cst: 8}", `table.yaml:5:8: store: the column "release" is missing`},
		{"barrier: 0", "barrier: 0\nbarrier: 1", `already defined`},
		{"acquire: 4, seq_cst: 8", "acquire: 9, seq_cst: 8", "costs less than"},
		{"device: 8", "device: 1", "costs less than"},
		{"{relaxed: 0, acquire: 4, seq_cst: 8}", "{relaxed: 0, acquire: {sub_group: 5, work_group: 4, device: 6, all_svm_devices: 7}, seq_cst: 8}", "costs less than"},
		{"{relaxed: 0, acquire: 4, seq_cst: 8}", "{relaxed: 0, acquire: {sub_group: 4, device: 6, all_svm_devices: 7}, seq_cst: 8}", `load.acquire: the column "work_group" is missing`},
		{"{relaxed: 0, acquire: 4, seq_cst: 8}", "[0, 4, 8]", "load: want names with numbers"},
		{"name: default", "name: [", "table.yaml"},
	} {
		edited := strings.Replace(string(text), c.was, c.is, 1)
		if edited == string(text) {
			t.Fatalf("%q is not in the table", c.was)
		}
		name := filepath.Join(t.TempDir(), "table.yaml")
		if err := os.WriteFile(name, []byte(edited), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadTable(name)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "table.yaml") {
			t.Errorf("%s: %v, want %q", c.is, err, c.want)
		}
	}
	for _, text := range []string{"", "load", "{}", "\x00", "- 1", "a: &a [*a]", strings.Repeat("[", 1000)} {
		if _, err := ParseTable("x", []byte(text)); err == nil {
			t.Errorf("%q is a table", text)
		}
	}
}
