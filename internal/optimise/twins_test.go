package optimise

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/shipped"
)

// elsewhere are shipped models whose right twin differs in something else than orders, scopes, flags and barriers, so that it says nothing of a repair.
var elsewhere = map[string]string{
	"async_copy": "waits for events", "async_double_buffer": "another buffer", "async_strided_copy": "another place", "empty_range": "waits for events", "enqueue_events": "waits for events",
	"enqueue_handoff": "flags of an enqueue", "enqueue_other_group": "flags of an enqueue", "enqueue_quicksort": "flags of an enqueue", "enqueue_tree_sum": "waits", "device_quicksort.cl": "flags of an enqueue",
	"event_callback": "an event", "events_pipeline": "events", "marker_wait_list": "a wait list", "queue_in_order": "queues", "read_write_buffer": "blocking commands", "user_event": "an event", "wait_for_events": "events",
	"counter_reset": "the host resets", "svm_producer_consumer": "the host publishes", "svm_fine_disjoint": "another place", "two_kernels_atomics": "another buffer", "split_k.cl": "an addition is atomic",
	"cas_expected": "expected is private", "collective_divergence": "a collective function in a branch", "divergence_early_return": "the size", "divergence_early_return.cl": "the size",
	"image_barrier": "the size", "isa2_mixed_scopes": "the size", "lb_scopes": "the size", "mp_wrong_scope": "the size", "race_atomic_scope": "the size", "spinlock_wrong_scope": "the size",
	"subgroup_barrier": "the size, or who reads whom", "subgroup_scope": "the size", "ticketlock_wrong_scope": "the size",
	"fft_local.cl": "not in place", "softmax.cl": "another array", "mp_broken_release_sequence": "a store less", "generic_pointer": "which flag is used", "generic_fence": "a function that computes flags",
	"collective_no_fence": "another memory",
	"mp_barrier_release":  "the scope of a barrier, which stays as written",
	"bitonic_sort.cl":     "a barrier stands elsewhere: one is added, and the one that is there stays", "tree_sum.cl": "a barrier less",
}

// distance counts the defines in which two configurations differ.
func distance(a, b map[string]string) (n int) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for k := range keys {
		if a[k] != b[k] {
			n++
		}
	}
	return n
}

// TestRepairTwins repairs each model that comes with clmc in a configuration with a race or divergence, where another configuration, its twin, verifies. What is
// found costs no more than the twin.
func TestRepairTwins(t *testing.T) {
	spec := memmodel.Specs[:1] // that of the expectations
	repaired := 0
	for _, m := range shipped.All() {
		var good, bad []map[string]string
		for _, e := range m.Expectations {
			wrong := slices.ContainsFunc(e.Violations, func(id string) bool { return id != "CL1001" && id != "CL1003" })
			switch {
			case e.Spec != "" || e.Promises != 0 || e.Liveness != nil || e.LegacyWorkGroup || wrong:
			case len(e.Violations) == 0:
				good = append(good, e.Defines)
			default:
				bad = append(bad, e.Defines)
			}
		}
		if len(good) == 0 {
			continue
		}
		for _, defines := range bad {
			what := fmt.Sprintf("%s %v", m.Name, defines)
			if !thorough.Asked() && !drawn(what, 12) {
				continue
			}
			twin := slices.MinFunc(good, func(a, b map[string]string) int { return distance(a, defines) - distance(b, defines) })
			config := func(d map[string]string) Options {
				o := options()
				o.Specs, o.Configs = spec, []Config{{Options: model.Options{Defines: d}}}
				return o
			}
			target := model.Target("../../" + m.Path)
			opt := config(twin)
			p, err := newProblem(t.Context(), target, &opt)
			if err != nil {
				t.Logf("%s: no problem: %v", what, err)
				continue
			}
			most := p.written()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			r, err := Repair(ctx, target, config(defines))
			cancel()
			switch why := elsewhere[m.Name]; {
			case err != nil:
				t.Logf("%s: %v", what, err)
			case r.Verdict == Repaired && shown(r.Cost) <= shown(most):
				repaired++
				t.Logf("%s: ok %s of %s", what, Cost(r.Cost), Cost(most))
			case why != "":
			default:
				t.Errorf("%s: its twin %v costs %s\n%s", what, twin, Cost(most), strings.TrimSpace(r.Line()))
			}
		}
	}
	if repaired < thorough.Of(2, 30) {
		t.Errorf("only %d were repaired", repaired)
	}
}
