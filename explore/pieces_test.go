package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
)

// TestOneRaceOfPieces counts the races that are listed where executions are followed beyond them: one for each pair of accesses that the source has, and
// element where these are executed several times.
func TestOneRaceOfPieces(t *testing.T) {
	for _, c := range []struct {
		races int
		text  string
	}{
		{1, `kernel void k(global uchar *a) { *(global int *)a = get_global_id(0); }`},
		{1, `kernel void k(global uchar *a) { vstore4((uchar4)(get_global_id(0)), 0, a + 2 * get_global_id(0)); }`}, // two bytes of each
		{1, `kernel void k(global float4 *a) { a[1] = (float4)(get_global_id(0)); }`},
		{1, `typedef struct { int x, y; char c; } s; kernel void k(global s *a) { s v; v.x = 1; v.y = 2; v.c = 3; *a = v; }`},
		{4, `kernel void k(global int *a) { global uchar *b = (global uchar *)a; if (get_global_id(0)) { b[0] = 1; b[1] = 2; b[2] = 3; b[3] = 4; } else a[0] = 5; }`},
		{3, `kernel void k(global int *a) { for (int i = 0; i < 3; i++) a[i] = 1; }`},
		{2, `kernel void k(global float2 *a) { for (int i = 0; i < 2; i++) a[i] = 1; }`}, // two rounds of a vector each
		{3, "#define SET a[0] = 1; b[0] = 1; a[2] = 1\n kernel void k(global int *a, global int *b) { SET; }"},
		{2, "#define SET a[0] = 1; a[2] = 1\n kernel void k(global int *a) { SET; }"},
	} {
		p := must(clc.Source("k.cl", []byte("//clmc:launch k global=2 local=1\n"+c.text), clc.Options{}))
		r := Run(context.Background(), p, Options{Spec: memmodel.Specs[0], All: true, Beyond: true})
		if len(r.Violations) != c.races {
			t.Errorf("%d races are listed, want %d:\n%s", len(r.Violations), c.races, c.text)
			for i := range r.Violations {
				t.Logf("%s on %s", r.Violations[i].Line, r.Violations[i].Location)
			}
		}
	}
}

// TestMutantsOfPieces breaks what tells one race from several.
func TestMutantsOfPieces(t *testing.T) {
	mutant.Try(t, pieceMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestOneRaceOfPieces$", ".")
	})
}

var pieceMutants = mutant.List([][5]string{
	{"pieces of one access race once", "explore/pastrace.go", "!told.repeated(&w) {", "!told.repeated(&w) || true {", ""},
	{"pieces are at one place of the source", "explore/pieces.go", "in.Pos != code[a.pc].Pos || in.Pos == 0", "in.Pos == 0", ""},
	{"pieces follow each other", "explore/pieces.go", "steps == 1 && b.cell.Addr == a.cell.Addr+1", "b.cell.Addr >= a.cell.Addr", ""},
	{"both accesses have another piece", "explore/pieces.go", "s.oneAccess(was[0], now[0]) && s.oneAccess(was[1], now[1]) ||", "s.oneAccess(was[0], now[0]) || s.oneAccess(was[1], now[1]) ||", ""},
})
