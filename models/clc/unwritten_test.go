package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
)

// TestUnwrittenByPointer sees that a read of private memory by a pointer, which no variable's name is known of, is told as one: not as one of
// the shared memory that the step before was about, which has no write at all perhaps.
func TestUnwrittenByPointer(t *testing.T) {
	for _, before := range []string{"out[0] = 1;", "out[1] = out[0];", "out[0] = n; out[1] = out[n];", ""} {
		text := "//clmc:launch k global=1 local=1 n=1 out=zero[3]\nkernel void k(global int *out, int n) {\n  uchar b[8];\n  " + before + "\n  out[2] = ((uint *)b)[0];\n}\n"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := report.New(p.Name, p, explore.Run(t.Context(), p, explore.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		v := rep.Document().Violations
		if len(v) != 1 || !strings.Contains(v[0].Message, "reads private memory that it has not written") {
			t.Errorf("%s: %+v", before, v)
		}
	}
}
