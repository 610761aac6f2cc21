//go:build unix

package regular

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that is replaced keeps its mode, a new one has what the umask leaves, and a link still leads to its file.
func TestReplace(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	old, fresh, link := filepath.Join(dir, "old"), filepath.Join(dir, "fresh"), filepath.Join(dir, "link")
	if err := os.WriteFile(old, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(old, 0o664); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(old, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, fresh} {
		if err := Replace(name, []byte("2")); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{old: 0o664, fresh: 0o640} {
		info, err := os.Lstat(name)
		text, also := os.ReadFile(name)
		if err != nil || also != nil || string(text) != "2" || info.Mode() != mode {
			t.Errorf("%s: %q, %v, %v, %v; want 2, %v", name, text, info, err, also, mode)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("%v, %v are there", files, err)
	}
	if err := os.Chmod(old, 0o444); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, dir} {
		if err := Replace(name, []byte("3")); err == nil {
			t.Errorf("%s is replaced", name)
		}
	}
}
