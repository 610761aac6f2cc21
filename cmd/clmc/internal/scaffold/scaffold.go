// Package scaffold is what clmc init writes: a module in which editors, go vet and clmc
// find the vocabulary of models without a network, a first model, a list of checks and a file
// for a CI service.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/cl"
)

// File is a file to be written, with slashes in its name.
type File struct{ Name, Text string }

// Vocabulary is the folder that the vocabulary is written to. The go command and clmc leave
// out folders whose names begin with a dot when they look for packages and models.
const Vocabulary = ".clmc"

// Tasks is the file of tasks of VS Code. One that is there is the user's, as is a go.mod.
const Tasks = ".vscode/tasks.json"

// Theirs reports whether a file is never replaced.
func Theirs(name string) bool { return name == "go.mod" || name == Tasks }

const clmcModule = "github.com/clmc/clmc"

// goVersion is that of the modules that are written. Models need what the loader knows.
const goVersion = "1.26"

//go:embed files
var files embed.FS

func text(name string) string {
	t, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err)
	}
	return string(t)
}

// Module returns the files of a module of models in a folder, which may hold models
// and kernels already: then they are what is checked, and no other is written.
func Module(dir string) ([]File, error) {
	found, err := models(dir)
	if err != nil {
		return nil, err
	}
	all := append(VocabularyFiles(), File{"go.mod", goMod(dir)})
	if len(found) == 0 {
		all = append(all, File{"model.go", text("model.go.txt")})
		found = []string{"model.go"}
	}
	return append(all, File{"checks.yaml", Checks(found)}, File{".github/workflows/clmc.yml", text("clmc.yml")}, File{Tasks, text("tasks.json")}), nil
}

// models lists the models that a folder holds, by their names in it.
func models(dir string) ([]string, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil // it is to be made
	}
	found, err := model.Below(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range found.Models {
		name, err := filepath.Rel(dir, string(t))
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names, nil
}

// goMod is the go.mod of a module of models.
func goMod(dir string) string {
	return fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s v0.0.0\n\n// The vocabulary of models, as this clmc knows it; 'clmc init --force' writes it again. For the package\n// models/check replace it by a checkout of clmc: => /path/to/clmc.\nreplace %s => ./%s\n",
		moduleName(dir), goVersion, clmcModule, clmcModule, Vocabulary)
}

// Edit is the command that has an existing go.mod name the vocabulary.
func Edit() string {
	return fmt.Sprintf("go mod edit -require=%s@v0.0.0 -replace=%s=./%s", clmcModule, clmcModule, Vocabulary)
}

var notInPath = regexp.MustCompile(`[^a-z0-9._-]+`)

// moduleName names a module after its folder.
func moduleName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := strings.Trim(notInPath.ReplaceAllString(strings.ToLower(filepath.Base(dir)), "-"), "-.")
	if name == "" {
		name = "kernels"
	}
	return "example.com/" + name
}

// VocabularyFiles are the vocabulary as a module of its own.
func VocabularyFiles() []File {
	all := []File{{path.Join(Vocabulary, "go.mod"), "module " + clmcModule + "\n\ngo " + goVersion + "\n"}}
	names, err := fs.Glob(cl.SourceFiles, "*.go")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		src, err := cl.SourceFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		all = append(all, File{path.Join(Vocabulary, "models/cl", name), string(src)})
	}
	return all
}

// Checks is a list of checks of some models, for clmc run.
func Checks(models []string) string {
	var b strings.Builder
	b.WriteString("# clmc run checks.yaml explores these models. Without expect, what the //clmc:expect lines of\n" +
		"# a model say is expected, and \"verified\" if it has none.\nbudget: 10m\nchecks:\n")
	for _, name := range models {
		fmt.Fprintf(&b, "  - model: %s\n", quoted(name))
	}
	return b.String()
}

// quoted writes a name so that YAML takes it for text.
func quoted(name string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./-]+$`).MatchString(name) && !strings.HasPrefix(name, "-") {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// Outcome says what became of a file.
type Outcome int

// The outcomes of Write.
const (
	Written  Outcome = iota
	Same             // it was there already, with this text
	Left             // it is there with another text, and was left as it is
	Replaced         // it was there with another text
)

// Write writes files into a folder. Those that are there with another text are replaced only
// with force; a go.mod or tasks that are there are the user's, and never are.
func Write(dir string, all []File, force bool) (map[string]Outcome, error) {
	done := map[string]Outcome{}
	for _, f := range all {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		old, err := os.ReadFile(name)
		switch {
		case err == nil && string(old) == f.Text:
			done[f.Name] = Same
			continue
		case err == nil && (!force || Theirs(f.Name)):
			done[f.Name] = Left
			continue
		case err == nil:
			done[f.Name] = Replaced
		case os.IsNotExist(err):
			done[f.Name] = Written
		default:
			return done, err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return done, err
		}
		if err := os.WriteFile(name, []byte(f.Text), 0o666); err != nil {
			return done, err
		}
	}
	return done, nil
}
