package clc

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/state/ir"
)

// livePrelude are the words of the kernels in liveByHand.
const livePrelude = `#define st(p, v) atomic_store_explicit(&p, v, memory_order_release, memory_scope_device)
#define ld(p) atomic_load_explicit(&p, memory_order_acquire, memory_scope_device)
#define xch(p, v) atomic_exchange_explicit(&p, v, memory_order_acq_rel, memory_scope_device)
#define add(p) atomic_fetch_add_explicit(&p, 1, memory_order_acq_rel, memory_scope_device)
#define sst(p, v) atomic_store(&p, v)
#define sld(p) atomic_load(&p)
global atomic_int x, y, z, w;
`

// liveByHand are kernels that wait, with verdicts that were derived from docs/liveness.md before they were run: whether every execution ends (p) or not (f)
// under unfair, hsa, obe, hsa_obe, lobe and fair, and under some other models. g is the work-group, e is 0.
var liveByHand = []struct {
	name          string
	global, local int
	does          string
	want          string
	others        map[string]byte
}{
	{"peterson", 2, 1, `if (g==0) { sst(x,1); sst(w,1); while (sld(y)==1 && sld(w)==1); sst(x,0); } else { sst(y,1); sst(w,0); while (sld(x)==1 && sld(w)==0); sst(y,0); }`, "ffpppp", nil},
	{"pingpong", 2, 1, `for (int r=0;r<2;r++) { while (ld(x)!=g); st(x,1-g); }`, "fffffp", nil},
	{"chain3", 3, 1, `if (g==0) st(x,1); else if (g==1) { while(ld(x)==0); st(y,1); } else while(ld(y)==0);`, "fpfppp", nil},
	{"middle", 3, 1, `if (g==1) st(x,1); else while(ld(x)==0);`, "fffffp", nil},
	{"leader", 3, 1, `if (xch(x,1)==0) st(y,1); else while(ld(y)==0);`, "ffpppp", nil},
	{"last sets", 2, 1, `if (add(x)==1) st(y,1); else while(ld(y)==0);`, "fffffp", nil},
	{"last alone", 3, 1, `if (add(x)==2) st(y,1);`, "pppppp", nil},
	{"casinc", 3, 1, `int o=ld(x); while(!atomic_compare_exchange_weak_explicit(&x,&o,o+1,memory_order_relaxed,memory_order_relaxed,memory_scope_device));`, "pppppp", nil},
	{"two locks", 2, 1, `if (g==0) { while(xch(x,1)); while(xch(y,1)); } else { while(xch(y,1)); while(xch(x,1)); } st(x,0); st(y,0);`, "CL1011", nil},
	{"same order", 2, 1, `while(xch(x,1)); while(xch(y,1)); st(y,0); st(x,0);`, "ffpppp", nil},
	{"trylock", 3, 1, `if (xch(x,1)==0) { st(x,0); }`, "pppppp", nil},
	{"items up", 4, 2, `int i=get_global_id(0); if (i==0) st(x,1); if (i==3) while(ld(x)==0);`, "fpfppp", nil},
	{"items down", 4, 2, `int i=get_global_id(0); if (i==2) st(x,1); if (i==0) while(ld(x)==0);`, "fffffp", nil},
	{"items down barrier", 4, 2, `int i=get_global_id(0); if (i==2) st(x,1); if (i==0) while(ld(x)==0); work_group_barrier(CLK_GLOBAL_MEM_FENCE);`, "fffffp", nil},
	{"own lock", 4, 2, `if (g==0) { while(xch(x,1)); st(x,0); } else { while(xch(y,1)); st(y,0); }`, "pppppp", map[string]byte{"gpu": 'p', "gpu-lockstep": 'f', "opencl": 'f'}},
	{"quit high", 3, 1, `if (g==2) st(x,1); else while(ld(x)==0);`, "fffffp", nil},
	{"quit low", 3, 1, `if (g==0) st(x,1); else while(ld(x)==0);`, "fpfppp", nil},
	{"missed", 2, 1, `if (g==0) { st(x,1); st(x,0); } else while(ld(x)==0);`, "CL1011", nil},
	{"item up", 2, 2, `int i=get_local_id(0); if (i==0) st(x,1); else while(ld(x)==0);`, "pppppp", map[string]byte{"device=fair,group=obe": 'f', "device=fair,group=lobe": 'p', "device=fair,group=hsa": 'p', "device=fair,group=hsa_obe": 'p', "device=fair,group=unfair": 'f', "device=unfair,group=hsa": 'p'}},
	{"item down", 2, 2, `int i=get_local_id(0); if (i==1) st(x,1); else while(ld(x)==0);`, "pppppp", map[string]byte{"device=fair,group=obe": 'f', "device=fair,group=lobe": 'f', "device=fair,group=hsa": 'f', "device=fair,group=hsa_obe": 'f', "gpu": 'p'}},
	{"other subgroup", 8, 8, `int i=get_local_id(0); if (i==4) st(x,1); if (i==0) while(ld(x)==0);`, "pppppp", map[string]byte{"opencl-ifp": 'p', "opencl": 'f', "gpu-lockstep": 'p', "gpu": 'p'}},
	{"same subgroup", 8, 8, `int i=get_local_id(0); if (i==1) st(x,1); if (i==0) while(ld(x)==0);`, "pppppp", map[string]byte{"opencl-ifp": 'f', "opencl": 'f', "gpu-lockstep": 'f', "gpu": 'p', "device=fair,group=fair,subgroup=lobe": 'f', "device=fair,group=fair,subgroup=fair": 'p'}},
	{"before barrier", 2, 2, `int i=get_local_id(0); if (i==1) st(x,1); else while(ld(x)==0); work_group_barrier(CLK_GLOBAL_MEM_FENCE);`, "pppppp", map[string]byte{"device=fair,group=unfair": 'f'}},
	{"server low", 2, 1, `if (g==0) { while(ld(x)==0); st(y,1); } else { st(x,1); while(ld(y)==0); }`, "fffffp", nil},
	{"server high", 2, 1, `if (g==1) { while(ld(x)==0); st(y,1); } else { st(x,1); while(ld(y)==0); }`, "fffffp", nil},
	{"lobe only", 3, 1, `if (g==0) { if (ld(x)==1) while(ld(y)==0); } else if (g==1) st(z,1); else { st(x,1); while(ld(z)==0); st(y,1); }`, "ffffpp", nil},
	{"started and lower", 2, 1, `if (g==0) { st(x,1); st(y,1); } else { if (ld(x)==1) while(ld(y)==0); }`, "fppppp", nil},
	{"started and higher", 2, 1, `if (g==1) { st(x,1); st(y,1); } else { if (ld(x)==1) while(ld(y)==0); }`, "ffpppp", nil},
	{"sense barrier", 2, 1, `if (add(x)==1) { st(x,0); st(y,1); } else while(ld(y)==0);`, "fffffp", nil},
	{"relaxed flag", 2, 1, `if (g==0) atomic_store_explicit(&x,1,memory_order_relaxed,memory_scope_device); else while(atomic_load_explicit(&x,memory_order_relaxed,memory_scope_device)==0);`, "fpfppp", nil},
	{"fetch or wait", 2, 1, `if (g==0) st(x,1); else while(atomic_fetch_or_explicit(&x,0,memory_order_relaxed,memory_scope_device)==0);`, "fpfppp", nil},
	{"two read round", 2, 1, `if (g==0) { st(x,1); } else { while(ld(x)==0 && ld(y)==0); }`, "fpfppp", nil},
	{"ttas", 2, 1, `do { while(ld(x)); } while(xch(x,1)); st(x,0);`, "ffpppp", nil},
	{"flag attr", 2, 1, `while(atomic_compare_exchange_strong_explicit(&x,&e,1,memory_order_acquire,memory_order_relaxed,memory_scope_device)==0) e=0; st(x,0);`, "ffpppp", nil},
	{"toggle", 2, 1, `if (g==0) { while(sld(y)==0) { sst(x,1); sst(x,0); } } else { while(sld(x)==0); sst(y,1); }`, "ffffff", map[string]byte{"fair fairness=strong": 'p', "lobe fairness=strong": 'f', "obe fairness=strong": 'f'}},
	{"unneeded spin", 3, 1, `if (g==2) { for(int i=0;i<3;i++) if (ld(x)) break; } else st(x,1);`, "pppppp", nil},
}

// TestLiveByHand compares them with what clmc answers.
func TestLiveByHand(t *testing.T) {
	for _, c := range liveByHand {
		text := fmt.Sprintf("//clmc:launch k global=%d local=%d\n%skernel void k(void) { int g = get_group_id(0); int e = 0; (void)e; %s }\n", c.global, c.local, livePrelude, c.does)
		p, err := Source("k.cl", []byte(text), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !strings.HasPrefix(c.want, "CL") {
			if got := ends(p, explore.AboutAll(liveness.Weak)); got[:len(c.want)] != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		} else if r := explore.Run(context.Background(), p, explore.Options{}); len(r.Violations) != 1 || r.Violations[0].Kind.ID() != c.want {
			t.Errorf("%s: %v, want %s", c.name, r.Violations, c.want)
		}
		for words, want := range c.others {
			model, fairness, _ := strings.Cut(words, " fairness=")
			ask, err := explore.ParseLiveness(model, fairness)
			if err != nil {
				t.Fatal(err)
			}
			if got := ends(p, ask); got != string(want) {
				t.Errorf("%s under %s: %s, want %c", c.name, words, got, want)
			}
		}
	}
}

// ends asks questions, and returns a letter for each answer.
func ends(p *ir.Program, ask *explore.Liveness) string {
	text := ""
	for _, a := range explore.Run(context.Background(), p, explore.Options{Liveness: ask}).Live.Answers {
		text += map[liveness.Verdict]string{liveness.Ends: "p", liveness.Runs: "f", liveness.Unknown: "?"}[a.Verdict]
	}
	return text
}
