package main

import (
	"regexp"
	"strings"
	"testing"
)

// readers are the commands of clmc, and how hogs come to each of them: by the modes of pen.commands, or why they need not.
var readers = map[string]string{
	"capture":    "capture",
	"cluster":    "reads what a hub answers, which TestHostileNames and TestUnfit make up",
	"completion": "reads nothing",
	"devices":    "reads what a process of its own says, and nothing that a model's author has written",
	"explain":    "reads nothing",
	"explore":    "explore guess liveness",
	"help":       "reads nothing",
	"hub":        "reads its own folder, and requests, which TestAttacks makes up",
	"init":       "init",
	"litmus":     "litmus emit",
	"models":     "reads what comes with clmc",
	"optimise":   "optimise",
	"prove":      "prove",
	"repair":     "repair",
	"replay":     "replay",
	"resume":     "reads stores, which TestDamage and TestForeign damage; what is in them is loaded as by explore",
	"run":        "run",
	"simulate":   "simulate",
	"status":     "reads stores, as resume does",
	"test":       "test",
	"version":    "reads nothing",
	"watch":      "loads and explores by the code of explore; it ends with a signal only",
	"worker":     "worker",
}

// TestHogsComeToAllReaders sees that each command of clmc is tried with hogs, or that it is said why not.
func TestHogsComeToAllReaders(t *testing.T) {
	help := run(t, "help").stdout
	_, list, ok := strings.Cut(help, "Available Commands:\n")
	list, _, ended := strings.Cut(list, "\n\n")
	if !ok || !ended {
		t.Fatalf("no commands in %s", help)
	}
	p, all, modes := &pen{t: t, dir: t.TempDir()}, hogs(), map[string]bool{}
	for i := range all {
		for _, limited := range []bool{true, false} {
			for mode := range p.commands(&all[i], limited) {
				modes[mode] = true
			}
		}
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)`).FindAllStringSubmatch(list, -1) {
		n++
		how := readers[m[1]]
		if how == "" {
			t.Errorf("clmc %s is new: does it read what anybody may have written? Then let hogs come to it", m[1])
		}
		if strings.HasPrefix(how, "reads ") || strings.HasPrefix(how, "loads ") {
			continue
		}
		for word := range strings.FieldsSeq(how) {
			if !modes[word] {
				t.Errorf("no hog comes to clmc %s by %s", m[1], word)
			}
		}
	}
	if n != len(readers) || len(modes) < 13 {
		t.Errorf("%d commands, %d in the list; %d modes", n, len(readers), len(modes))
	}
}
