package mutant

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The days of a period, and the shards of any division, try each mutant once.
func TestEachHasItsTurn(t *testing.T) {
	day := func(d int) (string, uint64) { return "today", uint64(19773 + d) }
	shard := func(n int) func(int) (string, uint64) {
		return func(i int) (string, uint64) { return fmt.Sprintf("%d/%d", i+1, n), 0 }
	}
	for _, c := range []struct {
		n    int
		turn func(i int) (string, uint64)
	}{{Period, day}, {1, shard(1)}, {3, shard(3)}, {64, shard(64)}} {
		for k := range 200 {
			m, times := Mutant{Rule: fmt.Sprintf("rule %d", k)}, 0
			for i := range c.n {
				turn, err := parseTurn(c.turn(i))
				if err != nil {
					t.Fatal(err)
				}
				if turn.has(m) {
					times++
				}
			}
			if times != 1 {
				t.Errorf("%s: tried %d times in %d turns", m.Rule, times, c.n)
			}
		}
	}
}

// Without the flag no mutant is tried, and that is told from a share.
func TestTurnsThatAreNone(t *testing.T) {
	for _, s := range []string{"none", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "1/2x", "+1/2"} {
		if _, err := parseTurn(s, 0); err == nil {
			t.Errorf("%q is a turn", s)
		}
	}
	if turn, err := parseTurn("", 0); err != nil || !turn.none() {
		t.Errorf("by default: %v, %v", turn, err)
	}
}

// The commits of some months try each mutant, each commit few; what the ledger lacks or has of another row is tried at once, and
// what has changed as far as there is time.
func TestOfCommit(t *testing.T) {
	var list []Mutant
	book := ledger{}
	for i := range 600 {
		m := Mutant{Rule: fmt.Sprintf("rule %d", i), File: fmt.Sprintf("file%d.go", i/100), Old: "a", New: "b"}
		list = append(list, m)
		book[m.Rule] = entry{row: m.row(), took: time.Second}
	}
	tried := map[string]bool{}
	for commit := range 10 * Rotation {
		chosen := choose(list, book, fmt.Sprint("commit", commit), nil, 0)
		if len(chosen) > 40 {
			t.Errorf("commit %d tries %d", commit, len(chosen))
		}
		for rule := range chosen {
			tried[rule] = true
		}
	}
	if len(tried) < 595 { // 600 (1 - 1/60)^600: of 600, 0.025 are left on the average
		t.Errorf("in %d commits %d of %d are tried", 10*Rotation, len(tried), len(list))
	}
	if chosen := choose(list, book, "c", []string{"file2.go"}, 0); len(chosen) < 100 || !chosen["rule 200"] || !chosen["rule 299"] {
		t.Errorf("of a file with 100 mutants that has changed %d are tried", len(chosen))
	}
	delete(book, "rule 7")
	book["rule 8"] = entry{row: "other", took: time.Second}
	chosen := choose(list, book, "c", []string{"file2.go", "file3.go"}, 40*time.Second)
	if !chosen["rule 7"] || !chosen["rule 8"] {
		t.Error("what the ledger lacks is not tried")
	}
	if n := len(chosen); n < 25 || n > 40 {
		t.Errorf("in 40 s %d are tried that take one", n)
	}
	delete(book, "rule 9")
	if chosen := choose(list, book, "c", nil, 2*guess+time.Second); !chosen["rule 8"] || len(chosen) != 3 {
		t.Errorf("in the time of three that the ledger lacks %v are tried", chosen)
	}
}

// What a run comes to is told by what it prints.
func TestRead(t *testing.T) {
	exit := errors.New("exit status 1")
	for _, c := range []struct {
		what, out string
		err       error
		want      fate
		test      string
	}{
		{"passes", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n", nil, passed, ""},
		{"nothing is run", "testing: warning: no tests to run\nPASS\n", nil, unusable, ""},
		{"all is skipped", "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\n", nil, unusable, ""},
		{"fails", "=== RUN   TestA\n=== RUN   TestA/x\n=== RUN   TestA/x/y\n=== RUN   TestA/z\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\n        --- FAIL: TestA/x/y (0.00s)\n    --- FAIL: TestA/z (0.00s)\nFAIL\n", exit, failed, "TestA/x/y"},
		{"panics", "=== RUN   TestA\n=== RUN   TestA/x\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\npanic: no\n", exit, failed, "TestA/x"},
		{"panics in another goroutine", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\npanic: no\n", exit, failed, "TestB"},
		{"panics before it begins", "panic: no\n", exit, failed, ""},
		{"a fatal error", "=== RUN   TestA\nfatal error: all goroutines are asleep - deadlock!\n", exit, failed, "TestA"},
		{"the stack overflows", "=== RUN   TestA\nruntime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n", exit, failed, "TestA"},
		{"takes too long", "=== RUN   TestA\n=== RUN   TestA/x\npanic: test timed out after 2m0s\n\trunning tests:\n\t\tTestA (2m0s)\n\t\tTestA/x (1m0s)\n\ngoroutine 1\n", exit, undecided, "TestA/x"},
		{"takes too long after a failure", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\npanic: test timed out after 2m0s\n\trunning tests:\n\t\tTestB (2m0s)\n\ngoroutine 1\n", exit, undecided, "TestB"},
		{"the time of the processors is over", "=== RUN   TestA\n=== RUN   TestB\n=== CONT  TestA\n", errors.New("signal: killed"), undecided, "TestA"},
		{"there is no memory", "=== RUN   TestA\nfatal error: runtime: out of memory\n", exit, undecided, "TestA"},
		{"the system ends it", "=== RUN   TestA\n", errors.New("signal: killed"), undecided, "TestA"},
		{"a flag that is none", "flag provided but not defined: -seedz\n", exit, unusable, ""},
	} {
		if fate, test := read(c.out, c.err); fate != c.want || test != c.test {
			t.Errorf("%s: %v of %q, want %v of %q", c.what, fate, test, c.want, c.test)
		}
	}
}

// Arguments of go test are those of a test binary, too.
func TestArgs(t *testing.T) {
	flags, packages, within, err := parseArgs([]string{"-run", "^TestA$", "-seeds", "3", "-timeout", "20s", ".", "../b"})
	if want := []string{"-test.run", "^TestA$", "-seeds", "3"}; err != nil || !slices.Equal(flags, want) || !slices.Equal(packages, []string{".", "../b"}) || within != (bounds{clock: 20 * time.Second}) {
		t.Errorf("%q, %q, %v, %v", flags, packages, within, err)
	}
	for _, with := range [][]string{{"-a", "1", "-seeds", "3", "-b", "2"}, {"-a", "1", "-b", "2"}} {
		if got := withoutSeeds(with); !slices.Equal(got, []string{"-a", "1", "-b", "2"}) {
			t.Errorf("%q without a number of programs: %q", with, got)
		}
	}
	for _, args := range [][]string{{}, {"-run", "x"}, {"-run"}, {"x", "."}, {"-timeout", "x", "."}} {
		if _, _, _, err := parseArgs(args); err == nil {
			t.Errorf("%q are arguments", args)
		}
	}
}

// turnTests are the tests of turns, of which one fails without what they say.
var turnTests = []string{"-run", "^(TestEachHasItsTurn|TestTurnsThatAreNone)$", "."}

// A mutant of what no test of this package looks at survives, one of what
// the tests above look at does not: in a schema, and in a build of its own.
func TestSurvives(t *testing.T) {
	inSchema := []Mutant{
		{Rule: "what is said of it", File: "internal/testkit/mutant/turn.go", Old: "or i/n with i from 1 to n\"", New: "or i/n\""},
		{Rule: "shards are numbered from 1", File: "internal/testkit/mutant/turn.go", Old: "	t.i--\n", New: ""},
		{Rule: "the day counts", File: "internal/testkit/mutant/turn.go", Old: "i: day % Period", New: "i: 0 * day"},
	}
	alone := Mutant{Rule: "of two functions", File: "internal/testkit/mutant/turn.go", Old: "== t.i\n}\n\nfunc hash(s string) uint64 {\n", New: "!= t.i\n}\n\nfunc hash(s string) uint64 {\n	_ = s\n"}
	tests, err := newBuilder(append(inSchema, alone))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m     Mutant
		alone bool
		want  string
	}{
		{inSchema[0], false, ""},
		{inSchema[1], false, "TestEachHasItsTurn"},
		{inSchema[2], false, "TestEachHasItsTurn"},
		{alone, true, "TestEachHasItsTurn"},
	} {
		r := &Run{Mutant: c.m, tests: tests}
		if out, survived := r.Survives(t, turnTests...); survived != (c.want == "") || r.caught != c.want {
			t.Errorf("%s: survived: %v, told by %q, want %q\n%s", c.m.Rule, survived, r.caught, c.want, out)
		}
		if _, why := tests.number(c.m); (why != nil) != c.alone {
			t.Errorf("%s: built alone: %v", c.m.Rule, why)
		}
	}
}

// The test that has told a mutant the last time is tried first, and alone; when it does not, or is not among those that are asked for, all are.
func TestLastFirst(t *testing.T) {
	m := Mutant{Rule: "no shard is before the first", File: "internal/testkit/mutant/turn.go", Old: " t.i < 1 ||", New: ""}
	tests, err := newBuilder([]Mutant{m})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		last string
		all  bool // are run
	}{{"TestTurnsThatAreNone", false}, {"TestEachHasItsTurn", true}, {"TestRead/x", true}, {"disk.TestTurnsThatAreNone", true}, {"", true}} {
		r := &Run{Mutant: m, tests: tests, last: c.last}
		out, survived := r.Survives(t, turnTests...)
		if survived || r.caught != "TestTurnsThatAreNone" || strings.Contains(out, "=== RUN   TestEachHasItsTurn") != c.all {
			t.Errorf("last told by %q: survived: %v, told by %q\n%s", c.last, survived, r.caught, out)
		}
	}
	for _, c := range []struct {
		run, test string
		want      bool
	}{{"^(TestA|TestB)$/^x$", "TestB/x/y", true}, {"^TestA", "TestAlone", true}, {"^TestA$", "TestAlone", false}, {"^TestA$", "", false}} {
		if asked([]string{"-test.run", c.run}, c.test) != c.want {
			t.Errorf("%s asks for %s: %v, want %v", c.run, c.test, !c.want, c.want)
		}
	}
}

var programs = flag.Int("seeds", 0, "for TestSeeds: how many programs there are")

// TestSeeds notices what it is there for with the fifth of its programs or the twentieth, or with few programs: it is there for the next test.
func TestSeeds(t *testing.T) {
	for _, n := range []int{5, 20} {
		if _, err := parseTurn(fmt.Sprintf("%d/%d", n+1, n), 0); err == nil && *programs >= n {
			t.Errorf("share %d of %d", n+1, n)
		}
	}
	if *programs == 40 {
		t.Error("with 40 programs it always fails")
	}
}

// Few programs are tried before many, as many as are needed; and a test that fails with few though nothing is broken has told nothing.
func TestFewFirst(t *testing.T) {
	fifth := Mutant{Rule: "no shard is behind the last", File: "internal/testkit/mutant/turn.go", Old: " t.i > t.n ||", New: ""}
	none := Mutant{Rule: "no shard is before the first", File: "internal/testkit/mutant/turn.go", Old: " t.i < 1 ||", New: ""}
	twentieth := Mutant{Rule: "nor behind the last of many", File: "internal/testkit/mutant/turn.go", Old: "t.i > t.n ||", New: "t.i > t.n && t.n < 20 ||"}
	tests, err := newBuilder([]Mutant{fifth, none, twentieth})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m           Mutant
		last, guess string // a test, and a pattern
		survives    bool
		alone       bool // TestSeeds has been run without the others
	}{
		{fifth, "", "", false, false},
		{fifth, "TestSeeds", "", false, true},
		{fifth, "", "^TestS.*ds$", false, true},
		{twentieth, "", "", false, false},
		{twentieth, "TestSeeds", "", false, true},
		{none, "", "TestSeeds", true, false},
	} {
		r := &Run{Mutant: c.m, tests: tests, last: c.last}
		if c.guess != "" {
			r.First("^TestRead$", c.guess)
		}
		out, survived := r.Survives(t, "-run", "^(TestRow|TestSeeds)$", "-seeds", "200", ".")
		if survived != c.survives || survived == (r.caught == "TestSeeds") || !strings.Contains(out, "=== RUN   TestRow") != c.alone {
			t.Errorf("%s, last told by %q, likely by %q: survived: %v, told by %q\n%s", c.m.Rule, c.last, c.guess, survived, r.caught, out)
		}
	}
	for all, want := range map[string][]string{"200": {"5", "40"}, "15": nil, "18": {"5"}, "2000": {"5", "40", "320"}} {
		var got []string
		for _, f := range fewer([]string{"-test.run", "x", "-seeds", all, "-styles", "y"}) {
			got = append(got, f[3])
		}
		if !slices.Equal(got, want) {
			t.Errorf("before %s programs %v are tried, want %v", all, got, want)
		}
	}
	if fewer([]string{"-test.run", "x"}) != nil {
		t.Error("a test without random programs is tried with fewer")
	}
}

// TestEndless never ends if a turn of all mutants is not the first of one: it is there for the next test.
func TestEndless(t *testing.T) {
	for turn, _ := parseTurn("all", 0); turn.n != 1; {
	}
}

// What never ends is told by the time that it takes of the processors, and has not told its mutant; what waits, by the clock.
func TestEndlessIsUndecided(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no limit on the time of processors")
	}
	m := Mutant{Rule: "all is all", File: "internal/testkit/mutant/turn.go", Old: "turn{i: 0, n: 1, as: s}", New: "turn{i: 0, n: 2, as: s}"}
	tests, err := newBuilder([]Mutant{m})
	if err != nil {
		t.Fatal(err)
	}
	for _, within := range []bounds{{cpu: time.Second, clock: 10 * time.Minute}, {clock: 2 * time.Second}} {
		r := &Run{Mutant: m, tests: tests, within: within}
		if out, survived := r.Survives(t, "-run", "^TestEndless$", "."); !survived || r.open == nil || r.open.test != "TestEndless" {
			t.Errorf("%v: survived: %v, open: %+v\n%s", within, survived, r.open, out)
		}
	}
}

// TestShards has subtests, and is not content with one of them: it is there for the next test.
func TestShards(t *testing.T) {
	tried := 0
	for _, i := range []uint64{1, 3} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			tried++
			if turn, err := parseTurn(fmt.Sprintf("%d/3", i), 0); err != nil || turn.i != i-1 {
				t.Errorf("%+v, %v", turn, err)
			}
		})
	}
	if tried < 2 {
		t.Error("too few are tried to say anything")
	}
}

// A subtest that is run alone says what it says; that the test fails which it is of says nothing.
func TestSubtestsAlone(t *testing.T) {
	m := Mutant{Rule: "a shard has its number", File: "internal/testkit/mutant/turn.go", Old: "	t.i--\n", New: "	t.i = 0\n"}
	tests, err := newBuilder([]Mutant{m})
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{"", "TestShards/1", "TestShards/3"} {
		r := &Run{Mutant: m, tests: tests, last: last}
		out, survived := r.Survives(t, "-run", "^TestShards$", ".")
		if survived || r.caught != "TestShards/3" || strings.Contains(out, "=== RUN   TestShards/1") != (last != "TestShards/3") {
			t.Errorf("last told by %q: survived: %v, told by %q\n%s", last, survived, r.caught, out)
		}
	}
}

// A test that fails with no mutant active tells nothing, each time that it is asked for.
func TestUnbroken(t *testing.T) {
	tests, err := newBuilder([]Mutant{{Rule: "one", File: "internal/testkit/mutant/turn.go", Old: "	t.i--\n", New: ""}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if why := tests.unbroken(".", "TestTurnsThatAreNone", []string{"-test.run", "."}); why != "" {
			t.Error(why)
		}
		for _, c := range []struct{ test, flag string }{{"TestTurnsThatAreNone", "-no-such-flag"}, {"TestThatIsNot", "-since"}} {
			if why := tests.unbroken(".", c.test, []string{"-test.run", ".", c.flag, ""}); why == "" {
				t.Errorf("%s with %s passes", c.test, c.flag)
			}
		}
	}
}

// A test that fails for want of the subtests that are not asked for has told nothing.
func TestUnbrokenOfSome(t *testing.T) {
	tests, err := newBuilder([]Mutant{{Rule: "one", File: "internal/testkit/mutant/turn.go", Old: "	t.i--\n", New: ""}})
	if err != nil {
		t.Fatal(err)
	}
	for pattern, fails := range map[string]bool{"^TestShards$": false, "^(TestShards|TestRead)$/^1$": true} {
		if why := tests.unbroken(".", "TestShards", []string{"-test.run", pattern}); (why != "") != fails {
			t.Errorf("%s: %s", pattern, why)
		}
	}
	for test, want := range map[string]string{"A": "^A$/^x|y$/z", "A/x": "^A$/^x$/z", "A/x/z": "^A$/^x$/^z$", "A/x/z/0": "^A$/^x$/^z$/^0$", "": ""} {
		if got := among([]string{"-test.run", "^A$/^x|y$/z"}, test); got != want {
			t.Errorf("%s is run with %s, want %s", test, got, want)
		}
	}
}

// What is not decided is neither caught nor a survivor; only of what is said to hang it is enough.
func TestUndecided(t *testing.T) {
	if !strings.Contains(fmt.Sprint(undecidedIs(t, "")), "not decided") {
		t.Error("what is not decided passes")
	}
	if r := undecidedIs(t, "the loop has no other end"); r != "TestA" {
		t.Errorf("what hangs is told by %q", r)
	}
}

// undecidedIs returns the verdict on a mutant that is not decided, and is said to hang for this reason.
func undecidedIs(t *testing.T, why string) string {
	r := &Run{Mutant: Mutant{Rule: "it ends"}, open: &result{fate: undecided, test: "TestA"}}
	if err := r.verdict("", true, why); err != nil {
		return err.Error()
	}
	return r.caught
}
