package cli

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/whynot"
)

// validDevice holds a document about devices against the JSON Schema.
func validDevice(t *testing.T, text []byte) (problems []string) {
	t.Helper()
	schema := strings.Replace(report.Schemas()[report.DeviceSchema], `"$schema"`, `"$comment"`, 1) // of its keywords none is newer than the library
	r, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema), gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Errors() {
		problems = append(problems, e.String())
	}
	return problems
}

// TestDeviceSchema: all documents about devices are as the schema says, and what is not is refused.
func TestDeviceSchema(t *testing.T) {
	info := &device.Info{Type: "gpu", Features: []string{}, MaxItems: []int{1, 1, 1}, Atomics: []string{"relaxed"}, Fences: []string{}, SVM: []string{}, Probes: []device.Probe{{What: "x", Log: "y"}}}
	tuned := *info
	tuned.Tuned = []device.Setting{{Own: true, Spin: 3}}
	good := map[string]any{
		"no devices": &devicesDocument{Schema: "clmc.devices/1", Devices: []*device.Info{}, None: "why"},
		"devices":    &devicesDocument{Schema: "clmc.devices/1", Devices: []*device.Info{info}},
		"tuned":      &devicesDocument{Schema: "clmc.devices/1", Devices: []*device.Info{&tuned}},
		"skipped":    &deviceDocument{Verdict: "skipped", Reason: "why"},
		"forbidden": &deviceDocument{Verdict: "forbidden", Mapping: "ptx", Unpromised: []string{"a"}, Stronger: []string{"b"}, Unknown: 3,
			Outcomes: []deviceOutcome{{Values: map[string]int32{"x": -1}, Allowed: true, Count: 2}, {Values: map[string]int32{"x": 1}, WhyNot: &whynot.Answer{}}}},
		"run":     &deviceSummary{Schema: "clmc.device/1", Device: info, Skipped: map[string]int{"why": 1}, Sights: []device.Sight{{Mapping: "c11"}}, Verdict: "clean"},
		"stopped": &deviceSummary{Schema: "clmc.device/1", Device: info, Skipped: map[string]int{}, Sights: []device.Sight{}, Verdict: "stopped", Stopped: "interrupted", NotRun: 2},
		"kernel": &kernelDocument{Schema: kernelSchema, Device: info, Verdict: "disagrees", Uncompared: []string{"x"}, More: 1, Expected: map[string]string{"a[0]": "1 or 2"},
			Endings: []kernelEnding{{Runs: 1, Forbidden: true, Fails: []string{"a[0] == 1"}, Values: map[string]string{"a[0]": "3"}}}},
		"not run": &kernelDocument{Schema: kernelSchema, Verdict: notRun, Reason: "why", Endings: []kernelEnding{}},
	}
	for what, doc := range good {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if problems := validDevice(t, text); len(problems) > 0 {
			t.Errorf("%s: %q\n%s", what, problems, text)
		}
		for _, damage := range []func(map[string]any){
			func(m map[string]any) { m["surprise"] = 1 },
			func(m map[string]any) { m["verdict"], m["devices"] = "perhaps", 3 },
		} {
			var m map[string]any
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
			damage(m)
			bad, _ := json.Marshal(m)
			if len(validDevice(t, bad)) == 0 {
				t.Errorf("%s is taken: %s", what, bad)
			}
		}
	}
}

// TestTunedIsListed: clmc devices tells of settings that are kept.
func TestTunedIsListed(t *testing.T) {
	for n, want := range []bool{false, true} {
		var out strings.Builder
		a := &app{out: bufio.NewWriter(&out)}
		a.showDevice(&device.Info{Tuned: make([]device.Setting, 2*n)})
		a.out.Flush()
		if got := strings.Contains(out.String(), "2 settings of clmc litmus --tune are used"); got != want {
			t.Errorf("%q", out.String())
		}
	}
}
