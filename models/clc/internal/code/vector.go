package code

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// vectorData lowers vload, vstore, their kin for half, and shuffles.
func (f *frame) vectorData(x *tree.BuiltinCall, args []value) value {
	switch name := x.Fn.Name; {
	case name == "shuffle" || name == "shuffle2":
		return f.shuffle(x, args)
	case name == "vec_step":
		n := x.Args[0].Type().Lanes()
		if n == 3 {
			n = 4
		}
		return value{f.Constant(n)}
	case strings.HasPrefix(name, "vload"):
		p := f.lanesAt(x, args[1], args[0], 1, x.Type().Lanes(), strings.HasPrefix(name, "vloada"))
		v := f.read(p)
		return f.convertTo(x.Type(), p.typ, v)
	case strings.HasPrefix(name, "vstore"):
		t := x.Args[0].Type()
		p := f.lanesAt(x, args[2], args[1], 2, t.Lanes(), strings.HasPrefix(name, "vstorea"))
		var v value
		for _, r := range args[0] {
			to, from := scalar(p.typ), scalar(t)
			v = append(v, f.convertRounded(to, from, r, x.Fn))
		}
		f.write(p, v)
		return nil
	}
	f.notYet(x.Pos(), x.Fn.Name)
	return f.zero(x.Type())
}

// lanesAt returns n elements from number i*n on of what argument arg points to. Aligned, three
// elements take the room of four.
func (f *frame) lanesAt(x *tree.BuiltinCall, p, i value, arg int, n int64, aligned bool) *place {
	elem := x.Args[arg].Type().Elem
	step := n
	if aligned && n == 3 {
		step = 4
	}
	by := f.Bin(ir.Mul, ir.I64, i.one(), f.Constant(step))
	t := tree.VectorOf(elem, n)
	at := f.behind(f.move(p, by, elem, false), t)
	at.each = true
	if !aligned {
		at.align = int(elem.Align())
	}
	at.shared = isShared(x.Args[arg].Type().To.Space)
	return at
}

// shuffle lowers shuffle and shuffle2. Of a mask, the low bits count.
func (f *frame) shuffle(x *tree.BuiltinCall, args []value) value {
	mask := args[len(args)-1]
	var from value
	for _, a := range args[:len(args)-1] {
		from = append(from, a...)
		if len(a) == 3 {
			from = append(from, f.Constant(0))
		}
	}
	var all []int64
	for k := range from {
		all = append(all, int64(k))
	}
	var out value
	for _, m := range mask {
		i := f.Bin(ir.And, ir.U64, m, f.Constant(int64(len(from)-1)))
		r := f.NewReg("")
		f.Move(r, f.Constant(0))
		f.Cases(ir.I64, i, all, func(k int64) { f.Move(r, from[k]) }, nil)
		out = append(out, r)
	}
	return out
}
