package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestProofsMakeLaunchesNeedless explores kernels without a launch. The comment of each says how many launches are needed beside a proof; without one all are tried.
func TestProofsMakeLaunchesNeedless(t *testing.T) {
	const id = `int i = get_global_id(0); `
	for name, c := range map[string]struct{ text, want string }{
		// There is one kind of launch: each work-item has something to do.
		"no bound": {`kernel void k(global int *a) { ` + id + `a[i] = 1; }`,
			`^verified for the one launch tried .*; proved: no data race, divergence or failed assertion, for all data and all sizes$`},
		// A bound leaves a work-item out in a second one.
		"a bound": {`kernel void k(global int *a, int n) { ` + id + `if (i < n) a[i] = 1; }`, `^verified for the 2 launches tried .*n=7, n=8\); proved: `},
		// There the last of the local array is read, and nobody has written it: the proof is not about that. A third launch has one work-item less than the bound, and is verified.
		"not written": {`kernel void k(global int *a, int n) { local int t[4]; int l = get_local_id(0); ` + id + `if (i < n) t[l] = i;
barrier(CLK_LOCAL_MEM_FENCE);
a[i] = t[l]; }`, `CL1002 .* in 1 of 3 launches tried`},
		// A remainder by m-1 goes wrong where m is 1, which the proof is not about. One by a size does not.
		"a divisor": {`kernel void k(global int *a, int n, int m) { ` + id + `if (i < n) a[i] = n % (m - 1); }`, `CL1007 .* in 1 of 7 launches tried`},
		"a size":    {`kernel void k(global int *a, int n) { ` + id + `if (i < n) a[i] = n % (int)get_local_size(0); }`, `^verified for the 2 launches tried `},
		// Its line runs in the third of the launches, which are those of mode == 2, 3 and 0.
		"a case": {`kernel void k(global int *a, int mode) { ` + id + `
switch (mode) {
case 2: return;
case 3: return;
default:
a[i] = 1;
}
}`, `^verified for the 3 launches tried `},
		// A line that no launch comes to is looked for in all: two groups, one, and groups half and twice as large.
		"never": {`kernel void k(global int *a, global const int *in) { ` + id + `if (in[i] > 1000)
a[2*i+1] = 2;
a[2*i] = 1; }`, `^verified for the 4 launches tried .*; proved: .*; line 2 never ran$`},
		// Images are not followed: without a proof there may be a race in any launch.
		"no proof": {`kernel void k(write_only image1d_t a) { ` + id + `write_imagef(a, i, 1.0f); }`, `^verified for the 4 launches tried \([^)]*\)$`},
		"of two": {`kernel void j(global int *a) { ` + id + `a[i] = 1; }
kernel void k(write_only image1d_t a) { ` + id + `write_imagef(a, i, 1.0f); }`, `^verified for the 5 launches tried .*; 1 of 2 kernels proved$`},
		"both": {`kernel void j(global int *a) { ` + id + `a[i] = 1; }
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *a) { ` + id + `a[i] = 1; }`, `^verified for the 2 launches tried .*; 2 of 2 kernels proved$`},
	} {
		path := filepath.Join(t.TempDir(), "k.cl")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		Main([]string{"explore", "-q", "--time-limit", "10m", path}, &stdout, &stderr)
		m := regexp.MustCompile(`(?m)^.*: verdict: (.*)$`).FindSubmatch(stdout.Bytes())
		if m == nil || !regexp.MustCompile(c.want).Match(m[1]) {
			t.Errorf("%s: %s%s, want %s", name, &stdout, &stderr, c.want)
		}
	}
}
