package checks

import (
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

const example = `# nightly
budget: 8h
store: kept
defaults:
  spec: 2.0
  time-limit: 1h30m
  define: {n: 2, m: 3}
checks:
  - model: a.go
    name: "the first"
    define:
      n: 4
    promises: 0
    all: true
    max-states: 1_000
    expect: [CL1001, CL1003]
  - {model: "@spinlock", por: none, spec: "popl16", time-limit: 5s, cpu-limit: 3s, promises: undecided-ok, promises-time: 20x}
  - model: tests
    expect: fails
`

func TestParse(t *testing.T) {
	l, err := Parse("checks.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if l.Budget != 8*time.Hour || l.Store != "kept" || len(l.Checks) != 3 {
		t.Fatalf("got %+v", l)
	}
	a, b, c := l.Checks[0], l.Checks[1], l.Checks[2]
	if a.Model != "a.go" || a.Name != "the first" || !a.Explore.All || a.Explore.MaxStates != 1000 || a.TimeLimit != 90*time.Minute ||
		a.Explore.Spec.Name != "2.0" || a.Expect.String() != "CL1001 CL1003" || a.At.Line != 9 || a.At.Col != 5 {
		t.Errorf("the first check is %+v", a)
	}
	if a.Defines["n"] != "4" || a.Defines["m"] != "3" || b.Defines["n"] != "2" {
		t.Errorf("defines: %v and %v; a check's own must win, and not change the others'", a.Defines, b.Defines)
	}
	if a.Explore.Promises != explore.NoPromises || b.Explore.Promises != 0 {
		t.Errorf("promises: %d and %d", a.Explore.Promises, b.Explore.Promises)
	}
	none, _ := por.ParseMode("none")
	popl, _ := memmodel.ParseSpec("popl16")
	if b.Model != "@spinlock" || b.Explore.POR != none || b.Explore.Spec.Name != popl.Name || b.TimeLimit != 5*time.Second || b.Explore.All {
		t.Errorf("the second check is %+v", b)
	}
	if b.CPULimit != 3*time.Second || !b.UndecidedOK || b.Explore.PromisesTime != (explore.PromisesTime{Times: 20}) || a.UndecidedOK || a.CPULimit != 0 {
		t.Errorf("limits of the second check: %+v", b)
	}
	if c.Expect.String() != "fails" {
		t.Errorf("the third check expects %v", c.Expect)
	}
}

// TestExpectationAsInModels gives a list the words of a //clmc:expect line.
func TestExpectationAsInModels(t *testing.T) {
	for text, want := range map[string]string{
		"violated CL1001":          "CL1001",
		"violated CL1001 CL1003":   "CL1001 CL1003",
		"CL1001 CL1003":            "CL1001 CL1003",
		"[violated CL1001,CL1003]": "CL1001 CL1003",
	} {
		l, err := Parse("checks.yaml", []byte("checks:\n- model: a\n  expect: "+text+"\n"))
		if err != nil || l.Checks[0].Expect.String() != want {
			t.Errorf("expect: %s: %v", text, err)
		}
	}
}

func TestDefaultExpectation(t *testing.T) {
	for isLitmus, want := range map[bool]string{false: "verified", true: "holds"} {
		e, err := Expectation{}.For(isLitmus)
		if err != nil || e.String() != want {
			t.Errorf("litmus %v: %v, %v; want %s", isLitmus, e, err, want)
		}
	}
	for _, word := range []string{"holds", "fails", "undefined"} {
		var e Expectation
		if err := e.add(word); err != nil {
			t.Fatal(err)
		}
		if _, err := e.For(false); err == nil {
			t.Errorf("a model that is no litmus test may be expected to be %s", word)
		}
	}
}

// TestMistakes checks that each mistake is reported where it is, once, with
// what to do about it.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                 "1:1: the file is empty",
		"# only a comment\n":                               "1:1: the file is empty",
		"checks:\n":                                        "1:9: checks: want a list",
		"checks: []\n":                                     "1:1: there are no checks",
		"- model: a.go\n":                                  "1:1: want keys and values",
		"cheks: []\n":                                      `1:1: unknown key "cheks": want budget, checks, defaults, keep, store`,
		"checks:\n- model: @a\n":                           `2:10: '@' is a reserved character: quote the names of shipped models`,
		"checks:\n- model: a\n  modl: b\n":                 `3:3: unknown key "modl": want all, args, cl-std, cpu-limit, define, device, exact, expect, fairness, global, gpuverify-header, include, keep-values, kernel, known, legacy-atomics, liveness, local, max-states, model, name, offset, por, promises, promises-time, spec, sub-group, time-limit, undefined, unwritten`,
		"checks:\n- model: a\n  model: b\n":                `3:3: mapping key "model" already defined`,
		"checks:\n- model:\n":                              "2:10: want a single value",
		"checks:\n- model: [a]\n":                          "2:10: want a single value",
		"checks:\n- model: ''\n":                           "2:10: the value is empty",
		"checks:\n- spec: 3.0\n":                           "2:3: the check names no model",
		"checks:\n- a.go\n":                                "2:3: want keys and values",
		"checks:\n- model: a\n  spec: 4\n":                 `3:9: unknown specification "4"`,
		"checks:\n- model: a\n  spec:\n":                   "3:9: want a single value",
		"checks:\n- model: a\n  por: all\n":                `3:8: unknown reduction "all"`,
		"checks:\n- model: a\n  promises: 1000\n":          `3:13: "1000": want auto, or a number from 0 to 100`,
		"checks:\n- model: a\n  all: yes\n":                "3:8: want true or false",
		"checks:\n- model: a\n  max-states: 0\n":           `3:15: "0": want a positive number`,
		"checks:\n- model: a\n  time-limit: 5\n":           `3:15: "5": want a duration such as 90s, 5m or 8h`,
		"checks:\n- model: a\nbudget: -5s\n":               `3:9: "-5s": want a duration`,
		"checks:\n- model: a\n  define: 4\n":               "3:11: want constants and their values",
		"checks:\n- model: a\n  define: {a b: 4}\n":        `3:12: "a b" is not the name of a constant`,
		"checks:\n- model: a\n  expect: CL9999\n":          `3:11: "CL9999": want verified, ids of violations`,
		"checks:\n- model: a\n  expect: violated\n":        "3:11: name the violations, as in: violated CL1001",
		"checks:\n- model: a\n  expect: violated x\n":      `3:11: "x": want verified, ids of violations`,
		"checks:\n- model: a\n  expect: []\n":              "3:11: the list is empty",
		"checks:\n- model: &x a\n":                         "2:10: anchors, aliases and tags are not supported",
		"checks:\n- model: !!str a\n":                      "2:10: anchors, aliases and tags",
		"checks:\n- model: a\n---\nchecks: []\n":           "4:1: the file has a second document",
		"checks:\n- model: a\n  expect: [holds, CL1001]\n": "3:19: CL1001 cannot be combined with others",
		"checks: [\n":                                      "1:9: sequence end token ']' not found",
		"a: b: c\n":                                        "1:4: mapping value is not allowed",
		"checks:\n- model: a\n  define: {n: {m: 1}}\n":     "3:15: want a single value",
	} {
		_, err := Parse("f.yaml", []byte(text))
		if err == nil {
			t.Errorf("%q: no error, want %s", text, want)
			continue
		}
		if lines := strings.Split(err.Error(), "\nf.yaml"); len(lines) != 1 || !strings.HasPrefix(lines[0], "f.yaml:"+want) {
			t.Errorf("%q:\n got %v\nwant f.yaml:%s", text, err, want)
		}
	}
}

// TestAllMistakes checks that one run reports all mistakes.
func TestAllMistakes(t *testing.T) {
	_, err := Parse("f.yaml", []byte("budget: x\ndefaults:\n  spec: 4\nchecks:\n- model: a\n  por: z\n"))
	if err == nil || strings.Count(err.Error(), "f.yaml:") != 3 {
		t.Errorf("got %v, want three errors", err)
	}
}

// FuzzParse looks for a text that makes the parser panic.
func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add("checks: [{model: a, expect: [CL1001]}]")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse("f.yaml", []byte(text))
		if err == nil && len(l.Checks) == 0 {
			t.Error("a list without checks")
		}
	})
}
