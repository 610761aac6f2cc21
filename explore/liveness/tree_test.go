package liveness

import "testing"

// TestConduct: a host thread goes round, one work-group has ended, and one could go on and is never served. Nobody promises that one anything, but
// the device may not stand still: it serves somebody as long as somebody can go on.
func TestConduct(t *testing.T) {
	leaf := func(u int) *tree { return &tree{unit: u, members: []int{u}} }
	device := &tree{model: Unfair, unit: -1, kids: []*tree{leaf(1), leaf(2)}, members: []int{1, 2}}
	root := &tree{model: Fair, unit: -1, kids: []*tree{leaf(0), device}, members: []int{0, 1, 2}}
	c := &conduct{steps: []bool{true, false, false}, started: []bool{true, true, true}, enabled: [][]bool{{true, false, true}}}
	if c.ok(root) {
		t.Error("the device stands still though a work-group could go on")
	}
	if c.steps[2] = true; !c.ok(root) {
		t.Error("the device serves a work-group, and owes nobody more")
	}
	c.steps[2], c.enabled = false, append(c.enabled, []bool{true, false, false})
	if !c.ok(root) {
		t.Error("again and again nobody can go on")
	}
}
