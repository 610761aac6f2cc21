package load

import (
	_ "embed"
	"slices"
)

// Models join host threads as Go programs do, by a sync.WaitGroup. It is written in the
// language of the models, and is added to their texts if they import it.

const (
	syncPath = "sync"
	syncFile = "sync/waitgroup.go"
)

//go:embed waitgroup.go.txt
var syncText []byte

// withSync adds package sync to texts of which one imports it.
func withSync(sources []source) []source {
	if slices.ContainsFunc(sources, func(s source) bool { return s.name == syncFile }) {
		return sources
	}
	if !slices.ContainsFunc(sources, func(s source) bool { return slices.Contains(importsOf(s), syncPath) }) {
		return sources
	}
	return append(slices.Clip(sources), source{name: syncFile, text: syncText})
}
