package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// TestOtherRecord checks that a search of another clmc is refused, and what
// differs is named.
func TestOtherRecord(t *testing.T) {
	ours := record{Format: recordFormat, Version: version(), Fingerprint: fingerprints}
	for _, c := range []struct {
		change func(*record)
		want   string
	}{
		{func(r *record) { r.Format = 0 }, "a description of format 0, and this clmc reads format 1"},
		{func(r *record) { r.Format++ }, "a description of format 2, and this clmc reads format 1"},
		{func(r *record) { r.Version = "v0.0.1" }, "was written by clmc v0.0.1, and this is clmc " + version()},
		{func(r *record) { r.Fingerprint = "md5" }, "fingerprints are md5, and this clmc's are xxh3-128"},
	} {
		r := ours
		c.change(&r)
		blob, err := r.blob()
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "store")
		d, err := disk.Create(dir, disk.Options{Mem: 32 << 20}, nil, []store.Blob{blob})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := Main([]string{"resume", dir}, &stdout, &stderr)
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) || !strings.Contains(stderr.String(), dir) {
			t.Errorf("exit code %d, want %q: %s%s", code, c.want, &stdout, &stderr)
		}
	}
}
