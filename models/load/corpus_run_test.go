package load

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clmc/clmc/state/ir"
)

var corpus = map[string]func() int64{
	"caseWrap": caseWrap, "caseShift": caseShift, "caseDivide": caseDivide, "caseFibonacci": caseFibonacci,
	"caseRotate": caseRotate, "caseArrays": caseArrays, "caseMatrix": caseMatrix, "caseStructs": caseStructs,
	"casePointers": casePointers, "caseClosures": caseClosures, "caseControl": caseControl, "caseGenerics": caseGenerics,
	"caseFloats": caseFloats, "caseVariadic": caseVariadic, "caseMinMax": caseMinMax, "caseBits": caseBits,
	"caseBooleans": caseBooleans, "caseGlobals": caseGlobals, "caseLoopVariable": caseLoopVariable,
	"caseSliceToArray": caseSliceToArray, "caseDeadBranches": caseDeadBranches,
}

// TestCorpus compares what Go computes with what the loaded model computes, for
// each case alone.
func TestCorpus(t *testing.T) {
	text, err := os.ReadFile("corpus_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\nfunc case"); n != len(corpus) {
		t.Fatalf("the table lists %d of %d cases", len(corpus), n)
	}
	for name, f := range corpus {
		saved := [...]any{corpusTable, corpusMatrix, corpusShared, append([]int64(nil), corpusSlice...), *corpusNode, corpusCount}
		want := f()
		corpusTable, corpusMatrix, corpusShared = saved[0].([5]int32), saved[1].([3][4]int16), saved[2].(corpusOuter)
		copy(corpusSlice, saved[3].([]int64))
		*corpusNode, corpusCount = saved[4].(corpusPoint), saved[5].(int64)
		src := strings.Replace(string(text), "package load", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"", 1)
		src += fmt.Sprintf("\nfunc main() { cl.Observe(\"n\", %s()) }\n", name)
		p, err := Source("corpus.go", []byte(src), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := run(p); err != nil || got != want {
			t.Errorf("%s = %d, %v, want %d\n%s", name, got, err, want, p)
		}
	}
}

// run executes the host thread of a program without kernels and returns the
// last value observed.
func run(p *ir.Program) (observed int64, err error) {
	f := p.Funcs[p.Threads[0].Func]
	regs := make([]int64, f.Regs)
	for i := range regs {
		regs[i] = -0x5a5a5a5a // registers need not be cleared
	}
	memory := map[int64]int64{}
	for _, o := range p.Objects {
		for i, v := range o.Init {
			memory[ir.SegShared|int64(o.Base)+int64(i)] = v
		}
	}
	get := func(o int32) int64 {
		if o < 0 {
			return f.Consts[^o]
		}
		return regs[o]
	}
	for pc, steps := 0, 0; steps < 1e7; steps++ {
		in := &f.Code[pc]
		ok := true
		pc++
		switch in.Op {
		case ir.OpMove:
			regs[in.Dst] = get(in.A)
		case ir.OpBin:
			regs[in.Dst], ok = ir.Eval(in.Alu, in.Type, get(in.A), get(in.B))
		case ir.OpUn:
			regs[in.Dst], ok = ir.EvalUn(in.Alu, in.Type, get(in.A))
		case ir.OpConv:
			regs[in.Dst] = ir.Convert(in.Type, in.From, get(in.A))
		case ir.OpJump:
			pc = int(in.Target)
		case ir.OpBranch:
			if pc = int(in.Else); get(in.A) != 0 {
				pc = int(in.Target)
			}
		case ir.OpCheck:
			ok = get(in.A) != 0
		case ir.OpLoad:
			if a := get(in.A); a&ir.SegMask == ir.SegPrivate {
				ok = a&^ir.SegMask < int64(f.Private)
				regs[in.Dst] = regs[a&^ir.SegMask]
			} else if _, ok = memory[a]; ok && in.Dst >= 0 {
				regs[in.Dst] = memory[a]
			}
		case ir.OpStore:
			if a := get(in.A); a&ir.SegMask == ir.SegPrivate {
				ok = a&^ir.SegMask < int64(f.Private)
				regs[a&^ir.SegMask] = get(in.B)
			} else {
				_, ok = memory[a]
				memory[a] = get(in.B)
			}
		case ir.OpObserve:
			observed = get(in.A)
		case ir.OpEnd:
			return observed, nil
		default:
			ok = false
		}
		if !ok {
			return 0, fmt.Errorf("instruction %d fails", pc-1)
		}
	}
	return 0, fmt.Errorf("no end")
}
