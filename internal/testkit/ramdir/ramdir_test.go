package ramdir

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder is there, and empty, while the test runs, and is another one each time; when the test has ended it is gone with all that is in it.
func TestNew(t *testing.T) {
	var dirs []string
	t.Run("makes two", func(t *testing.T) {
		for range 2 {
			dir := New(t)
			if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
				t.Errorf("%s: %v, %v", dir, list, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Error(err)
			}
			dirs = append(dirs, dir)
		}
	})
	if len(dirs) != 2 || dirs[0] == dirs[1] {
		t.Fatal(dirs)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: %v, want that it is gone", dir, err)
		}
	}
}

func TestRoom(t *testing.T) {
	if n := room(filepath.Join(t.TempDir(), "none")); n != 0 {
		t.Errorf("%d bytes in a folder that is not there", n)
	}
}
