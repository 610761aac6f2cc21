package load

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// instr lowers one SSA instruction.
func (f *frame) instr(in ssa.Instruction) {
	if _, isPhi := in.(*ssa.Phi); !isPhi && in.Pos().IsValid() {
		f.At = f.pos(in.Pos())
	}
	switch in := in.(type) {
	case *ssa.RunDefers:
	case *ssa.DebugRef:
		f.noteRef(in)
	case *ssa.Phi:
		f.noteValue(f.vars[in], f.value(in), in.Type())
	case *ssa.Store:
		f.doStore(in)
	case *ssa.Go:
		f.doGo(in)
	case *ssa.Jump:
		f.Jump(f.goTo(in.Block(), 0))
	case *ssa.If:
		f.doIf(in)
	case *ssa.Return:
		f.doReturn(in)
	case ssa.Value:
		v := f.compute(in)
		f.env[in] = v
		f.nameRegs(v, f.nameOf(in))
	default:
		f.fault(in.Pos(), "", "this statement is not part of the modelling language")
		if in.Block() != nil && in == in.Block().Instrs[len(in.Block().Instrs)-1] {
			f.Jump(f.exit)
		}
	}
}

// nameRegs names the registers of a value after the variable that holds it.
func (u *unit) nameRegs(v value, name string) {
	if name == "" || name == "_" {
		return
	}
	for _, r := range v.regs {
		u.Name(r, name)
	}
}

func (f *frame) doIf(in *ssa.If) {
	cond := f.operand(in.Cond)
	b := in.Block()
	if v, ok := f.Known(cond); ok {
		i := 0
		if v == 0 {
			i = 1
		}
		f.Jump(f.goTo(b, i))
		return
	}
	then := f.goTo(b, 0)
	otherwise := f.goTo(b, 1)
	f.Branch(cond, then, otherwise)
}

// compute lowers an instruction that has a result.
func (f *frame) compute(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return f.alloc(v)
	case *ssa.BinOp:
		return f.binOp(v)
	case *ssa.UnOp:
		return f.unOp(v)
	case *ssa.Call:
		return f.call(v)
	case *ssa.ChangeType:
		return f.value(v.X)
	case *ssa.Convert:
		return f.convert(v.X, v.Type(), v.Pos())
	case *ssa.MultiConvert:
		return f.convert(v.X, v.Type(), v.Pos())
	case *ssa.Extract:
		return f.extract(v)
	case *ssa.Field:
		return f.field(v)
	case *ssa.FieldAddr:
		if k, ok := f.kernelField(v); ok {
			return value{cl: k}
		}
		return f.fieldAddr(v)
	case *ssa.Index:
		return f.index(v)
	case *ssa.IndexAddr:
		return f.indexAddr(v)
	case *ssa.MakeClosure:
		return f.makeClosure(v)
	case *ssa.Slice:
		return f.slice(v)
	case *ssa.SliceToArrayPointer:
		return f.sliceToArray(v)
	}
	f.fault(v.Pos(), "", "this expression is not part of the modelling language")
	return f.zero(v.Type())
}

func one(r int32) value { return value{regs: []int32{r}} }

var aluOf = map[token.Token]ir.Alu{
	token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.QUO: ir.Div, token.REM: ir.Rem,
	token.AND: ir.And, token.OR: ir.Or, token.XOR: ir.Xor, token.AND_NOT: ir.AndNot,
	token.SHL: ir.Shl, token.SHR: ir.Shr,
	token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.Lt, token.LEQ: ir.Le, token.GTR: ir.Gt, token.GEQ: ir.Ge,
}

func (f *frame) binOp(v *ssa.BinOp) value {
	if isString(v.X.Type()) {
		f.fault(v.Pos(), noStrings.hint, "%s", noStrings.message)
		return f.zero(v.Type())
	}
	switch v.Op {
	case token.EQL, token.NEQ:
		return one(f.equal(v))
	case token.SHL, token.SHR:
		return one(f.shift(v))
	}
	t := f.scalar(v.X.Type())
	a, b := f.operand(v.X), f.operand(v.Y)
	if (v.Op == token.QUO || v.Op == token.REM) && !t.Float() {
		f.CheckOf(f.operands[v.Pos()], ir.CheckDivisor, f.Bin(ir.Ne, t, b, f.Constant(0)))
	}
	return one(f.Bin(aluOf[v.Op], t, a, b))
}

// equal compares two values cell by cell.
func (f *frame) equal(v *ssa.BinOp) int32 {
	if _, ok := v.X.Type().Underlying().(*types.Signature); ok {
		f.fault(v.Pos(), "leave the comparison out", "functions cannot be compared")
		return f.Constant(0)
	}
	leaves := f.leaves(v.X.Type())
	a, b := f.regs(v.X), f.regs(v.Y)
	if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
		leaves = leaves[:1] // slices are compared with nil only
	}
	if v.Op == token.NEQ && len(leaves) == 1 && len(a) > 0 && len(b) > 0 {
		return f.Bin(ir.Ne, leaves[0].t, a[0], b[0])
	}
	all := f.Constant(1)
	for i, l := range leaves {
		if i < len(a) && i < len(b) {
			same := f.Bin(ir.Eq, l.t, a[i], b[i])
			if i == 0 {
				all = same
			} else {
				all = f.Bin(ir.And, ir.Bool, all, same)
			}
		}
	}
	if v.Op == token.NEQ {
		return f.Un(ir.Not, ir.Bool, all)
	}
	return all
}

// shift lowers a shift. Its count is an integer of any type; the machine takes
// it as unsigned.
func (f *frame) shift(v *ssa.BinOp) int32 {
	count := f.operand(v.Y)
	if ct := f.scalar(v.Y.Type()); ct.Signed() {
		f.CheckOf(f.operands[v.Pos()], ir.CheckShift, f.Bin(ir.Ge, ct, count, f.Constant(0)))
	}
	return f.Bin(aluOf[v.Op], f.scalar(v.X.Type()), f.operand(v.X), count)
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (f *frame) unOp(v *ssa.UnOp) value {
	t := f.scalar(v.X.Type())
	switch v.Op {
	case token.MUL:
		if rangesOver(v) {
			return f.zero(v.Type())
		}
		if x := f.value(v.X); x.cl != nil {
			return f.onlyCalled(v, x)
		}
		return f.loadFrom(v.X, v.Type(), v.Pos())
	case token.NOT:
		return one(f.Un(ir.Not, ir.Bool, f.operand(v.X)))
	case token.SUB:
		return one(f.Un(ir.Neg, t, f.operand(v.X)))
	case token.XOR:
		return one(f.Un(ir.Compl, t, f.operand(v.X)))
	}
	f.fault(v.Pos(), noChannels.hint, "%s", noChannels.message)
	return f.zero(v.Type())
}

// rangesOver reports whether the load is that of an array in a range clause
// without a value variable, which does not read the array.
func rangesOver(v *ssa.UnOp) bool {
	if _, ok := v.Type().Underlying().(*types.Array); !ok {
		return false
	}
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); !ok {
			return false
		}
	}
	return true
}

// convert lowers a conversion between numeric types.
func (f *frame) convert(x ssa.Value, to types.Type, pos token.Pos) value {
	from := x.Type()
	switch {
	case isString(from) || isString(to):
		f.fault(pos, noStrings.hint, "%s", noStrings.message)
	case isNumeric(from) && isNumeric(to):
		return one(f.Conv(f.scalar(to), f.scalar(from), f.operand(x)))
	default:
		f.fault(pos, noUnsafe.hint, "%s", noUnsafe.message)
	}
	return f.zero(to)
}

func isNumeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func (f *frame) extract(v *ssa.Extract) value {
	if t := f.value(v.Tuple); v.Index < len(t.list) {
		return t.list[v.Index]
	}
	return f.zero(v.Type())
}

// field selects a field of a struct value.
func (f *frame) field(v *ssa.Field) value {
	at := f.fieldOffset(v.X.Type().Underlying().(*types.Struct), v.Field)
	return part(f.regs(v.X), at, f.size(v.Type()))
}

// part returns n cells of a value.
func part(regs []int32, at, n int) value {
	if at+n > len(regs) {
		return value{}
	}
	return value{regs: regs[at : at+n : at+n]}
}

// index selects an element of an array value.
func (f *frame) index(v *ssa.Index) value {
	arr, ok := v.X.Type().Underlying().(*types.Array)
	if !ok {
		f.fault(v.Pos(), noStrings.hint, "%s", noStrings.message)
		return f.zero(v.Type())
	}
	cells := f.size(arr.Elem())
	i, regs := f.operand(v.Index), f.regs(v.X)
	f.CheckIndexOf(f.operands[v.Pos()], i, f.Constant(arr.Len()))
	if c, ok := f.Known(i); ok {
		if c < 0 || c >= arr.Len() {
			return f.zero(v.Type())
		}
		return part(regs, int(c)*cells, cells)
	}
	whole := &storage{size: len(regs), base: -1, fixed: true, val: value{regs: regs}, typ: v.X.Type()}
	return f.read(f.Element(f.address(&place{of: whole}), i, cells), v.Type(), v.Pos())
}
