package mend

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// TestSet gives calls another strength, in both languages: short forms become explicit ones, and what does not change keeps its text.
func TestSet(t *testing.T) {
	dev, wg := memmodel.ScopeDevice, memmodel.ScopeWorkGroup
	sc := ir.Strength{Order: memmodel.SeqCst, Scope: dev}
	acq, rel, rlx := ir.Strength{Order: memmodel.Acquire, Scope: dev}, ir.Strength{Order: memmodel.Release, Scope: dev}, ir.Strength{Order: memmodel.Relaxed, Scope: dev}
	both := memmodel.LocalFence | memmodel.GlobalFence
	for _, c := range []struct {
		kind     ir.SiteKind
		text     string // the call begins at ^
		was, now ir.Strength
		want     string
	}{
		{ir.LoadSite, "x = ^atomic_load(p) + 1;", sc, acq, "x = atomic_load_explicit(p, memory_order_acquire, memory_scope_device) + 1;"},
		{ir.LoadSite, "x = ^atomic_load_explicit(&a[i + f(1, 2)], memory_order_seq_cst);", sc, acq, "x = atomic_load_explicit(&a[i + f(1, 2)], memory_order_acquire);"},
		{ir.LoadSite, "x = ^atomic_load_explicit(p, memory_order_seq_cst);", sc, ir.Strength{Order: memmodel.SeqCst, Scope: wg}, "x = atomic_load_explicit(p, memory_order_seq_cst, memory_scope_work_group);"},
		{ir.StoreSite, "^atomic_store (p, ')' /* , */);", sc, rel, "atomic_store_explicit (p, ')', memory_order_release, memory_scope_device /* , */);"},
		{ir.StoreSite, "^atomic_store_explicit(p, 1, /* why */ memory_order_seq_cst, // because\n  memory_scope_device);", sc, rlx,
			"atomic_store_explicit(p, 1, /* why */ memory_order_relaxed, // because\n  memory_scope_device);"},
		{ir.StoreSite, "^atomic_flag_clear(f);", sc, rel, "atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device);"},
		{ir.ModifySite, "^atomic_flag_test_and_set(f)", sc, acq, "atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device)"},
		{ir.ModifySite, "^atomic_fetch_add(p, 1)", sc, rlx, "atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device)"},
		{ir.ExchangeSite, "^atomic_compare_exchange_weak(p, &e, 2)", ir.Strength{Order: memmodel.SeqCst, Fail: memmodel.SeqCst, Scope: dev}, ir.Strength{Order: memmodel.AcqRel, Fail: memmodel.Acquire, Scope: dev},
			"atomic_compare_exchange_weak_explicit(p, &e, 2, memory_order_acq_rel, memory_order_acquire, memory_scope_device)"},
		{ir.ExchangeSite, "#define ORDER memory_order_acq_rel\n^atomic_compare_exchange_strong_explicit(p, &e, 2, ORDER, memory_order_acquire, memory_scope_device)", ir.Strength{Order: memmodel.AcqRel, Fail: memmodel.Acquire, Scope: dev}, ir.Strength{Order: memmodel.Release, Fail: memmodel.Acquire, Scope: dev},
			"#define ORDER memory_order_acq_rel\natomic_compare_exchange_strong_explicit(p, &e, 2, memory_order_release, memory_order_acquire, memory_scope_device)"},
		{ir.FenceSite, "a; ^atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device); b;", ir.Strength{Order: memmodel.SeqCst, Scope: dev, Flags: memmodel.GlobalFence}, ir.Strength{Order: memmodel.AcqRel, Scope: wg, Flags: both},
			"a; atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group); b;"},
		{ir.FenceSite, "  a; // publish\n  ^mem_fence(CLK_LOCAL_MEM_FENCE); // all\n  b;", ir.Strength{Order: memmodel.AcqRel, Scope: wg, Flags: memmodel.LocalFence}, ir.Strength{Order: memmodel.Relaxed},
			"  a; // publish\n  b;"},
		{ir.FenceSite, "  if (x)\n    ^mem_fence(CLK_LOCAL_MEM_FENCE);\n  b;", ir.Strength{Order: memmodel.AcqRel, Scope: wg, Flags: memmodel.LocalFence}, ir.Strength{Order: memmodel.Relaxed},
			"  if (x)\n    ;\n  b;"},
		{ir.FenceSite, "#define A(x) f(x)\n  ^mem_fence(CLK_LOCAL_MEM_FENCE);\n", ir.Strength{Order: memmodel.AcqRel, Scope: wg, Flags: memmodel.LocalFence}, ir.Strength{Order: memmodel.Relaxed},
			"#define A(x) f(x)\n"},
		{ir.FenceSite, "^mem_fence(CLK_LOCAL_MEM_FENCE);", ir.Strength{Order: memmodel.AcqRel, Scope: wg, Flags: memmodel.LocalFence}, ir.Strength{Order: memmodel.Release, Scope: wg, Flags: memmodel.LocalFence},
			"atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);"},
		{ir.BarrierSite, "^barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);", ir.Strength{Scope: wg, Flags: both}, ir.Strength{Scope: wg, Flags: memmodel.LocalFence}, "barrier(CLK_LOCAL_MEM_FENCE);"},
		{ir.BarrierSite, "^work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);", ir.Strength{Scope: wg, Flags: memmodel.LocalFence}, ir.Strength{Scope: wg}, "work_group_barrier(0, memory_scope_work_group);"},
		{ir.StoreSite, "if (a) x[0] ^= b[i]; else c();", sc, rel, "if (a) atomic_store_explicit(&x[0], b[i], memory_order_release, memory_scope_device); else c();"},
		{ir.ModifySite, "  ^++s->n;", sc, rlx, "  atomic_fetch_add_explicit(&s->n, 1, memory_order_relaxed, memory_scope_device);"},
		{ir.ModifySite, "y = (*p)^--;", sc, rel, "y = atomic_fetch_sub_explicit(p, 1, memory_order_release, memory_scope_device);"},
		{ir.LoadSite, "while (^*p != 1) ;", sc, acq, "while (atomic_load_explicit(p, memory_order_acquire, memory_scope_device) != 1) ;"},
		{ir.LoadSite, "x = ^ready + 1;", sc, acq, "x = atomic_load_explicit(&ready, memory_order_acquire, memory_scope_device) + 1;"},
		{ir.StoreSite, "#define PUT(p) \\\n  atomic_store(p, 1)\n  ^PUT(p);", sc, rel, "#define PUT(p) \\\n  atomic_store_explicit(p, 1, memory_order_release, memory_scope_device)\n  PUT(p);"},
		{ir.LoadSite, "x := ^cl.AtomicLoad(&a)", sc, acq, "x := cl.AtomicLoadExplicit(&a, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)"},
		{ir.LoadSite, "x := ^ocl.AtomicLoadExplicit[int32](&a, ocl.MemoryOrderSeqCst)", sc, acq, "x := ocl.AtomicLoadExplicit[int32](&a, ocl.MemoryOrderAcquire)"},
		{ir.StoreSite, "^cl.AtomicStoreExplicit(\n\t&a,\n\t1,\n\tcl.MemoryOrderSeqCst,\n)", sc, ir.Strength{Order: memmodel.Release, Scope: wg},
			"cl.AtomicStoreExplicit(\n\t&a,\n\t1,\n\tcl.MemoryOrderRelease, cl.MemoryScopeWorkGroup,\n)"},
		{ir.FenceSite, "\ta()\n\t^cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice) // why\n\tb()", ir.Strength{Order: memmodel.SeqCst, Scope: dev, Flags: memmodel.GlobalFence}, ir.Strength{Order: memmodel.Relaxed},
			"\ta()\n\tb()"},
		{ir.FenceSite, "^AtomicWorkItemFence(CLKGlobalMemFence, MemoryOrderSeqCst, MemoryScopeDevice)//go", ir.Strength{Order: memmodel.SeqCst, Scope: dev, Flags: memmodel.GlobalFence}, ir.Strength{Order: memmodel.Release, Scope: dev, Flags: memmodel.GlobalFence},
			"AtomicWorkItemFence(CLKGlobalMemFence, MemoryOrderRelease, MemoryScopeDevice)//go"},
		{ir.BarrierSite, "^cl.WorkGroupBarrier(cl.CLKLocalMemFence | cl.CLKGlobalMemFence)", ir.Strength{Scope: wg, Flags: both}, ir.Strength{Scope: wg, Flags: memmodel.GlobalFence}, "cl.WorkGroupBarrier(cl.CLKGlobalMemFence)"},
	} {
		before, after, _ := strings.Cut(c.text, "^")
		text := before + after
		inGo := strings.Contains(text, "cl.") || strings.Contains(text, "//go")
		line, col := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
		site := &ir.Site{ID: ir.SiteID{Line: int32(line), Col: int32(col), Kind: c.kind}, Strength: c.was}
		call, err := FindCall(text, inGo, site)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := Edits(text, call.Set(text, c.now)); got != c.want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", text, got, c.want)
		}
		if edits := call.Set(text, c.was); len(edits) > 0 {
			t.Errorf("%s: nothing changes, and yet %v", text, edits)
		}
	}
}

// TestFindCall refuses what it does not understand: what a macro, a parameter or a computation says.
func TestFindCall(t *testing.T) {
	for text, why := range map[string]string{
		"^TAKE(p);":                    "what a macro contains",
		"x[0] ^*= 1;":                  "operator",
		"y = x[0] ^= 1;":               "its value is used",
		"^++x[0];":                     "operator",
		"^atomic_load(p)":              "no function",
		"^atomic_store_explicit(p, 1)": "not understood",
		"^atomic_store_explicit(p, 1, weak ? memory_order_relaxed : memory_order_release)": "constant",
		"^atomic_store_explicit(p, 1, order(2))":                                           "constant",
		"^atomic_store_explicit(p, 1, memory_order_release":                                "not understood",
		"^atomic_store_explicit":                                                           "not called",
		"^atomic_store_explicit(p, 1, o)":                                                  "constant",
		"^cl.AtomicStoreExplicit(&a, 1, o)":                                                "constant",
		"^atomic_inc(p)":                                                                   "no function",
		"^cl.AtomicStoreExplicit(&a, 1, orders[1])":                                        "constant",
		"^lock.Store(1)":                                                                   "no function",
	} {
		before, after, _ := strings.Cut(text, "^")
		site := &ir.Site{ID: ir.SiteID{Line: 1, Col: int32(len(before) + 1), Kind: ir.StoreSite}, Strength: ir.Strength{Order: memmodel.SeqCst, Scope: memmodel.ScopeDevice}}
		if _, err := FindCall(before+after, strings.Contains(text, "cl.") || strings.Contains(text, "lock."), site); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// TestMakeAtomicCast: what is accessed through a cast is what is cast, whatever stands around it.
func TestMakeAtomicCast(t *testing.T) {
	for text, want := range map[string]string{
		"x = ^*(global int *)m;":             "x = atomic_or(&*(global int *)m, 0);",
		"x = ^*(global int *)m + 1;":         "x = atomic_or(&*(global int *)m, 0) + 1;",
		"x = ^*(volatile __global uint*)&m;": "x = atomic_or(&*(volatile __global uint*)&m, 0);",
		"x = ^*(global int *)(m + 4);":       "x = atomic_or(&*(global int *)(m + 4), 0);",
		"x = ^*(local int *)m[2] - 1;":       "x = atomic_or(&*(local int *)m[2], 0) - 1;",
		"x = ^*(p + 1) * 2;":                 "x = atomic_or(&*(p + 1), 0) * 2;",
		"x = ^*(p)-1;":                       "x = atomic_or(&*(p), 0)-1;",
		"x = ^**q;":                          "x = atomic_or(&**q, 0);",
		"x = ^*p;":                           "x = atomic_or(&*p, 0);",
	} {
		before, after, _ := strings.Cut(text, "^")
		got, err := Apply(map[string]string{"k.cl": before + after}, []trace.Change{{Kind: trace.MakeAtomic, File: "k.cl", Line: 1, Col: len(before) + 1, Function: "atomic_or("}})
		if err != nil || got["k.cl"] != want {
			t.Errorf("%s becomes %s, want %s (%v)", text, got["k.cl"], want, err)
		}
	}
	for text, want := range map[string]string{
		"*(global int *)m ^= 1;":        "atomic_xchg(&*(global int *)m, 1);",
		"*(global int *)(m + 4) ^+= 2;": "atomic_xchg(&*(global int *)(m + 4), 2);",
	} {
		before, after, _ := strings.Cut(text, "^")
		got, err := Apply(map[string]string{"k.cl": before + after}, []trace.Change{{Kind: trace.MakeAtomic, File: "k.cl", Line: 1, Col: len(before) + 1, Function: "atomic_xchg"}})
		if err != nil || got["k.cl"] != want {
			t.Errorf("%s becomes %s, want %s (%v)", text, got["k.cl"], want, err)
		}
	}
}
