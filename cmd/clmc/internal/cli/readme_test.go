package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReadme checks that what README.md shows of the demo is what clmc prints:
// each line of the README's, in this order, with others left out.
func TestReadme(t *testing.T) {
	t.Chdir("../../../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "$ clmc explore models/shipped/kernel_dot_wrongflag/main.go\n"
	_, block, found := strings.Cut(string(readme), command)
	shown, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatalf("README.md does not show %s", command)
	}
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"explore", "models/shipped/kernel_dot_wrongflag/main.go"}, &stdout, &stderr); code != exitViolation {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	printed := lines(stdout.String())
	for _, line := range lines(shown) {
		at := slices.Index(printed, line)
		if at < 0 {
			t.Fatalf("README.md shows, but clmc does not print there:\n%s\nIt prints\n%s", line, &stdout)
		}
		printed = printed[at+1:]
	}
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
