package thorough

import "testing"

func TestAsked(t *testing.T) {
	for text, want := range map[string]int{"": 2, "0": 2, "1": 30} {
		t.Setenv("CLMC_THOROUGH", text)
		if got := Of(2, 30); got != want {
			t.Errorf("CLMC_THOROUGH=%s: %d, want %d", text, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("yes is taken for an answer")
		}
	}()
	t.Setenv("CLMC_THOROUGH", "yes")
	Asked()
}

// skipping is a test that notes that it is skipped.
type skipping struct {
	testing.TB
	skipped bool
}

func (s *skipping) Helper()              {}
func (s *skipping) Skipf(string, ...any) { s.skipped = true }

func TestOnly(t *testing.T) {
	for text, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("CLMC_THOROUGH", text)
		s := &skipping{TB: t}
		if Only(s, "nothing else"); s.skipped != want {
			t.Errorf("CLMC_THOROUGH=%s: skipped is %v, want %v", text, s.skipped, want)
		}
	}
}
