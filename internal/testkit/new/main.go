// Command new begins a change that docs/contributing.md has a recipe for. It writes what the recipe begins with, so that
// tests fail until the rest is done, and prints which tests these are:
//
//	go run ./internal/testkit/new rule 9.4 'Text of the rule.'
//	go run ./internal/testkit/new violation MissingFlush 'missing flush'
//	go run ./internal/testkit/new op LoadIf 'Dst = whether *A is B; it acquires if it is'
//
// It is run in the root of the module. It decides nothing: neither what an operation does to memory, nor what an
// execution shows, nor a verdict. It is part of clmc and not of its Go API.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// begin begins a change of a kind in the files below a folder, and returns what is left to do.
type begin func(root, name, text string) (next string, err error)

var kinds = map[string]begin{"rule": rule, "violation": violation, "op": operation}

func main() { os.Exit(run(os.Args[1:])) }

// run returns the exit code: 0, or 2 if the arguments are at fault.
func run(args []string) int {
	if len(args) != 3 || kinds[args[0]] == nil {
		fmt.Fprintln(os.Stderr, "use: new rule N.M TEXT | new violation NAME TITLE | new op NAME MEANING")
		return 2
	}
	next, err := kinds[args[0]](".", args[1], args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "new:", err)
		return 2
	}
	fmt.Print(next)
	return 0
}

// edit is a change of a file: a text that goes before a line, or the text of a file that is new.
type edit struct {
	file string                   // its path from the root
	at   func(lines []string) int // before which line, or -1 if the place is not there; nil: the file is new
	text string                   // what is inserted
}

// before returns the place before the first line that begins with a text.
func before(prefix string) func(lines []string) int {
	return func(lines []string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
	}
}

// within returns the place before the line that ends what begins with a line: the first line behind it that is the end.
func within(first, end string) func(lines []string) int {
	return func(lines []string) int {
		from := before(first)(lines)
		if from < 0 {
			return -1
		}
		to := slices.Index(lines[from:], end)
		if to < 0 {
			return -1
		}
		return from + to
	}
}

// apply makes all edits, or none. Go files are formatted.
func apply(root string, edits ...edit) error {
	texts := map[string]string{}
	for _, e := range edits {
		text, known := texts[e.file]
		old, err := os.ReadFile(filepath.Join(root, e.file))
		switch {
		case e.at == nil && err == nil:
			return fmt.Errorf("%s is there already", e.file)
		case e.at == nil:
			texts[e.file] = e.text
			continue
		case err != nil:
			return fmt.Errorf("%w: run it in the root of the module", err)
		case !known:
			text = string(old)
		}
		lines := strings.Split(text, "\n")
		i := e.at(lines)
		if i < 0 {
			return fmt.Errorf("%s does not have the line that this goes beside", e.file)
		}
		texts[e.file] = strings.Join(slices.Insert(lines, i, strings.Split(e.text, "\n")...), "\n")
	}
	for file, text := range texts {
		if strings.HasSuffix(file, ".go") {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			text = string(formatted)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
