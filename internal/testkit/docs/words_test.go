package docs

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// oneMeaning lists the words of docs/glossary.md that once had several meanings, with all
// that is declared under each: as such, or as its first word.
var oneMeaning = []struct {
	word  string
	forms []string // as which a name has it
	of    []string // what is declared
}{
	{"reach", []string{"reach", "reaches", "reached", "reachable", "unreachable", "unreached"}, []string{
		"flow.Edges.Reach", "facts.Reach", "facts.Facts.ReachBits", "facts.reachBits", "loadbuffering.program.reach", "state.reachableEffects", "state.aloneSearch.reachableEffects", "load.reaches", // in a graph
		"state.Notes.Reached", "state.Notes.Unreached", "state.Learnt.Reached", "state.Machine.reached", "state.State.reached", "state.Unreachable", // by an execution
		"explore.head.Reached", "explore.reporter.unreached", "trace.unreachable", "randprog.Thread.Reach", "cl.Reachable", "cl.unreachable",
		"hub.reachable", // on a network
	}},
	{"promise", []string{"promise", "promises", "promised"}, []string{
		"memmodel.promise", "memmodel.Memory.Promise", "memmodel.Memory.Promises", "memmodel.Memory.Promised", "memmodel.Memory.promises", "memmodel.Memory.promised", // the message
		"memmodel.Traits.Promises", "state.Machine.Promises", "state.State.Promises", "state.Certifier.promiseLocs", "state.Certifier.promisedByAnybody", "por.Turn.PromiseReadable", // about them
		"state.Choice.Promise", "explore.absoluteMove.promise", "explore.promiseClosure", "explore.meaning.promise", "trace.Move.Promise", "trace.Act.Promise", "explore.Named.Promise", // to make one
		"explore.Options.Promises", "explore.Result.Promises", "optimise.Config.Promises", "check.Promises", "checks.keyed.Promises", "cli.record.Promises", "shipped.Expectation.Promises", "cli.searchFlags.promises", "cli.promisesValue", // how many
		"explore.PromisesTime", "explore.Options.PromisesTime", "cli.searchFlags.promised", "cli.promisesTimeValue", // how long they are made
		"report.Promises", "report.Report.promises", "report.Document.Promises",
	}},
	{"symmetric", []string{"symmetric", "symmetry", "alike", "twin", "twins"}, []string{
		"memmodel.Memory.Symmetric", "state.Sorter.symmetric", "state.Cast.Symmetric", "liveness.Graph.symmetric", // units
		"state.symmetry", "state.symmetryBuilder", "state.Machine.symmetry", // what may be exchanged
		"explore.Saved.Symmetric", "explore.Options.symmetricTurn", "explore.turnTaker.symmetricAreEnough", "report.Saved.Symmetric", // turns
		"explore.Symmetry", "explore.base.symmetric", "liveness.Options.Symmetric", "cli.record.Symmetry", "cli.searchFlags.symmetry", // whether symmetric states are one
		"randprog.Symmetric", "randprog.gen.symmetric", "randprog.gen.symmetricProfile", "randprog.gen.symmetricShape", "randprog.symmetricShape",
		"randprog.drawing.symmetricCode", "randprog.drawing.symmetricVariables",
	}},
	{"apart", []string{"apart"}, []string{"memmodel.Horizon.Apart"}},
}

// TestWordsHaveOneMeaning sees that who declares something under one of these words has a
// look at what it means.
func TestWordsHaveOneMeaning(t *testing.T) {
	list, _ := sources(t)
	all := declared(list)
	for _, w := range oneMeaning {
		for _, name := range w.of {
			if all[name] == nil {
				t.Errorf("%s, of %q, is declared nowhere", name, w.word)
			}
		}
		for name := range all {
			if slices.Contains(w.forms, firstWord(name[strings.LastIndexByte(name, '.')+1:])) && !slices.Contains(w.of, name) {
				t.Errorf("%s: docs/glossary.md says what %q means; if this is it, add it here, else call it otherwise", name, w.word)
			}
		}
	}
}

// firstWord returns the first word of a name, in lower case.
func firstWord(name string) string {
	end := strings.IndexFunc(name[1:], unicode.IsUpper)
	if end < 0 {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:end+1])
}
