package litmus_test

import (
	"encoding/json"
	"strings"
	"testing"
)

var outcomes = []map[string]int64{{"x": 1, "0:r": 2}, {"x": 0, "0:r": 2}}

func TestWriteHerd(t *testing.T) {
	text := "OpenCL MP+na\n{}\nP0 (global int* x) { int r = *x; }\n"
	for _, c := range []struct {
		condition string
		flags     []string
		unknown   bool
		want      string
	}{
		{`exists (x=1 /\ (0:r=2 \/ 0:r=3))`, nil, false, `Test MP+na Allowed
States 2
0:r=2; x=0;
0:r=2; x=1;
Ok
Witnesses
Positive: 1 Negative: 1
Condition exists (x=1 /\ (0:r=2 \/ 0:r=3))
Observation MP+na Sometimes 1 1

`},
		{`~exists (~(x=5) /\ 0:r=2)`, []string{"data-race"}, false, `Test MP+na Forbidden
States 2
0:r=2; x=0;
0:r=2; x=1;
No
Witnesses
Positive: 2 Negative: 0
Flag data-race
Condition ~exists (~(x=5) /\ 0:r=2)
Observation MP+na Always 2 0

`},
		{`forall (x=5 /\ 0:r=2)`, []string{"barrier-divergence"}, false, `Test MP+na Required
States 2
0:r=2; x=0;
0:r=2; x=1;
No
Witnesses
Positive: 0 Negative: 2
Flag barrier-divergence
Condition forall (x=5 /\ 0:r=2)
Observation MP+na Never 0 2

`},
		{`forall (0:r=2)`, []string{"deadlock"}, true, `Test MP+na Required
States 2
0:r=2; x=0;
0:r=2; x=1;
Unknown
Witnesses
Positive: 2 Negative: 0
Flag deadlock
Condition forall (0:r=2)
Observation MP+na Always 2 0

`},
	} {
		var b strings.Builder
		if err := parse(t, "t", text+c.condition).WriteHerd(&b, outcomes, c.flags, c.unknown); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("got:\n%swant:\n%s", b.String(), c.want)
		}
	}
}

func TestRecord(t *testing.T) {
	text := "OpenCL t\n{}\nP0 (global int* x) { int r = *x; }\nlocations [x;0:r]\n"
	for _, c := range []struct {
		condition                 string
		race, divergent, complete bool
		want                      string
	}{
		{"exists (x=1)", false, false, true, `{"file":"f","name":"t","verdict":"Ok","race":false,"divergence":false,"outcomes":[{"0:r":2,"x":0},{"0:r":2,"x":1}],"condition":true,"complete":true,"states":0,"seconds":0}`},
		{"exists (x=7)", false, false, true, `{"file":"f","name":"t","verdict":"No","race":false,"divergence":false,"outcomes":[{"0:r":2,"x":0},{"0:r":2,"x":1}],"condition":false,"complete":true,"states":0,"seconds":0}`},
		{"exists (x=7)", false, false, false, `{"file":"f","name":"t","verdict":"Unknown","race":false,"divergence":false,"outcomes":[{"0:r":2,"x":0},{"0:r":2,"x":1}],"condition":false,"complete":false,"states":0,"seconds":0}`},
		{"forall (x=1)", false, false, false, `{"file":"f","name":"t","verdict":"No","race":false,"divergence":false,"outcomes":[{"0:r":2,"x":0},{"0:r":2,"x":1}],"condition":false,"complete":false,"states":0,"seconds":0}`},
		{"~exists (x=1)", true, false, true, `{"file":"f","name":"t","verdict":"Undefined","race":true,"divergence":false,"condition":false,"complete":true,"states":0,"seconds":0}`},
	} {
		r := parse(t, "f", text+c.condition).Record(outcomes, c.race, c.divergent, c.complete)
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.condition, got, c.want)
		}
	}
}
