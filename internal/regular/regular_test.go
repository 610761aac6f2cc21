package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]string{0: "", 3: "123", 5: "12345", 99: "12345"} {
		if got, err := Read(name, limit); string(got) != want || err != nil {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
	}
	if _, err := Read(dir, 9); !errors.Is(err, ErrKind) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}
