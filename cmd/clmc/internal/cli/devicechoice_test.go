package cli

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
)

// TestChooseDevice: a device is found by its number or a part of its name; where none or several are called so, all are listed.
func TestChooseDevice(t *testing.T) {
	list := []*device.Info{{Number: 0, Name: "GPU X", Platform: "Vendor"}, {Number: 1, Name: "GPU X", Platform: "Vendor"}, {Number: 2, Name: "CPU", Platform: "Other"}}
	const all = "\nThe devices are:\n  0  GPU X, of Vendor\n  1  GPU X, of Vendor\n  2  CPU, of Other"
	for name, want := range map[string]any{
		deviceAny: 0, "0": 0, "1": 1, "cpu": 2, "other": 2,
		"3":      "--device=3: there is no device of this number" + all,
		"-1":     "--device=-1: there is no device of this number" + all,
		"gpu":    "--device=gpu: 2 devices are called so; give the number" + all,
		"vendor": "--device=vendor: 2 devices are called so; give the number" + all,
		"nobody": "--device=nobody: there is no such device" + all,
	} {
		got, err := (&deviceChoice{name: name}).choose(list, "")
		switch n, found := want.(int); {
		case found && (err != nil || got.Number != n):
			t.Errorf("%s: %+v, %v", name, got, err)
		case !found && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := (&deviceChoice{name: deviceAny}).choose(nil, "no driver has a device"); err == nil || !strings.Contains(err.Error(), "no driver has a device") {
		t.Error(err)
	}
}
