package optimise

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/testkit/thorough"
)

// divergent are kernels with barriers to which not all come, by name. The first line of each says what a repair costs, or that there is none, and why.
func divergent(t *testing.T) []txtar.File {
	t.Helper()
	text, err := os.ReadFile("testdata/divergent.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(text).Files
}

// TestRepairDivergent: a barrier to which not all come goes, moves, or becomes one with others, where that mends it; else that is said. What each comes to was
// derived from its text.
func TestRepairDivergent(t *testing.T) {
	repaired, none := 0, 0
	for i, f := range divergent(t) {
		if !thorough.Asked() && i%3 != 1 && !strings.HasPrefix(f.Name, "s1mem") && !strings.HasPrefix(f.Name, "s2") {
			continue
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(string(f.Data), "// "), "\n")
		want, _, _ := strings.Cut(head, ":")
		r := mendText(t, f.Name, string(f.Data))
		switch {
		case want == "none":
			if none++; r.Verdict != NoRepair || !strings.Contains(r.Line(), "no change of orders, scopes, flags or barriers mends it") || len(r.Ideas) == 0 {
				t.Errorf("%s: %s\n%s", f.Name, head, r.Text(true))
			}
		case r.Verdict != Repaired || Cost(r.Cost) != want:
			t.Errorf("%s: %s\n%s", f.Name, head, r.Text(true))
		default:
			repaired++
		}
	}
	if repaired < thorough.Of(9, 31) || none < thorough.Of(5, 9) {
		t.Errorf("only %d are repaired, and %d are not", repaired, none)
	}
}

// TestRepairAsWritten: a barrier that moves keeps its name, and a macro its use.
func TestRepairAsWritten(t *testing.T) {
	for _, f := range divergent(t) {
		as := map[string]string{"09macro.cl": "\n  SYNC;\n", "13sub.cl": "\n  sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n", "23macrocall.cl": "\n  SYNC();\n"}[f.Name]
		if as == "" {
			continue
		}
		r := mendText(t, f.Name, string(f.Data))
		for _, m := range r.Found {
			for _, text := range m.Texts {
				if strings.Count(text, as) != 1 || strings.Contains(text, "\n  "+as[1:]) {
					t.Errorf("%s:\n%s", f.Name, text)
				}
			}
		}
		if len(r.Found) == 0 {
			t.Errorf("%s: %s", f.Name, r.Text(false))
		}
	}
}
