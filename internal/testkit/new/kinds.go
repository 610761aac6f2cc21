package main

import (
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// exported reports whether a name is one that Go exports.
func exported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// rule begins a rule of docs/semantics.md: its sentence, a mutant that applies to nothing yet, and a model whose verdict is to be derived.
func rule(root, number, text string) (string, error) {
	if !regexp.MustCompile(`^[1-9]\d*\.[1-9]\d*$`).MatchString(number) {
		return "", fmt.Errorf("%q is no number of a rule, such as 9.4", number)
	}
	rules, err := os.ReadFile(filepath.Join(root, "docs/rules.md"))
	if err != nil {
		return "", err
	}
	if strings.Contains(string(rules), "\n| "+number+" |") {
		return "", fmt.Errorf("there is a rule %s: see docs/rules.md", number)
	}
	chapter, _, _ := strings.Cut(number, ".")
	model := "models/shipped/rule_" + strings.ReplaceAll(number, ".", "_")
	err = apply(root,
		edit{"docs/semantics.md", lastOf(chapter), "- " + number + " " + text},
		edit{"explore/mutants_test.go", within("var mutants = ", "})"),
			fmt.Sprintf("\t{%q, %q,\n\t\t%q, %q, %q},", number+" what no longer holds", "memmodel/access.go", "the text that carries out rule "+number, "what replaces it", "all")},
		edit{model + "/main.go", nil, fmt.Sprintf(modelText, path.Base(model), number)},
		changelog("Rule "+number+": "+text))
	return fmt.Sprintf(`docs/semantics.md has rule %[1]s, explore/mutants_test.go a mutant that applies to nothing, and %[2]s a model without a derivation. These fail now:

	go test ./models/shipped -run 'TestRules|TestExpectations'
	go test ./explore -run MutantsApply

Go on with step 2 of "Add a rule" in docs/contributing.md. Give the model the name of its idiom.
`, number, model), err
}

// lastOf returns the place behind the last rule of a chapter: behind its line and those that continue it.
func lastOf(chapter string) func(lines []string) int {
	rule := regexp.MustCompile(`^- ` + chapter + `\.\d`)
	return func(lines []string) int {
		at := -1
		for i, line := range lines {
			if rule.MatchString(line) {
				at = i + 1
			} else if at == i && strings.HasPrefix(line, "  ") {
				at++
			}
		}
		return at
	}
}

// violation begins a kind of violation: its id and title, the page that explains it, and a model that shows it.
func violation(root, name, title string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, "state/violation.go"))
	if err != nil {
		return "", err
	}
	if !exported(name) || regexp.MustCompile(`(?m)^\t`+name+`\b`).Match(source) {
		return "", fmt.Errorf("%q is no name for a kind of violation, or there is one", name)
	}
	last := 0
	for _, m := range regexp.MustCompile(`"CL(\d{4})"`).FindAllSubmatch(source, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		last = max(last, n)
	}
	id := fmt.Sprintf("CL%d", last+1)
	err = apply(root,
		edit{"state/violation.go", before("\tnumKinds "), "\t" + name + " // what an execution does that is wrong"},
		edit{"state/violation.go", within("var kinds = ", "}"), fmt.Sprintf("\t%s: {%q, %q},", name, id, title)},
		edit{"explore/report/explain/" + id + ".md", nil, fmt.Sprintf(pageText, id, title)},
		changelog(id+": "+title+"."))
	return fmt.Sprintf(`state/violation.go has %[1]s, %[2]s; explore/report/explain/%[2]s.md is its page. These fail now:

	go test ./explore -run TestFirstKinds
	go test ./explore/report/explain

Go on with step 1 of "Add a violation kind" in docs/contributing.md.
`, name, id), err
}

// operation begins a visible operation: its constant and its name. It has no row of properties, so that Verify refuses each program that has it.
func operation(root, name, meaning string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, "state/ir/ir.go"))
	if err != nil {
		return "", err
	}
	if !exported(name) || regexp.MustCompile(`(?m)^\tOp`+name+`\b`).Match(source) {
		return "", fmt.Errorf("%q is no name for an operation, or there is one", name)
	}
	err = apply(root,
		edit{"state/ir/ir.go", before("\tnumOps "), "\tOp" + name + " // " + meaning + "\n"},
		edit{"explore/" + strings.ToLower(name) + "_test.go", nil, fmt.Sprintf(testText, name)},
		changelog("Operation "+name+": "+meaning+"."))
	return fmt.Sprintf(`state/ir has the operation Op%[1]s; nothing is decided of it, so that ir.Program.Verify refuses each program that has it. These fail now:

	go test ./explore -run 'Test%[1]s$'
	go test ./state/ir
	go test ./internal/testkit/docs -run TestOperationsAreRead

Go on with step 1 of "A new visible operation" in docs/contributing.md.
`, name), err
}

// changelog returns the line of a change.
func changelog(text string) edit {
	return edit{"CHANGELOG.md", func(lines []string) int {
		i := before("## [Unreleased]")(lines)
		if i < 0 || i+2 >= len(lines) {
			return -1
		}
		return i + 2
	}, "- " + text}
}

const modelText = `// Command %[1]s TODO: what it does, in a sentence.
//
// Idiom: TODO. Source: TODO: the section of the specification.
//
// Derivation: TODO: why the verdict is what it is (rule %[2]s).
//
//clmc:expect violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

func k() {
	cl.Assert(false, "TODO: write the program")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

const pageText = `# %[1]s: %[2]s

TODO: what happens in an execution, in a sentence.

## The rule

TODO: the text of the specification, its section, and the rule's number.

## Example

TODO: why this program is wrong.

` + "```go" + `
package main

func main() {
}
` + "```" + `

## How to repair it

TODO: what to write instead.
`

const testText = `package explore

import "testing"

// TODO: programs by hand with this operation, with an outcome each that the rules allow or forbid, and why.
func Test%[1]s(t *testing.T) {
	t.Fatal("no program is written yet; see step 4 of the recipe")
}
`
