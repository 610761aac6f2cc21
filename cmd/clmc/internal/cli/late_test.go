package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLate explores a kernel whose data are any: the report has data, a recorded execution is repeated with them, and what would take executions that no data
// have for real ones refuses.
func TestLate(t *testing.T) {
	dir := t.TempDir()
	file, bug := filepath.Join(dir, "k.cl"), filepath.Join(dir, "bug.json")
	const text = "//clmc:launch k global=2 local=1 a=any[2] out=zero[1]\n" +
		"kernel void k(global const int *a, global int *out) { if (a[get_global_id(0)] == 3) out[0] = 1; }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"explore", file, "--trace", bug}, exitViolation, "a = {3, 3}"},
		{[]string{"explore", file, "--format", "json"}, exitViolation, `"a=int[2]{3,3}"`},
		{[]string{"replay", bug}, exitViolation, "CL1001"},
		{[]string{"explore", file, "--given", "a=int[2]{3,4}"}, exitVerified, "verified"},
		{[]string{"explore", file, "--store", filepath.Join(dir, "store")}, exitUsage, "a is any"},
		{[]string{"explore", file, "--witness", "x==1"}, exitUsage, "a is any"},
		{[]string{"explore", file, "--liveness", "fair"}, exitUsage, "a is any"},
		{[]string{"simulate", file}, exitUsage, "a is any"},
		{[]string{"repair", file}, exitUsage, "a is any"},
		{[]string{"explore", file, "--kernel", "k", "--global", "1", "--local", "1", "--arg", "a=any[1]", "--arg", "out=zero[1]", "--require", "all-data"}, exitVerified, "for all data"},
		{[]string{"explore", file, "--kernel", "k", "--global", "1", "--local", "1", "--arg", "a=any", "--arg", "out=zero[1]"}, exitUsage, "does not describe"},
		{[]string{"explore", file, "--workers", "2"}, exitViolation, "a = {3, 3}"},
	} {
		if code, out := clmc(c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: exit code %d, want %d, and %q:\n%s", c.args, code, c.code, c.says, out)
		}
	}
}
