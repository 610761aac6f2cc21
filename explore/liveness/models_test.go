package liveness

import (
	"strings"
	"testing"
)

// TestMisread: who writes no model is told what to write.
func TestMisread(t *testing.T) {
	for text, want := range map[string]string{
		"GPU":                   `"GPU": write gpu`,
		"Fair":                  `"Fair": write fair`,
		"gpu,obe":               "gpu stands alone: it says all of device=hsa_obe,group=fair,subgroup=fair",
		"gpu, group=unfair":     "gpu stands alone",
		"group=fair,gpu":        "gpu stands alone",
		"obe,fair":              "obe stands alone, for the work-groups of a device; beside others write each with its level, as in device=obe,group=fair",
		"OBE,fair":              "obe stands alone",
		"device=obe,lobe":       "lobe stands alone",
		"device=gpu":            `there is no model "gpu"`,
		"device=obe,device=obe": "the level device is given twice",
		"wave=fair":             `there is no level "wave"`,
		"obi":                   `"obi": want fair`,
		"":                      `"": want fair`,
		",":                     `",": want fair`,
	} {
		if _, err := ParseLevels(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestOneMember: where a level has one member only, a scheduler owes it the same whether the level is fair or unfair, whatever is done there.
func TestOneMember(t *testing.T) {
	for bits := range 1 << 5 {
		on := func(i int) bool { return bits>>i&1 == 1 }
		c := &conduct{steps: []bool{on(0), on(1)}, started: []bool{true, true}, enabled: [][]bool{{on(2), on(3)}, {on(4), true}}}
		owes := func(x Model) bool {
			only := &tree{model: x, unit: -1, kids: []*tree{{unit: 0, members: []int{0}}}, members: []int{0}}
			root := &tree{model: Fair, unit: -1, kids: []*tree{only, {unit: 1, members: []int{1}}}, members: []int{0, 1}}
			return c.ok(root)
		}
		if owes(Unfair) != owes(Fair) {
			t.Errorf("%05b: unfair %v, fair %v", bits, owes(Unfair), owes(Fair))
		}
	}
}
