package memmodel

import (
	"maps"
	"testing"

	"github.com/clmc/clmc/internal/testkit/fields"
)

// Why some fields need not be thought of somewhere.
const (
	parts   = "its parts are thought of"
	whole   = "what it is a part of is thought of"
	noState = "it is not part of the state"
	zero    = "it is zero until something sets it"
	kept    = "it is in canonical form as it is"
	coarse  = "units that it alone tells apart may stay as they are"
	others  = "it names no unit"
	shared  = "it says who shares a row, which makes no difference to what anybody has seen"
)

// alone are the functions that encode what a unit alone can do, but for the order S.
var alone = []string{"Memory.appendAhead", "Memory.appendTold", "Memory.newTo", "Memory.tells", "messageView.append", "Memory.appendGuard", "Memory.appendOwed"}

// leftOut lists the fields of Memory that hardly anything thinks of, with some more.
func leftOut(more map[string]string) map[string]string {
	all := map[string]string{"words": parts, "heads": parts, "sets": parts, "users": shared, "through": noState, "became": noState, "called": noState, "Fault": noState, "Forgives": noState, "Observer": noState}
	maps.Copy(all, more)
	return all
}

// without returns what is left out when some fields are not.
func without(all map[string]string, fields ...string) map[string]string {
	for _, f := range fields {
		delete(all, f)
	}
	return all
}

// lists is why nothing need be said of what is next on a list of records.
const lists = "records of a location are next to each other, so that lists can be made again"

// TestFieldsOfMemory sees that all that must think of each field of a Memory does. Whoever
// adds a field thinks of it there, or says here why that need not be.
func TestFieldsOfMemory(t *testing.T) {
	graph := []string{"scGraph.append"}
	listed := map[string]string{"recHead": lists}
	fields.Check(t, ".", "Memory", []fields.Duty{
		{What: "Reset makes a new one", Funcs: []string{"Memory.Reset", "Memory.initialise", "Memory.carve"},
			But: map[string]string{"Fault": zero, "Forgives": zero, "called": zero}},
		{What: "CopyFrom copies it", Funcs: []string{"Memory.CopyFrom"}, But: map[string]string{
			"count": whole, "committed": whole, "start": whole, "row": whole, "relfHead": whole, "pendHead": whole, "recHead": whole,
			"alive": whole, "parked": whole, "written": whole, "through": noState, "became": noState, "called": noState, "Observer": noState}},
		{What: "Append encodes it", Funcs: append(graph, "Memory.Append", "Memory.appendMessages", "Memory.appendSources", "Memory.appendValue",
			"Memory.appendPlain", "Memory.appendRecords", "Memory.appendGuards", "Memory.view", "Memory.vector", "Memory.Live"), But: leftOut(listed)},
		{What: "Decode decodes it", Funcs: []string{"Memory.Decode", "decoder.messages", "decoder.plain", "decoder.records",
			"decoder.graph", "decoder.views", "Memory.vector", "Memory.fork", "Memory.adopt", "Memory.Live"}, But: without(leftOut(nil), "users")},
		{What: "Relayout moves it to another layout", Funcs: []string{"Memory.Relayout", "Memory.level", "Memory.moveViews", "Memory.vector", "Memory.translate",
			"Memory.moveMessages", "Memory.moveLocations", "Memory.moveGraph"}, But: without(leftOut(nil), "called", "Observer", "users")},
		{What: "Rename renames what is in it", Funcs: []string{"Canon.Rename", "Canon.renameVectors", "Canon.renameUnits",
			"Canon.renameLocations", "Canon.renameGraph"}, But: leftOut(nil)},
		{What: "Refine tells units apart by it", Funcs: []string{"Signatures.Refine", "Signatures.signSnaps", "Signatures.signUnit",
			"Signatures.signMessages", "Signatures.signPlain", "record.kind", "Signatures.signGraph", "Memory.view", "Memory.vector", "Memory.Live"}, But: leftOut(listed)},
		{What: "Named and Symmetric tell units apart by it", Funcs: []string{"Memory.Named", "Memory.Symmetric", "Memory.view", "Memory.vector", "Memory.Live", "Memory.Acting"},
			But: leftOut(map[string]string{"recHead": lists, "start": others, "values": others, "written": others,
				"snaps": "a unit of which they tell has performed events", "committed": "so has one that has accessed an image", "sc": "where there is one all are named"})},
		{What: "AppendAlone encodes what a unit alone can do with it", Funcs: append(alone, "Memory.AppendAlone", "Memory.appendAlone", "Memory.list", "Memory.appendGuards", "Memory.appendPlain", "Memory.appendValue", "Memory.view", "Memory.vector", "Memory.snap"), But: leftOut(map[string]string{
			"count":     "all of a unit's own events come before what it does next",
			"committed": "it tells of a fault, and so of nothing that a promise hangs on",
			"alive":     "nobody else does anything",
			"parked":    "nobody else does anything",
			"recs":      "nobody else races", "recHead": "nobody else races"})},
		{What: "Dominates compares it", Funcs: []string{"Memory.Dominates", "Memory.view", "Memory.vector"}, But: without(leftOut(map[string]string{
			"count": whole, "committed": whole, "alive": whole, "parked": whole, "start": whole, "written": whole,
			"sc": "nothing dominates where there is one"}), "words", "sets")},
		{What: "Normalise brings it into canonical form", Funcs: []string{"Canon.Normalise", "Canon.common", "Canon.dropMessages",
			"Canon.dropRecords", "Canon.dropGuards", "Canon.compact", "Canon.rank", "Canon.lower", "Memory.eachEvent"}, But: without(leftOut(map[string]string{
			"alive": kept, "parked": kept, "values": kept, "written": kept}), "users")},
	})
}

// TestFieldsOfWhatMemoryKeeps is TestFieldsOfMemory for what a Memory consists of. What
// moves or renames it takes it as a whole.
func TestFieldsOfWhatMemoryKeeps(t *testing.T) {
	const order = "the order S needs it, and appendAlone thinks of it"
	label := map[string]string{"label": "a canonical state has no labels"}
	fields.Check(t, ".", "message", []fields.Duty{
		{What: "Append", Funcs: []string{"Memory.appendMessages"}, But: label},
		{What: "Decode", Funcs: []string{"decoder.messages"}, But: label},
		{What: "AppendAlone", Funcs: alone, But: map[string]string{
			"label": label["label"], "event": order, "sc": order, "beforeWrites": order, "beforeFences": order, "beforeKnown": order}},
		{What: "AppendAlone with S", Funcs: []string{"Memory.appendAlone"}, But: label},
		{What: "Refine", Funcs: []string{"Signatures.signMessages"}, But: map[string]string{
			"label": label["label"], "beforeWrites": coarse, "beforeFences": coarse, "beforeKnown": coarse}},
	})
	event := map[string]string{"event": "it is for observers alone", "given": "the next canonical form says it anew"}
	fields.Check(t, ".", "messageView", []fields.Duty{
		{What: "Append", Funcs: []string{"Memory.appendSources"}, But: event},
		{What: "Decode", Funcs: []string{"decoder.sources"}, But: event},
		{What: "AppendAlone", Funcs: append(alone, "Memory.appendPublished"), But: event},
	})
	for _, typ := range []string{"key", "scEvent"} {
		fields.Check(t, ".", typ, []fields.Duty{
			{What: "Append", Funcs: []string{"Memory.appendSources", "scGraph.append"}},
			{What: "Decode", Funcs: []string{"decoder.sources", "decoder.graph"}},
			{What: "Refine", Funcs: []string{"Signatures.sources", "Signatures.source", "Signatures.signGraph"}},
		})
	}
	flag := "it belongs to no unit or location"
	flags := map[string]string{"fine": flag, "device": flag, "other": flag, "cyclic": flag, "Full": flag}
	fields.Check(t, ".", "scGraph", []fields.Duty{
		{What: "Reset", Funcs: []string{"scGraph.reset"}, But: map[string]string{
			"fine": zero, "device": zero, "other": zero, "cyclic": zero, "Full": zero}},
		{What: "CopyFrom", Funcs: []string{"scGraph.copyFrom"}},
		{What: "Append", Funcs: []string{"scGraph.append"}},
		{What: "Decode", Funcs: []string{"decoder.graph"}},
		{What: "Relayout", Funcs: []string{"Memory.moveGraph"}},
		{What: "Rename", Funcs: []string{"Canon.renameGraph"}, But: flags},
		{What: "Refine", Funcs: []string{"Signatures.signGraph"}, But: map[string]string{
			"fine": flag, "device": flag, "other": flag, "cyclic": flag, "Full": flag,
			"clocks": coarse, "baseWrites": coarse, "baseFences": coarse}},
	})
	fields.Check(t, ".", "guard", []fields.Duty{
		{What: "Append", Funcs: []string{"Memory.appendGuards"}},
		{What: "Decode", Funcs: []string{"Memory.Decode"}},
		{What: "Refine", Funcs: []string{"Signatures.signMessages"}},
	})
	written := map[string]string{"Write": parts}
	fields.Check(t, ".", "promise", []fields.Duty{
		{What: "Append", Funcs: []string{"promise.append"}, But: written},
		{What: "Decode", Funcs: []string{"Memory.Decode"}, But: written},
		{What: "Refine", Funcs: []string{"Signatures.signMessages"}, But: written},
		{What: "Normalise", Funcs: []string{"Memory.sortPromises"}, But: written},
	})
	fields.Check(t, ".", "Write", []fields.Duty{
		{What: "Append", Funcs: []string{"promise.append"}},
		{What: "Decode", Funcs: []string{"Memory.Decode"}},
		{What: "Refine", Funcs: []string{"Signatures.signMessages"}},
		{What: "Normalise", Funcs: []string{"Memory.sortPromises"}},
	})
	fields.Check(t, ".", "record", []fields.Duty{
		{What: "Append", Funcs: []string{"Memory.appendRecords"}, But: map[string]string{"gathered": event["given"], "next": lists}},
		{What: "Decode", Funcs: []string{"decoder.records"}, But: map[string]string{"gathered": event["given"]}},
		{What: "Refine", Funcs: []string{"Signatures.signPlain", "record.kind"}, But: map[string]string{"next": lists}},
	})
}
