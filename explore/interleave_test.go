package explore

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// sequential makes all atomic operations of a program seq_cst and drops the fences.
// Then, if all, scopes become those of the device, and barriers order global memory.
func sequential(p *ir.Program, all bool) *ir.Program {
	for _, f := range p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			switch {
			case in.Op == ir.OpFence:
				*in = ir.Instr{Op: ir.OpNop, Pos: in.Pos}
			case in.Op == ir.OpBarrier && !in.SubGroup && all:
				in.Flags |= memmodel.GlobalFence
			case in.Op.Access() && in.Order != memmodel.NonAtomic:
				in.Order, in.FailOrder = memmodel.SeqCst, memmodel.SeqCst
				if all {
					in.Scope = memmodel.ScopeDevice
				}
			}
		}
	}
	return p
}

// Where all atomic operations are seq_cst, the interleavings, in which each read
// sees the last write, have the outcomes and violations that the memory model allows.
func TestInterleavingsAgree(t *testing.T) {
	compared, fewer := 0, 0
	for _, style := range []randprog.Style{randprog.Glob, randprog.RS, randprog.SC, randprog.CAS, randprog.Plain, randprog.Blind, randprog.Bar, randprog.Mix, randprog.Enq, randprog.Host, randprog.Groups, randprog.Kinds, randprog.Symmetric, randprog.Crowds, randprog.Loops, randprog.Cycles, randprog.SCLocks} {
		if *styles != "" && !strings.Contains(*styles, string(style)) {
			continue
		}
		agreed := 0
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			if seed%3 > 0 {
				p = sequential(p, seed%3 == 2)
			}
			if !por.Interleave(state.NewMachine(p, memmodel.Specs[0])) {
				continue
			}
			d, less := interleavingDifference(p)
			if d == tooLarge {
				continue
			}
			if agreed++; less {
				fewer++
			}
			if d != "" {
				t.Errorf("style %s, seed %d: %s\n%s", style, seed, d, p)
				return
			}
		}
		t.Logf("%s: %d programs", style, agreed)
		compared += agreed
	}
	t.Logf("%d programs, %d with fewer steps", compared, fewer)
	if *styles == "" && compared < seeds.N() || fewer*4 < compared {
		t.Errorf("%d programs compared, %d of them with fewer steps", compared, fewer)
	}
}

// interleavingDifference returns what a search of interleavings finds otherwise
// than the unreduced one of the memory model, "" if nothing, and whether it takes
// fewer steps.
func interleavingDifference(p *ir.Program) (difference string, fewer bool) {
	opt := Options{POR: por.None, All: true, MaxStates: 4000, KeepSchedule: true}
	full := Run(context.Background(), p, opt)
	if !full.Complete {
		return tooLarge, false
	}
	for _, mode := range []por.Mode{por.DPOR, por.Sleep} {
		for _, opt.NoSymmetry = range []bool{false, true} {
			opt.POR = mode
			r := Run(context.Background(), p, opt)
			if d := unlike(p, r, full); d != "" {
				return mode.String() + ": " + d, false
			}
			fewer = r.Stats.Steps < full.Stats.Steps
		}
	}
	return "", fewer
}

// A barrier without flags orders nothing, even of operations that are seq_cst (rules
// 8.2, 11.4): a read behind it may come, in S, before a write in front of it.
func TestInterleavingsOfBarrier(t *testing.T) {
	for _, flags := range []memmodel.Flags{0, memmodel.GlobalFence} {
		b := randprog.NewBuilder("barrier")
		x := b.Atomic("x")
		p, q := b.Thread(place(0)), b.Thread(place(0))
		p.Store(x, p.Int(1), memmodel.SeqCst, dev)
		p.Barrier("B", flags, memmodel.ScopeWorkGroup)
		q.Barrier("B", flags, memmodel.ScopeWorkGroup)
		q.Load(x, memmodel.SeqCst, dev)
		seen := map[int64]bool{}
		for _, o := range Run(context.Background(), b.Program(), Options{All: true}).Outcomes {
			seen[o["1:r0"]] = true
		}
		if !seen[1] || seen[0] != (flags == 0) {
			t.Errorf("flags %d: read %v", flags, seen)
		}
	}
}
