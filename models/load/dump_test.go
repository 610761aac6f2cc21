package load

import (
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	path := os.Getenv("MODEL")
	if path == "" {
		t.Skip()
	}
	p, err := File(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + p.String())
}
