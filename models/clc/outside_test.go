package clc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
)

// An access beyond an object is told with the object, its length and type, the element or bytes, and the index as it is written; also
// through a cast, by a member, and of several elements at a time. The numbers are by hand: byte 18 is in element 4 of ints.
func TestOutsideIsToldInElements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ launch, params, body, want string }{
		{"a=int[3]", "global int *a", "global char *c = (global char *)a; int n = 20; c[n - 2] = 1;", "in element 4 of a, which has 3 elements of type int; the index of c is n - 2 (n is 20)."},
		{"s=S[2]", "global S *s", "int i = 5; s[i].a = 1;", "in element 5 of s, which has 2 elements of type struct S; the index is i (i is 5)."},
		{"s=S[2]", "global S *s", "int i = 5; s[1].a = s[i].a;", "in element 5 of s, which has 2 elements of type struct S; the index is i (i is 5)."},
		{"f=float[6]", "global float *f", "vstore4((float4)(1), 2, f);", "bytes 32 to 47 of f, which has 6 elements of type float (24 bytes)."},
		{"a=int[3]", "global int *a", "global int *p = a + 2; p[3] = 1;", "element 5 of a, which has 3 elements of type int; the index of p is 3."},
		{"a=int[3]", "global int *a", "int i = 1; *(global long *)(a + i + 1) = 5;", "bytes 8 to 15 of a, which has 3 elements of type int (12 bytes)."},
		{"a=int[3] n=3", "global int *a, int n", "a[n] += 2;", "element 3 of a, which has 3 elements of type int; the index is n (n is 3)."},
		{"a=int[1]", "global int *a", "local int l[2]; l[get_local_id(0) + 2] = 1;", "element 2 of l, which has 2 elements of type int; the index is get_local_id(0) + 2 (get_local_id(0) is 0)."},
		{"a=int[1]", "global int *a", "short p[3]; int i = 4; p[i] = 1; a[0] = p[0];", "element 4 of p, which has 3 elements of type short; the index is i (i is 4)."},
	} {
		text := "typedef struct { int a; char b[2]; } S;\n//clmc:launch k global=1 local=1 " + c.launch + "\nkernel void k(" + c.params + ") {\n  " + c.body + "\n}\n"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		rep, err := report.New("k.cl", p, explore.Run(context.Background(), p, explore.Options{}))
		if err != nil || len(rep.Traces) != 1 {
			t.Errorf("%s: %d violations, %v", c.body, len(rep.Traces), err)
			continue
		}
		if got := rep.Traces[0].Message; rep.Traces[0].ID != "CL1005" || !strings.HasSuffix(got, ": "+c.want) {
			t.Errorf("%s: %s %q, want %q", c.body, rep.Traces[0].ID, got, c.want)
		}
	}
}
