package load

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// alloc lowers the declaration of a private variable that SSA keeps in memory.
func (f *frame) alloc(a *ssa.Alloc) value {
	t := deref(a.Type())
	name := allocName(a)
	if hasAtomic(t) && f.where != inInit {
		f.fault(a.Pos(), "declare it at package level, or in local memory with cl.Local",
			"%s: an atomic variable cannot be in private memory (rule 1.6; OpenCL C 6.15.12)", orValue(name))
		return f.zero(a.Type())
	}
	if f.where == inInit && a.Heap {
		return one(f.Constant(f.newObject(orName(name, pointeeName(a)), a.Pos(), t, 0)))
	}
	if f.where == inHost && !f.spawned && a.Heap && !isBuiltinVarargs(a) && commanded(a, map[ssa.Value]bool{}) {
		return f.onHost(a, name)
	}
	st := &storage{name: name, size: f.size(t), base: -1, inner: f.inLoop(a.Block()), typ: t}
	if obj := f.vars[a]; obj != nil {
		st.decl = f.declared(obj)
	}
	switch {
	case isBuiltinVarargs(a):
		st.items = map[int]value{}
	case assignedOnce(a):
		st.fixed = true
	default:
		f.clearStorage(st, a.Pos())
	}
	return value{at: &place{of: st}}
}

// clearStorage gives the variable registers and its zero value.
func (f *frame) clearStorage(st *storage, pos token.Pos) {
	switch {
	case st.size > maxPrivate:
		f.fault(pos, "put it in global memory, or make it smaller", "%s is too large: %d cells of private memory, the limit is %d", orValue(st.name), st.size, maxPrivate)
		st.size = 0
		return
	case isString(st.typ):
		f.fault(pos, noStrings.hint, "%s", noStrings.message)
	}
	leaves := f.leaves(st.typ)
	if len(leaves) == 0 && st.typ != nil && !empty(st.typ) {
		f.fault(pos, "assign it once, where it is declared, and call it directly",
			"%s: variables that hold functions must be assigned exactly once", orValue(st.name))
	}
	for range leaves {
		r := f.NewReg(st.name)
		st.regs = append(st.regs, r)
		f.Move(r, f.Constant(0))
	}
	f.note(st.decl, st.typ, 0, st.regs)
}

// empty reports whether values of type t need no memory.
func empty(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			if !empty(v.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return u.Len() == 0 || empty(u.Elem())
	}
	return false
}

func allocName(a *ssa.Alloc) string {
	if token.IsIdentifier(a.Comment) {
		switch a.Comment {
		case "complit", "varargs", "new", "slicelit":
			return ""
		}
		return a.Comment
	}
	return ""
}

func orName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// pointeeName names the variable that a package-level pointer or slice is
// initialised with: *p.
func pointeeName(a *ssa.Alloc) string {
	for _, r := range *a.Referrers() {
		if n := storedTo(r, a); n != "" {
			return "*" + n
		}
		if s, ok := r.(*ssa.Slice); ok {
			for _, r := range *s.Referrers() {
				if n := storedTo(r, s); n != "" {
					return "*" + n
				}
			}
		}
	}
	return "object"
}

// isBuiltinVarargs reports whether a is the array of the variadic arguments of
// a function of package cl, which exists at load time only.
func isBuiltinVarargs(a *ssa.Alloc) bool {
	if a.Comment != "varargs" {
		return false
	}
	for _, r := range *a.Referrers() {
		s, ok := r.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, use := range *s.Referrers() {
			if c, ok := use.(*ssa.Call); ok && builtinName(c.Call.StaticCallee()) != "" {
				return true
			}
		}
	}
	return false
}

// assignedOnce reports whether the variable is set by one store that precedes
// all other uses, and whether none of these could change it. Captured
// variables mostly are like that.
func assignedOnce(a *ssa.Alloc) bool {
	var set *ssa.Store
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if set != nil {
				return false
			}
			set = s
		}
	}
	if set == nil || set.Val == a {
		return false
	}
	for _, r := range *a.Referrers() {
		if _, ok := r.(*ssa.DebugRef); ok || r == set {
			continue
		}
		if !precedes(set, r) || !readsOnly(r, a) {
			return false
		}
	}
	return true
}

// readsOnly reports whether instruction r, which uses pointer p, only reads
// through it.
func readsOnly(r ssa.Instruction, p ssa.Value) bool {
	switch r := r.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.UnOp:
		return r.Op == token.MUL
	case *ssa.FieldAddr:
		return allReadOnly(r)
	case *ssa.IndexAddr:
		return r.X == p && allReadOnly(r)
	case *ssa.MakeClosure:
		fn := r.Fn.(*ssa.Function)
		for i, b := range r.Bindings {
			if b == p && !allReadOnly(fn.FreeVars[i]) {
				return false
			}
		}
		return true
	}
	return false
}

func allReadOnly(p ssa.Value) bool {
	for _, r := range *p.Referrers() {
		if !readsOnly(r, p) {
			return false
		}
	}
	return true
}

// precedes reports whether a is executed before b whenever b is.
func precedes(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	for _, in := range a.Block().Instrs {
		if in == a {
			return true
		}
		if in == b {
			return false
		}
	}
	return false
}

// address gives the storage private addresses and returns the place's.
func (u *unit) address(p *place) int32 {
	st := p.of
	if st.base < 0 {
		if st.fixed {
			for range u.flat(st.val, token.NoPos) {
				st.regs = append(st.regs, u.NewReg(st.name))
			}
		}
		u.pin(st)
	}
	if st.fixed { // the copy is made wherever an address is needed, since no one place precedes them all
		for i, r := range u.flat(st.val, token.NoPos) {
			if i < len(st.regs) {
				u.Move(st.regs[i], r)
			}
		}
	}
	return u.Constant(st.base + int64(p.off))
}

// pin fixes the registers of the storage at private addresses.
func (u *unit) pin(st *storage) {
	fits := u.Pinned() <= maxPrivate
	st.base = u.Pin(st.regs)
	if fits && u.Pinned() > maxPrivate {
		u.report(token.Position{Filename: u.sources[0].name}, "make private arrays smaller",
			"the private variables that pointers of the kernel reach are too large")
	}
}

// loadFrom lowers *p.
func (f *frame) loadFrom(p ssa.Value, t types.Type, pos token.Pos) value {
	if g, ok := p.(*ssa.Global); ok {
		if v, ok := f.constGlobal(g); ok {
			return v
		}
	}
	v := f.value(p)
	if v.at != nil {
		return f.readPlace(v.at, t, pos)
	}
	addr := f.flat(v, pos)
	if len(addr) == 0 {
		return f.zero(t)
	}
	f.checkNil(p, addr[0])
	if f.pointedTo[pos] { // &*p is p, if that is not nil: nothing is read
		return f.zero(t)
	}
	return f.read(addr[0], t, pos)
}

// constGlobal returns the value of a package-level variable that is a constant.
func (f *frame) constGlobal(g *ssa.Global) (value, bool) {
	if g.Object() == nil { // init$guard
		return one(f.Constant(0)), true
	}
	cells, ok := f.fixed[g]
	if !ok || f.where == inInit {
		return value{}, false
	}
	var v value
	for _, c := range cells {
		v.regs = append(v.regs, f.Constant(c))
	}
	return v, true
}

// checkNil emits a test that the pointer is not nil, unless that is known.
func (f *frame) checkNil(p ssa.Value, addr int32) {
	switch p := p.(type) {
	case *ssa.Phi:
		if allAllocs(p) {
			return
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Alloc, *ssa.Global:
		return // checked when the address was computed, or never nil
	}
	if c, ok := f.Known(addr); ok && c != 0 {
		return
	}
	f.CheckOf(f.pointerName(p), ir.CheckNil, f.Bin(ir.Ne, ir.Ptr, addr, f.Constant(0)))
}

// pointerName names the variable that a pointer was read from, or is "".
func (f *frame) pointerName(p ssa.Value) string {
	if read, ok := p.(*ssa.UnOp); ok && read.Op == token.MUL {
		if g, ok := read.X.(*ssa.Global); ok {
			return g.Name()
		}
	}
	return f.nameOf(p)
}

// allAllocs reports whether a pointer always points to a variable.
func allAllocs(p *ssa.Phi) bool {
	for _, e := range p.Edges {
		if _, ok := e.(*ssa.Alloc); !ok {
			return false
		}
	}
	return true
}

// read loads a value from shared memory or through a private pointer.
func (f *frame) read(addr int32, t types.Type, pos token.Pos) value {
	if !f.copyable(t, pos) {
		return f.zero(t)
	}
	var v value
	for i, l := range f.leaves(t) {
		v.regs = append(v.regs, f.Load(l.t, f.Offset(addr, i)))
	}
	return v
}

// copyable reports whether values of type t may be copied as a whole.
func (f *frame) copyable(t types.Type, pos token.Pos) bool {
	switch {
	case hasAtomic(t) && f.where != inInit:
		f.fault(pos, "write instead: cl.AtomicLoad, cl.AtomicStore and the like, on its address",
			"atomic variables cannot be copied or assigned (rule 4.6; OpenCL C 6.15.12)")
		return false
	case f.size(t) > maxByValue:
		f.fault(pos, "write instead: a loop over the elements, or pass a pointer",
			"a value of %d cells is too large to be copied, the limit is %d", f.size(t), maxByValue)
		return false
	}
	if _, bad := f.layout(t); bad != nil {
		f.fault(pos, "", "a value of type %s cannot be in memory", bad)
		return false
	}
	return true
}

// readPlace loads a value from private storage.
func (f *frame) readPlace(p *place, t types.Type, pos token.Pos) value {
	st, n := p.of, f.size(t)
	if st.fixed {
		if p.off == 0 && (n == st.size || n == 0) {
			return st.val
		}
		return part(f.flat(st.val, pos), p.off, n)
	}
	if n > maxByValue {
		f.copyable(t, pos)
		return f.zero(t)
	}
	var v value
	for _, r := range part(st.regs, p.off, n).regs {
		v.regs = append(v.regs, f.Copy(r))
	}
	return v
}

// doStore lowers *p = v.
func (f *frame) doStore(in *ssa.Store) {
	if g, ok := in.Addr.(*ssa.Global); ok && g.Object() == nil {
		return // init$guard
	}
	p, v := f.value(in.Addr), f.value(in.Val)
	if p.at != nil {
		f.writePlace(p.at, v, in)
		return
	}
	addr := f.flat(p, in.Pos())
	if len(addr) == 0 || !f.copyable(in.Val.Type(), in.Pos()) {
		return
	}
	f.privateEscapes(v, addr[0], in.Pos())
	f.checkNil(in.Addr, addr[0])
	f.write(addr[0], in.Val.Type(), f.flat(v, in.Pos()))
}

// write stores the cells of a value of type t.
func (f *frame) write(addr int32, t types.Type, regs []int32) {
	for i, l := range f.leaves(t) {
		if i < len(regs) {
			f.Store(l.t, f.Offset(addr, i), regs[i])
		}
	}
}

// writePlace assigns a private variable.
func (f *frame) writePlace(p *place, v value, in *ssa.Store) {
	st := p.of
	switch {
	case st.items != nil:
		st.items[p.off] = v
	case st.captured:
		f.fault(in.Pos(), "write instead: a variable of the kernel's own, or global memory",
			"%s was captured: the kernel or host thread has its own copy, which cannot be assigned (OpenCL C, \"Blocks\")", orValue(st.name))
	case st.fixed:
		st.val = v
	default:
		if f.escapes(v, nil) {
			f.loopPointer(in.Pos(), v.at.of)
		}
		for i, r := range f.flat(v, in.Pos()) {
			if p.off+i < len(st.regs) {
				f.Move(st.regs[p.off+i], r)
				f.note(st.decl, st.typ, p.off+i, st.regs[p.off+i:p.off+i+1])
			}
		}
	}
}

// privateEscapes reports a pointer to private memory that is stored where other
// work-items could find it.
func (f *frame) privateEscapes(v value, addr int32, pos token.Pos) {
	if v.at == nil || f.where == inInit {
		return
	}
	if f.escapes(v, nil) {
		f.loopPointer(pos, v.at.of)
	}
	if c, ok := f.Known(addr); ok && c&ir.SegMask != ir.SegPrivate {
		f.fault(pos, "put the variable in global memory, or in local memory with cl.Local",
			"the address of the private variable %s is stored in shared memory", orValue(v.at.of.name))
	}
}

// escapes reports whether v points to a variable that is declared in a loop,
// and is kept in a way that may outlive the iteration.
func (f *frame) escapes(v value, phi *ssa.Phi) bool {
	if v.at == nil || !v.at.of.inner {
		return false
	}
	// The variable of a three-clause loop is handed from iteration to iteration.
	return phi == nil || phi.Comment != v.at.of.name
}

func (f *frame) loopPointer(pos token.Pos, st *storage) {
	f.fault(pos, "declare the variable outside the loop",
		"a pointer to %s, which is declared in a loop, may be used after its iteration", orValue(st.name))
}
