package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAbsurd gives flags and names that cannot be meant. Each is refused at once,
// with a line that says which it is and what is wanted instead.
func TestAbsurd(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"void.go": "", "void.litmus": "", "void.json": "", "void.yaml": "",
		"none.yaml":   "checks: []\n",
		"null.yaml":   "checks:\n",
		"word.yaml":   "checks\n",
		"states.yaml": "checks:\n  - {model: \"@kernel_dot\", max-states: -1}\n",
		"huge.yaml":   "checks:\n  - {model: \"@kernel_dot\", max-states: 99999999999999999999}\n",
		"budget.yaml": "budget: -8h\nchecks:\n  - {model: \"@kernel_dot\"}\n",
		"ages.yaml":   "budget: 99999999999h\nchecks:\n  - {model: \"@kernel_dot\"}\n",
		"good.yaml":   "checks:\n  - {model: \"@kernel_dot\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"empty", "folder.svg", "folder.yaml"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const model = "@kernel_dot"
	for _, test := range []struct{ args, says string }{
		{"explore --mem -1 " + model, "--mem"},
		{"explore --mem 1e30 " + model, "want a size such as 512MiB"},
		{"explore --mem 8EiB " + model, "want a size such as 512MiB"},
		{"explore --mem NaN " + model, "want a size such as 512MiB"},
		{"explore --mem 1 " + model, "want at least 32 MiB"},
		{"explore --mem '' " + model, "--mem"},
		{"explore --max-states -1 " + model, "--max-states -1: want a positive number"},
		{"explore --max-states 1.5 " + model, "want a whole number"},
		{"explore --max-states 99999999999999999999 " + model, "the number is too large"},
		{"explore --time-limit -1s " + model, "--time-limit -1s: want a positive duration"},
		{"explore --time-limit 5 " + model, "want a duration such as 30s"},
		{"explore --time-limit 1e9h " + model, "want a duration such as 30s"},
		{"explore --workers -1 " + model, "--workers -1: want a number from 1 to"},
		{"explore --workers 1000000 " + model, "--workers 1000000: want a number from 1 to"},
		{"explore --promises -1 " + model, "want auto, or a number"},
		{"explore --promises 1000000000 " + model, "want auto, or a number"},
		{"explore --outcomes -5 " + model, "--outcomes -5: want"},
		{"explore --checkpoint-every -1s " + model, "want a positive duration"},
		{"explore --disk-limit -1 " + model, "--disk-limit"},
		{"explore --disk-limit 99999999999999999999 " + model, "--disk-limit"},
		{"explore --store '' " + model, "--store: the value is empty"},
		{"explore --store DIR/void.go " + model, "void.go: not a directory\nName a folder"},
		{"explore --store DIR " + model, "the directory is not empty and holds no store"},
		{"explore --graph '' " + model, "must end in .dot or .svg"},
		{"explore --graph DIR/folder.svg " + model, "folder.svg: is a directory"},
		{"explore --graph DIR/none/a.svg " + model, "a.svg: no such file or directory\nName a file"},
		{"explore --trace DIR/empty " + model, "empty: is a directory"},
		{"explore --trace '' " + model, "--trace: the value is empty"},
		{"explore -D n=-1 " + model, ":21:10: "},
		{"explore -D n=0 " + model, ":46:37: "},
		{"explore -D n=99999999999999999999 " + model, ":21:10: "},
		{"explore -D n=100000000 " + model, "too large"},
		{"explore -D =3 " + model, "is not the name of a constant"},
		{"explore -D n= " + model, "want name=value"},
		{"explore -D n=4 -D n=5 " + model, "n is given twice"},
		{"explore ''", "argument 1 is empty"},
		{"explore @", "no model called"},
		{"explore -", "no such file"},
		{"explore DIR/empty", "the folder holds no models"},
		{"explore DIR/void.go", "the file is empty"},
		{"explore DIR/void.litmus", "not an OpenCL litmus test"},
		{"explore DIR/void.json", "want a .go file"},
		{"litmus DIR/void.litmus", "not an OpenCL litmus test"},
		{"litmus DIR/empty", "holds no .litmus file"},
		{"litmus -j 0 DIR/void.litmus", "--jobs 0: want at least 1"},
		{"litmus --gen random -n -1 -o DIR/g", "--count -1: want a positive number"},
		{"litmus --gen random -o DIR/void.go", "not a directory"},
		{"litmus --gen random --seed 99999999999999999999 -o DIR/g", "the number is too large"},
		{"run DIR/void.yaml", "the file is empty"},
		{"run DIR/none.yaml", "there are no checks"},
		{"run DIR/null.yaml", "null.yaml:1:"},
		{"run DIR/word.yaml", "word.yaml:1:1: want keys and values"},
		{"run DIR/states.yaml", "states.yaml:2:40: \"-1\": want a positive number"},
		{"run DIR/huge.yaml", "huge.yaml:2:40: "},
		{"run DIR/budget.yaml", "budget.yaml:1:9: \"-8h\": want a duration"},
		{"run DIR/ages.yaml", "ages.yaml:1:9: "},
		{"run DIR/folder.yaml", "it is a folder: want a regular file; name the file"},
		{"run --budget -1s DIR/good.yaml", "--budget -1s: want a positive duration"},
		{"run --store '' DIR/good.yaml", "--store: the value is empty"},
		{"run --store DIR/void.go DIR/good.yaml", "the store of results: "},
		{"run --json '' DIR/good.yaml", "--json: the value is empty"},
		{"run --json DIR/empty DIR/good.yaml", "empty: is a directory"},
		{"run --format '' DIR/good.yaml", "want text, json, junit, sarif or github"},
		{"replay DIR/void.json", "not a trace file"},
		{"replay DIR", "it is a folder"},
		{"resume DIR/void.go", "void.go: not a directory\nName a folder"},
		{"resume DIR/empty", "there is no store in this directory"},
		{"status DIR/void.go", "void.go: not a directory"},
		{"status ''", "argument 1 is empty"},
		{"explain CL9999", "unknown id"},
		{"models x y", "at most 1 arg"},
		{"nonsense", "unknown command"},
		{"--nonsense", "unknown flag"},
	} {
		var args []string
		for _, word := range strings.Fields(strings.ReplaceAll(test.args, "DIR", dir)) {
			args = append(args, strings.Trim(word, "'"))
		}
		began := time.Now()
		o := run(t, args...)
		if o.code != 2 || o.stdout != "" || !strings.HasPrefix(o.stderr, "clmc: ") || !strings.Contains(o.stderr, test.says) || strings.Contains(o.stderr, "goroutine ") {
			t.Errorf("%s: exit code %d, want 2 and %q: %s%.500s", test.args, o.code, test.says, o.stdout, o.stderr)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %v", test.args, took)
		}
	}
}
