package explore

import "testing"

// A verdict that nobody has come to is no verdict, and each is read back from its name.
func TestVerdicts(t *testing.T) {
	if (&Result{}).Verdict != Inconclusive {
		t.Errorf("the zero verdict is %v", (&Result{}).Verdict)
	}
	for _, v := range Verdicts() {
		if got := ParseVerdict(v.String()); got != v {
			t.Errorf("%v is read as %v", v, got)
		}
	}
	if v := ParseVerdict("proved"); v != Inconclusive {
		t.Errorf("what is no verdict is read as %v", v)
	}
}
