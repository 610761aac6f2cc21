package report

import (
	"strings"

	"github.com/clmc/clmc/explore/trace"
)

// Orders says which memory the passage of a barrier orders: "orders global and local memory".
func Orders(b *trace.Barrier) string {
	var ordered []string
	for _, m := range []struct {
		name string
		ok   bool
	}{{"global", b.Global}, {"local", b.Local}} {
		if m.ok {
			ordered = append(ordered, m.name)
		}
	}
	order := "orders " + strings.Join(ordered, " and ") + " memory"
	switch {
	case len(ordered) > 0 && b.Image:
		order += " and images"
	case b.Image:
		order = "orders images"
	case len(ordered) == 0:
		order = "orders no memory"
	}
	return order
}

// met says what work-items have passed.
func met(b *trace.Barrier) string {
	if strings.HasSuffix(b.Function, "_barrier") {
		return "barrier"
	}
	return "call of " + b.Function
}

// Passed says what was passed and which memory that orders, in a few words.
func Passed(b *trace.Barrier) string { return met(b) + ", " + Orders(b) }
