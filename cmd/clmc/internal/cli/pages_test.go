package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What the pages of docs tell readers to type is typed here. In a block of a page
//
//   - whose first line names a file (```go reduce.go), that file is written;
//   - a line "$ clmc ..." is a command, which is run; it is to exit with 0, or with what a comment
//     behind it says (# exits 1). The lines that follow are to be printed by it in
//     this order, with others between them; "..." stands for those, and is for readers;
//   - "$ cd DIR" changes the folder, and "$ " before other words is not ours.
//
// All other places that have a command of clmc, in blocks or in the text, are parsed: the command and its flags are there.

// page is a page under test.
type page struct {
	t    *testing.T
	name string
	dir  string
	ran  int
}

func TestPages(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob(root + "/docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	names = append(append(names, below...), root+"/README.md")
	ran := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := &page{t: t, name: filepath.Base(name), dir: t.TempDir()}
		p.run(strings.Split(string(text), "\n"))
		p.parseAll(string(text))
		ran += p.ran
	}
	if ran < 60 {
		t.Errorf("only %d commands were run", ran)
	}
}

// run goes through the blocks of a page.
func (p *page) run(lines []string) {
	back, err := os.Getwd()
	if err != nil {
		p.t.Fatal(err)
	}
	defer os.Chdir(back)
	if err := os.Chdir(p.dir); err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(lines); i++ {
		info, opens := strings.CutPrefix(strings.TrimSpace(lines[i]), "```")
		if !opens {
			continue
		}
		var body []string
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
			body = append(body, lines[i])
		}
		if words := strings.Fields(info); len(words) == 2 {
			p.write(words[1], strings.Join(body, "\n")+"\n")
			continue
		}
		if info != "text" { // for illustration
			p.block(body)
		}
	}
}

func (p *page) write(name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// block runs the commands of a block.
func (p *page) block(body []string) {
	for i := 0; i < len(body); i++ {
		line, ok := strings.CutPrefix(body[i], "$ ")
		if !ok {
			continue
		}
		var shown []string
		for i+1 < len(body) && !strings.HasPrefix(body[i+1], "$ ") {
			i++
			shown = append(shown, body[i])
		}
		p.command(line, shown)
	}
}

var exits = regexp.MustCompile(`# exits (\d)`)

// command runs one command and looks for what is shown of its output.
func (p *page) command(line string, shown []string) {
	if dir, ok := strings.CutPrefix(line, "cd "); ok {
		if err := os.Chdir(strings.TrimSpace(dir)); err != nil {
			p.t.Errorf("%s: %s: %v", p.name, line, err)
		}
		return
	}
	line, into, _ := strings.Cut(line, " > ")
	words := words(line)
	if words[0] != "clmc" || strings.Contains(line, "models/shipped/") { // which TestReadme runs
		return
	}
	p.ran++
	want := 0
	if m := exits.FindStringSubmatch(line + into); m != nil {
		want, _ = strconv.Atoi(m[1])
	}
	var stdout, stderr bytes.Buffer
	if code := Main(words[1:], &stdout, &stderr); code != want {
		p.t.Errorf("%s: %s exits with %d, not %d:\n%s%s", p.name, line, code, want, &stdout, &stderr)
		return
	}
	if into, _, _ = strings.Cut(into, "#"); strings.TrimSpace(into) != "" {
		p.write(strings.TrimSpace(into), stdout.String())
	}
	printed := strings.Split(stdout.String()+stderr.String(), "\n")
	for _, s := range shown {
		if strings.TrimSpace(s) == "..." || strings.TrimSpace(s) == "" {
			continue
		}
		at := slices.IndexFunc(printed, func(l string) bool { return untimed(l) == untimed(s) })
		if at < 0 {
			p.t.Errorf("%s: %s does not print, there,\n%s\nIt prints\n%s%s", p.name, line, s, &stdout, &stderr)
			return
		}
		printed = printed[at+1:]
	}
}

// durations differ each time, and how many states there are is nothing that pages promise.
var (
	durations = regexp.MustCompile(`\b(\d+m)?[\d.]+(µs|ms|s)\b`)
	counts    = regexp.MustCompile(`\b[\d,]+ (states?|queries)\b`)
)

func untimed(line string) string {
	return counts.ReplaceAllString(durations.ReplaceAllString(strings.Join(strings.Fields(line), " "), "TIME"), "N states")
}

// words splits a command as a shell does whose quotes are simple.
func words(line string) []string {
	line, _, _ = strings.Cut(line, "  #")
	line, _, _ = strings.Cut(line, " # ")
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all[len(all)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && len(fields) > 0 && !strings.HasPrefix(part, " ") {
			all[len(all)-1] += fields[0]
			fields = fields[1:]
		}
		all = append(all, fields...)
		if strings.HasSuffix(part, " ") {
			all = append(all, "")
		}
	}
	return slices.DeleteFunc(all, func(w string) bool { return w == "" })
}

var (
	inBackticks = regexp.MustCompile("`(clmc [^`]+)`")
	atStart     = regexp.MustCompile(`(?m)^(?:\s*- run: |\$ |  )(clmc [a-z][^\n]*)$`)
)

// parseAll parses the commands of a page: those that a shell would be given.
func (p *page) parseAll(text string) {
	for _, m := range append(inBackticks.FindAllStringSubmatch(text, -1), atStart.FindAllStringSubmatch(text, -1)...) {
		line := strings.Join(strings.Fields(strings.ReplaceAll(m[1], "\\\n", " ")), " ")
		if err := parseCommand(line); err != nil {
			p.t.Errorf("%s: %s: %v", p.name, line, err)
		}
	}
}

// parseCommand reports what is wrong with a command's name and flags.
func parseCommand(line string) error {
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, " |")
	root := (&app{}).root()
	args := words(line)[1:]
	if len(args) == 0 || strings.HasPrefix(args[0], "...") {
		return nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd == root && !strings.HasPrefix(args[0], "-") && !placeholder(args[0]) {
		if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
			return nil
		}
		return fmt.Errorf("there is no command %q", args[0])
	}
	for _, w := range rest {
		name, ok := strings.CutPrefix(w, "--")
		if name, _, _ = strings.Cut(strings.TrimRight(name, ".,;:"), "="); ok && name != "" && name != "help" && cmd.Flags().Lookup(name) == nil && root.Flags().Lookup(name) == nil && name != "version" {
			return fmt.Errorf("%s has no flag --%s", cmd.CommandPath(), name)
		}
	}
	return nil
}

// placeholder reports whether a word stands for others.
func placeholder(word string) bool { return strings.ToUpper(word) == word }

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"clmc explore r.cl --arg 'a=int[8]{1,2}' --arg n=8": {"clmc", "explore", "r.cl", "--arg", "a=int[8]{1,2}", "--arg", "n=8"},
		"clmc explore x.go   # exits 1":                     {"clmc", "explore", "x.go"},
		"clmc test 'two words'/...":                         {"clmc", "test", "two words/..."},
	} {
		if got := words(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
