package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/models/load"
)

var (
	reductionTable = flag.Bool("reductions", false, "print the table of what each reduction saves")
	reductionNames = flag.String("reduction-names", "", "regular expression of the reductions in the table; empty: all")
	programNames   = flag.String("reduction-programs", "", "regular expression of the programs that the table is about; empty: all")
	morePrograms   = flag.String("more-programs", "", "a file with more programs for the table, one a line: a path, a tab, and -D NAME=VALUE ...")
	measureList    = flag.String("measure", "", "a file with programs to be measured, for the table's own use")
)

// measured is a program at a size, and what a search of it comes to.
type measured struct {
	Path, Size    string
	States, Steps int
	Verdict       string
	Micros        int64 // of processor time, the least of several searches
	Most          int   // states that a search without a reduction may come to; 0: no bound
}

// name is what the table calls a program.
func (p *measured) name() string { return strings.TrimSpace(filepath.Base(p.Path) + " " + p.Size) }

const (
	measureFor   = time.Second           // how long one search may take
	measureTimes = 50 * time.Millisecond // how long one is repeated
	largest      = 80 * time.Millisecond // how long the sizes of the table take at most
	farBeyond    = 8                     // times as many states are told no more closely
	enoughStates = 10                    // below these a part more of them says nothing
	enoughMicros = 3000                  // below these a part more of the time says nothing
)

// measure explores a program, several times if that takes no time, and notes what comes of it.
func (p *measured) measure() error {
	loaded, err := load.File(p.Path, load.Options{Defines: defines(p.Size)})
	if err != nil {
		return fmt.Errorf("%s: %w", p.name(), err)
	}
	for total := time.Duration(0); ; {
		ctx, cancel := context.WithTimeout(context.Background(), 3*measureFor)
		ctx, stop := cputime.Limit(ctx, measureFor)
		began, _ := cputime.Spent()
		r := explore.Run(ctx, loaded, explore.Options{KeepSchedule: true, MaxStates: p.Most})
		ended, _ := cputime.Spent()
		stop()
		cancel()
		took := ended - began
		if p.Micros == 0 || took.Microseconds() < p.Micros {
			p.Micros = max(1, took.Microseconds())
		}
		p.States, p.Steps, p.Verdict = r.Stats.States, r.Stats.Steps, r.Verdict.String()
		if len(r.Violations) > 0 {
			p.Verdict = r.Violations[0].Kind.ID()
		}
		if total += took; total > measureTimes {
			return nil
		}
	}
}

// TestMeasure measures the programs of a list, and prints a line of JSON for each. It is a part of TestReductionTable.
func TestMeasure(t *testing.T) {
	if *measureList == "" {
		t.Skip("a part of TestReductionTable")
	}
	text, err := os.ReadFile(*measureList)
	if err != nil {
		t.Fatal(err)
	}
	var list []measured
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := list[i].measure(); err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(list[i])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("measured %s\n", line)
	}
}

// programs returns the largest size of each family, and of each program of -more-programs, that takes no time worth speaking of.
func programs(t *testing.T) (list []measured) {
	t.Helper()
	wanted := regexp.MustCompile(*programNames)
	take := func(path string, sizes []string) {
		if !wanted.MatchString(path) {
			return
		}
		best := measured{}
		for _, size := range sizes {
			p := measured{Path: path, Size: size}
			if err := p.measure(); err != nil {
				t.Fatal(err)
			}
			if p.Verdict == explore.Inconclusive.String() || p.Micros > largest.Microseconds() {
				break
			}
			best = p
		}
		if best.Path != "" {
			list = append(list, best)
		}
	}
	for _, f := range all() {
		take(f.name, f.sizes)
	}
	if *morePrograms == "" {
		return list
	}
	text, err := os.ReadFile(*morePrograms)
	if err != nil {
		t.Fatal(err)
	}
	sizes, order := map[string][]string{}, []string(nil)
	for line := range strings.Lines(string(text)) {
		path, args, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path == "" {
			continue
		}
		if sizes[path] == nil {
			order = append(order, path)
		}
		sizes[path] = append(sizes[path], strings.ReplaceAll(args, "-D ", ""))
	}
	for _, path := range order {
		take(path, sizes[path])
	}
	return list
}

// without measures programs in a search that lacks a reduction: all of them if it is nil.
func without(t *testing.T, v *mutant.Variants, m *mutant.Mutant, list []measured) []measured {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list.json")
	text, err := json.Marshal(list)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := v.Command(m, "-test.run", "^TestMeasure$", "-test.timeout", "0", "-measure", file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []measured
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if line, ok := strings.CutPrefix(s.Text(), "measured "); ok {
			var p measured
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			got = append(got, p)
		}
	}
	if len(got) != len(list) {
		t.Fatalf("%d of %d programs were measured\n%s", len(got), len(list), out)
	}
	return got
}

// saving is what a reduction saves on one program, as a factor.
type saving struct {
	program string
	factor  float64
	beyond  bool // the search without it did not end
}

func (s saving) String() string {
	if s.program == "" {
		return "none |"
	}
	at := ""
	if s.beyond {
		at = "over "
	}
	return fmt.Sprintf("%s%.2f | %s", at, s.factor, s.program)
}

// compare returns the largest savings of states and of time, and on how many programs each is over a tenth.
func compare(with, lacking []measured) (states, micros saving, inStates, inMicros int, wrong []string) {
	for i := range with {
		a, b := &with[i], &lacking[i]
		open := b.Verdict == explore.Inconclusive.String()
		if !open && a.Verdict != b.Verdict {
			wrong = append(wrong, fmt.Sprintf("%s: %s, with it %s", a.name(), b.Verdict, a.Verdict))
		}
		if f := float64(b.States) / float64(a.States); a.States >= enoughStates || b.States >= 2*enoughStates {
			if f > states.factor {
				states = saving{a.name(), f, open}
			}
			if f > 1.1 {
				inStates++
			}
		}
		if f := float64(b.Micros) / float64(a.Micros); a.Micros >= enoughMicros || b.Micros >= 2*enoughMicros {
			if f > micros.factor {
				micros = saving{a.name(), f, open}
			}
			if f > 1.1 {
				inMicros++
			}
		}
	}
	return states, micros, inStates, inMicros, wrong
}

// TestReductionTable prints the table of what each reduction saves, if asked to: all families are explored without
// each in turn. A minute of processor time for five of them.
func TestReductionTable(t *testing.T) {
	if !*reductionTable {
		t.Skip("use -reductions")
	}
	v, err := mutant.NewVariants(reductions, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	list := programs(t)
	with := without(t, v, nil, list)
	for i := range list {
		list[i].Micros, list[i].Most = 0, farBeyond*max(enoughStates, with[i].States)+1
		fmt.Fprintf(os.Stderr, "%s: %d states, %d us\n", with[i].name(), with[i].States, with[i].Micros)
	}
	fmt.Println("| left out | most states, to all on | on | more than a tenth on | most time, to all on | on | more than a tenth on |")
	fmt.Println("|---|--:|---|--:|--:|---|--:|")
	wanted := regexp.MustCompile(*reductionNames)
	for i := range reductions {
		if m := &reductions[i]; wanted.MatchString(m.Rule) {
			lacking := without(t, v, m, list)
			measureAgain(t, v, m, with, lacking, list)
			states, micros, inStates, inMicros, wrong := compare(with, lacking)
			fmt.Printf("| %s | %v | %d | %v | %d |\n", m.Rule, states, inStates, micros, inMicros)
			for _, w := range wrong {
				t.Errorf("without %s: %s", m.Rule, w)
			}
			tellMost(m.Rule, with, lacking)
		}
	}
}

// measureAgain measures once more, in turns, what seems to take longer without a reduction though it has as many states: on a machine that does much
// else that is seldom so.
func measureAgain(t *testing.T, v *mutant.Variants, m *mutant.Mutant, with, lacking, list []measured) {
	t.Helper()
	var doubtful []int
	var some []measured
	for i := range with {
		if a, b := &with[i], &lacking[i]; a.States == b.States && 10*b.Micros > 11*a.Micros && b.Micros >= enoughMicros {
			doubtful, some = append(doubtful, i), append(some, list[i])
		}
	}
	for n := 0; n < 3 && len(some) > 0; n++ {
		a, b := without(t, v, nil, some), without(t, v, m, some)
		for k, i := range doubtful {
			with[i].Micros, lacking[i].Micros = min(with[i].Micros, a[k].Micros), min(lacking[i].Micros, b[k].Micros)
		}
	}
}

// tellMost tells on which programs most is saved.
func tellMost(rule string, with, lacking []measured) {
	order := make([]int, len(with))
	for i := range order {
		order[i] = i
	}
	more := func(i int) float64 { return float64(lacking[i].States) / float64(with[i].States) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(more(j), more(i)) })
	for _, i := range order[:min(4, len(order))] {
		fmt.Fprintf(os.Stderr, "\t%s: %s: %d states for %d, %d us for %d, %s\n", rule, with[i].name(), lacking[i].States, with[i].States, lacking[i].Micros, with[i].Micros, lacking[i].Verdict)
	}
}

// TestReductionsApply checks that each row of the table changes something that is there, and compiles.
func TestReductionsApply(t *testing.T) { mutant.Apply(t, reductions) }
