package optimise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/model"
)

// TestByHand compares the search, downwards and upwards, with what was derived by hand for twenty programs.
func TestByHand(t *testing.T) {
	a, err := txtar.ParseFile("testdata/byhand.txtar")
	if err != nil || len(a.Files) != 20 {
		t.Fatal(len(a.Files), err)
	}
	for _, f := range a.Files {
		words := strings.Fields(f.Name) // the file, the command, the verdict and the cost
		path := filepath.Join(t.TempDir(), words[0])
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		var verdict, cost, text string
		if words[1] == "repair" {
			r := mendText(t, words[0], string(f.Data))
			verdict, cost, text = r.Verdict, Cost(r.Cost), r.Text(true)
		} else {
			opt := options()
			r, err := Run(t.Context(), model.Target(path), opt)
			if err != nil {
				t.Fatal(err)
			}
			fresh(t, r, opt)
			verdict, cost, text = r.Verdict, Cost(r.Cost), r.Text(true)
			if r.Verdict == Nothing {
				verdict, cost = "nothing", Cost(r.Was)
			}
		}
		if want := strings.ReplaceAll(words[2], "_", " "); verdict != want || verdict != NoRepair && cost != words[3] {
			t.Errorf("%s: %s, cost %s\n%s", f.Name, verdict, cost, text)
		}
	}
}
