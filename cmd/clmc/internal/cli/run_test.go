package cli

import (
	"bytes"
	"testing"
)

// TestExampleList runs the list that docs/nightly.md shows as an example.
func TestExampleList(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"run", "../../../../models/checks.yaml"}, &stdout, &stderr); code != exitVerified || stderr.Len() > 0 {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}
