package proofs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/shipped"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// barrierCall is a call of a barrier as it stands in kernels that are shipped: no argument has brackets.
var barrierCall = regexp.MustCompile(`\b(?:work_group_|sub_group_)?barrier\([^()]*\);`)

// otherFlag exchanges the flags of a barrier.
var otherFlag = strings.NewReplacer("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE")

// barrierChanges are what is done to a barrier.
var barrierChanges = []struct {
	what   string
	change func(call string) string
}{
	{"removed", func(string) string { return ";" }},
	{"with the other flag", otherFlag.Replace},
	{"for the first work-item of a group alone", func(call string) string { return "if (get_local_id(0) == 0) " + call }},
	{"for every second work-item", func(call string) string { return "if (get_global_id(0) % 2 == 0) " + call }},
}

// TestChangedBarriers removes each barrier of each kernel file that is shipped, exchanges its flag, and lets its condition depend on an id. What is
// proved of the outcome, at the sizes of the file and at any, must go wrong in no execution of its launches.
func TestChangedBarriers(t *testing.T) {
	tried, proved, wrong := 0, 0, 0
	all := []shipped.Model{}
	for _, m := range shipped.All() {
		if m.IsKernel() && barrierCall.MatchString(m.Source) {
			all = append(all, m)
		}
	}
	step := thorough.Of(max(len(all)/3, 1), 1)
	for i := 0; i < len(all); i += step {
		m := &all[i]
		for n, at := range barrierCall.FindAllStringIndex(m.Source, -1) {
			for _, c := range barrierChanges {
				text := m.Source[:at[0]] + c.change(m.Source[at[0]:at[1]]) + m.Source[at[1]:]
				if text == m.Source || strings.HasPrefix(lineOf(m.Source, at[0]), "//") {
					continue
				}
				name := fmt.Sprintf("%s: barrier %d, %s", m.Name, n+1, c.what)
				went := goesWrong(t, name, text)
				tried++
				if went != "" {
					wrong++
				}
				for k, any := range []bool{false, true} {
					if !thorough.Asked() && k != n%2 || !provedIn(t, name, text, any) {
						continue
					}
					if proved++; went != "" {
						t.Errorf("%s: proved (any size: %v), but %s\n%s", name, any, went, text)
					}
				}
			}
		}
	}
	t.Logf("%d changes in %d of %d files; %d go wrong; %d proofs", tried, (len(all)+step-1)/step, len(all), wrong, proved)
	if len(all) < 15 || tried < 10 || wrong < tried/3 {
		t.Errorf("%d changes in %d files, of which %d go wrong: there is too little to see", tried, len(all), wrong)
	}
}

// lineOf is the beginning of the line of a place.
func lineOf(text string, at int) string {
	return strings.TrimSpace(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
}

// provedIn reports whether all kernels of a file are proved.
func provedIn(t *testing.T, name, text string, any bool) bool {
	list, err := Source(t.Context(), "k.cl", []byte(text), Options{AnySize: any, Query: time.Duration(thorough.Of(30, 300)) * time.Millisecond, Dry: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, p := range list {
		if p.Verdict != Proved {
			return false
		}
	}
	return len(list) > 0
}

// goesWrong explores the launches of a file, with little left out, and says what races or diverges.
func goesWrong(t *testing.T, name, text string) string {
	p, err := clc.Source("k.cl", []byte(text), clc.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, mode := range []por.Mode{por.DPOR, por.None} {
		r := explore.Run(t.Context(), p, explore.Options{All: true, Beyond: true, KeepSchedule: true, MaxStates: thorough.Of(300, 5000), POR: mode})
		for _, v := range r.Violations {
			if (v.Kind == state.DataRace || v.Kind == state.BarrierDivergence) && !v.After {
				return v.Kind.ID() + " was found"
			}
		}
	}
	return ""
}
