package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
)

// TestSizesInFlags sees that flags take some of the sizes of a launch line with its arguments and assertions, that a size of sub-groups goes for
// all lines, and that a trace names the sizes.
func TestSizesInFlags(t *testing.T) {
	const text = `//clmc:launch k global=8 local=4|8 out=zero[1] n=3
//clmc:assert out[0] == 43
kernel void k(global int *out, int n) { if (get_global_id(0) == 0) out[0] = get_local_size(0) * 10 + n + get_sub_group_size() - 4; }
`
	for _, c := range []struct {
		opt     clc.Options
		verdict string
		says    string
	}{
		{clc.Options{}, "violated", "chooses local=8"},
		{clc.Options{Local: "4"}, "verified", ""},
		{clc.Options{Local: "8"}, "violated", ""},
		{clc.Options{SubGroup: "4"}, "violated", "chooses local=8"},
		{clc.Options{Local: "4", SubGroup: "2"}, "violated", ""}, // 41
		{clc.Options{Local: "4", SubGroup: "4|8"}, "verified", "sub_group=4; sub_group=8."},
	} {
		p, err := clc.Source("k.cl", []byte(text), c.opt)
		if err != nil {
			t.Fatal(c.opt.Flags(), err)
		}
		rep, err := report.New(p.Name, p, explore.Run(t.Context(), p, explore.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := rep.Text(&b); err != nil {
			t.Fatal(err)
		}
		if got := b.String() + strings.Join(p.Notes, "\n"); !strings.Contains(got, "verdict: "+c.verdict) || !strings.Contains(got, c.says) || len(p.Unchecked) > 0 {
			t.Errorf("%q: %q unchecked, want %s with %q in\n%s", c.opt.Flags(), p.Unchecked, c.verdict, c.says, got)
		}
	}
}
