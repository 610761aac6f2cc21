package clc

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// guessReader finds out what the text of a kernel, and of the functions that it calls, says about its sizes.
type guessReader struct {
	kernel   *tree.Func
	items    [3]bool            // by dimension: the kernel asks which work-item of a group or of all it is
	groups   [3]bool            // by dimension: it asks for what differs between work-groups
	locals   [3]bool            // by dimension: it asks which work-item of a group it is
	arrays   []*tree.Type       // local ones, that are declared
	flexible bool               // it asks for the local size
	shared   bool               // it has atomic operations
	quotient bool               // it divides integers by what may be 0
	meets    bool               // it has barriers
	least    int64              // the greatest number that a local id is compared with
	bounds   map[*tree.Var]int  // the parameters that are compared with ids, and the dimension
	guards   map[*tree.Var]bool // those of them that leave work-items out: ids are less than they are, or not
	offsets  map[*tree.Var]bool // those that are added to a pointer
	strides  map[*tree.Var]bool // those of 64 bits that something is multiplied by, where a pointer to bytes moves
	factors  map[*tree.Var]bool // those that something else than a global id is multiplied by: the distance of rows
	retries  map[int]bool       // lines of loops that write a place until it holds what has been written
	spacing  map[*tree.Var]bool // those that something is multiplied by that is no number
	counts   map[*tree.Var]bool // those that are subtracted, or that something is shifted by
	back     map[*tree.Var]bool // those that are subtracted from a global id
	fixed    bool               // the local size is that of an attribute, or of an array
	// tile is what the numbers of groups are multiplied by: each group has so many elements of its own. row is what local ids are multiplied
	// by in the dimension behind, and each what they are multiplied by in the first: the elements of a work-item.
	tile, row [3]int64
	each      int64
	// direct are the lengths of local arrays that local ids index as they are, by the dimension of the id; high is more than what local ids are compared
	// with, behind the first dimension; stretch is what something else than an id is multiplied by, where a local id is added: the length of a row.
	direct, high [3]int64
	stretch      int64
	below        int64                   // the greatest number that a local id itself is compared with, and no variable that began as one
	changed      map[*tree.Var]bool      // variables that are assigned to
	passed       map[*tree.Var]*tree.Var // parameters of functions that the kernel calls: its own that they are given
	widest       int64                   // the bytes of the longest number to which a pointer is cast
	minus        int64                   // the number that is subtracted from local ids: if they are compared with it, the work-items from it on do as those before it
	ahead        [3]int64                // how many groups behind its own a group has to do with
	named        map[*tree.Var]bool      // those that are called offsets, or distances of elements
	distance     int64                   // the distance of elements that one work-item has: what is added to a local id
	parts        int64                   // the size of the parts that local ids are divided into
	subGroups    bool                    // it has sub-groups
	beyond       bool                    // it asks for a place that is not within its sub-group: which work-item it is, or which sub-group
	subs         int64                   // what the number of the group is multiplied by, where that of the sub-group is added: sub-groups of a group
	linear       bool                    // it numbers the work-items of a group in one dimension
	unread       map[any]bool            // calls whose values go into variables that nobody reads
	step         [3]int64                // by dimension: what is added in a loop that begins with a local id
	// cases are the values of a parameter with which each branch that asks for it is taken once.
	cases map[*tree.Var][]int64
}

// readGuess reads a kernel.
func readGuess(k *tree.Func) *guessReader {
	r := &guessReader{kernel: k, bounds: map[*tree.Var]int{}, guards: map[*tree.Var]bool{}, offsets: map[*tree.Var]bool{}, strides: map[*tree.Var]bool{}, counts: map[*tree.Var]bool{}, back: map[*tree.Var]bool{}, factors: map[*tree.Var]bool{}, spacing: map[*tree.Var]bool{}, retries: map[int]bool{}, named: map[*tree.Var]bool{}, changed: map[*tree.Var]bool{}, passed: map[*tree.Var]*tree.Var{}, cases: map[*tree.Var][]int64{}, unread: map[any]bool{}}
	seen := map[*tree.Func]bool{}
	var visit func(f *tree.Func)
	visit = func(f *tree.Func) {
		if seen[f] {
			return
		}
		seen[f] = true
		tree.Walk(f.Body, r.changes)
		r.leaveOut(f.Body)
		tree.Walk(f.Body, r.read)
		for _, g := range f.Calls {
			visit(g)
		}
	}
	visit(k)
	if r.items == [3]bool{} && r.groups == [3]bool{} {
		r.items[0], r.groups[0] = r.shared || r.meets, r.shared
	}
	r.flatten()
	return r
}

// flatten makes groups one work-item long in a dimension of whose ids the kernel asks for the global one alone, if it has local memory and finds its place
// there by the local ids of other dimensions: work-items that differ in that dimension would share their places.
func (r *guessReader) flatten() {
	if r.locals == [3]bool{} || r.linear || r.arrays == nil && !r.toLocal() {
		return
	}
	for d := range 3 {
		r.items[d] = r.items[d] && r.locals[d]
	}
}

// dims returns the number of dimensions of the index space.
func (r *guessReader) dims() int {
	for d := 2; d > 0; d-- {
		if r.items[d] || r.groups[d] || r.kernel.ReqdWorkGroupSize[d] > 1 {
			return d + 1
		}
	}
	return 1
}

// changes notes the variables that are assigned to, and the parameters that are passed on.
func (r *guessReader) changes(n any) {
	if call, ok := n.(*tree.Call); ok {
		for i, v := range call.Func.Params {
			if _, known := r.passed[v]; !known && i < len(call.Args) {
				r.passed[v] = r.param(call.Args[i])
			}
		}
	}
	if ref, ok := tree.Assigned(n).(*tree.VarRef); ok {
		r.changed[ref.Var] = true
	}
}

// leaveOut notes the calls whose values go into variables that nobody reads: of these the kernel asks nothing.
func (r *guessReader) leaveOut(body *tree.BlockStmt) {
	read := map[*tree.Var]bool{}
	tree.Walk(body, func(n any) {
		if ref, ok := n.(*tree.VarRef); ok {
			read[ref.Var] = true
		}
	})
	tree.Walk(body, func(n any) {
		if d, ok := n.(*tree.DeclStmt); ok && d.Var.Init != nil && !read[d.Var] {
			tree.Walk(d.Var.Init, func(n any) { r.unread[n] = true })
		}
	})
}

// read notes what a statement or an expression says.
func (r *guessReader) read(n any) {
	switch n := n.(type) {
	case *tree.DeclStmt:
		if n.Var.Storage == tree.Shared && n.Var.Type.Kind == tree.Array {
			r.arrays = append(r.arrays, n.Var.Type)
		}
	case *tree.For:
		r.stepped(n)
	case *tree.While:
		r.retry(n.Cond, n.Body)
	case *tree.DoWhile:
		r.retry(n.Cond, n.Body)
	case *tree.If:
		r.truth(n.Cond)
	case *tree.Switch:
		for _, c := range n.Cases {
			if !c.Default {
				r.takes(n.X, c.Lo)
			}
		}
		r.takes(n.X, 0)
	case *tree.BuiltinCall:
		if !r.unread[n] || n.Fn.Class != tree.WorkItem {
			r.asks(n)
		}
	case *tree.PtrAdd:
		if v := r.param(n.I); v != nil {
			r.offsets[v] = true
		}
		if n.X.Type().Elem.Size() == 1 {
			r.byteOffset(n.I, 0)
		}
	case *tree.Index:
		r.indexed(n)
	case *tree.Convert:
		if to := n.Type(); to.Kind == tree.Pointer && to.To.Space != tree.Local && (to.Elem.IsInteger() || to.Elem.IsFloating()) {
			r.widest = max(r.widest, to.Elem.Size())
		}
	case *tree.AssignOp:
		if v := r.param(n.R); v != nil && n.L.Type().Kind == tree.Pointer {
			r.offsets[v] = true
		}
		r.divided(n.Op, n.R)
	case *tree.Binary:
		r.divided(n.Op, n.Y)
		switch {
		case n.Op >= tree.Lt && n.Op <= tree.Ne:
			r.compared(n.Op, n.X, n.Y)
			r.compared(n.Op, n.Y, n.X)
			r.asked(n.Op, n.X, n.Y)
		default:
			r.computed(n.Op, n.X, n.Y)
		}
	}
}

// stepped notes what a loop goes on by that begins with a local id: all work-items of a group take a turn each, and then go on by as many.
func (r *guessReader) stepped(loop *tree.For) {
	a, ok := loop.Post.(*tree.AssignOp)
	if !ok || a.Op != tree.Add {
		return
	}
	by, isConst := bare(a.R).(*tree.Const)
	v, isVar := a.L.(*tree.VarRef)
	if !isConst || !isVar || by.Bits < leastRow || by.Bits > mostTile {
		return
	}
	if name, d := r.id(v, 0); name == "get_local_id" {
		r.step[d] = max(r.step[d], int64(by.Bits))
	}
}

// asks notes what a work-item function is asked for.
func (r *guessReader) asks(n *tree.BuiltinCall) {
	d, ok := dimension(n)
	switch n.Fn.Class { // of what a lone work-item would not do
	case tree.AtomicC11, tree.AtomicLegacy:
		r.shared = true
	case tree.Barrier:
		r.meets = true
	}
	r.beyond = r.beyond || n.Fn.Class == tree.WorkItem && outside[n.Fn.Name]
	if n.Fn.Class == tree.SubGroup || strings.Contains(n.Fn.Name, "sub_group") {
		r.subGroups = true
	}
	switch {
	case n.Fn.Class == tree.SubGroup, n.Fn.Class == tree.Collective:
		r.items[0] = true
	case n.Fn.Class != tree.WorkItem:
	case n.Fn.Name == "get_global_linear_id":
		r.items[0], r.groups[0] = true, true
	case n.Fn.Name == "get_local_linear_id":
		r.items[0], r.locals = true, [3]bool{true, true, true}
	case strings.HasPrefix(n.Fn.Name, "get_sub_group"): // of work-items along the first dimension
		r.items[0], r.locals[0] = true, true
	case !ok:
	case n.Fn.Name == "get_global_id":
		r.items[d], r.groups[d] = true, true
	case n.Fn.Name == "get_local_id":
		r.items[d], r.locals[d] = true, true
	case n.Fn.Name == "get_group_id":
		r.groups[d] = true
	case n.Fn.Name == "get_local_size":
		r.flexible = true
	}
}

// outside are the functions that tell work-items of one group apart that are of different sub-groups, or how many there are.
var outside = map[string]bool{"get_local_id": true, "get_global_id": true, "get_local_linear_id": true, "get_global_linear_id": true, "get_local_size": true, "get_global_size": true,
	"get_enqueued_local_size": true, "get_sub_group_id": true, "get_num_sub_groups": true, "get_enqueued_num_sub_groups": true}

// param returns the integer parameter of the kernel that an expression is, also in a function to which it is passed.
func (r *guessReader) param(x tree.Expr) *tree.Var {
	ref, ok := bare(x).(*tree.VarRef)
	switch {
	case !ok || ref.Var.Storage != tree.Param || !ref.Var.Type.IsInteger():
		return nil
	case ref.Var.Owner == r.kernel:
		return ref.Var
	}
	return r.passed[ref.Var]
}

// byteOffset notes the factors in what a pointer to bytes moves by.
func (r *guessReader) byteOffset(x tree.Expr, depth int) {
	if ref, ok := bare(x).(*tree.VarRef); ok && ref.Var.Init != nil && ref.Var.Storage == tree.Auto && depth < 10 {
		r.byteOffset(ref.Var.Init, depth+10)
	}
	b, ok := bare(x).(*tree.Binary)
	if !ok || depth > 20 {
		return
	}
	for _, y := range []tree.Expr{b.X, b.Y} {
		if v := r.param(y); v != nil && b.Op == tree.Mul && (v.Type.Size() == 8 || isBytes(v.Name)) {
			r.strides[v] = true
		}
		r.byteOffset(y, depth+1)
	}
}

// isBytes reports whether a name is one for a number of bytes.
func isBytes(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "byte") || strings.HasPrefix(name, "nb") && strings.Trim(name, "nb0123") == ""
}

// indexed notes that a local id, as it is, indexes a local array.
func (r *guessReader) indexed(n *tree.Index) {
	name, d := r.id(n.I, 0)
	array, ok := n.X.(*tree.Decay)
	if name != "get_local_id" || !ok || array.X.Type().Len < 2 {
		return
	}
	for at := tree.Expr(array.X); ; {
		switch x := at.(type) {
		case *tree.Index:
			at = x.X
		case *tree.Decay:
			at = x.X
		case *tree.VarRef:
			if x.Var.Storage == tree.Shared {
				r.direct[d] = leastOf(r.direct[d], powerBelow(array.X.Type().Len))
			}
			return
		default:
			return
		}
	}
}

// mostTile bounds what is taken for the elements of a group in a dimension.
const mostTile = 256

// leastOf is the lesser of two numbers, of which 0 is none.
func leastOf(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// id returns the work-item function whose value an expression is, by way of variables that have one value, and the dimension.
func (r *guessReader) id(x tree.Expr, depth int) (name string, d int) {
	switch n := bare(x).(type) {
	case *tree.BuiltinCall:
		if dim, ok := dimension(n); ok {
			return n.Fn.Name, dim
		}
	case *tree.VarRef:
		if n.Var.Init != nil && n.Var.Storage == tree.Auto && !n.Var.AddrTaken && depth < 10 {
			return r.id(n.Var.Init, depth+1)
		}
	}
	return "", 0
}

// dimension returns the dimension that a work-item function is asked for.
func dimension(call *tree.BuiltinCall) (d int, ok bool) {
	if call.Fn.Class != tree.WorkItem || len(call.Args) != 1 {
		return 0, false
	}
	c, ok := bare(call.Args[0]).(*tree.Const)
	if !ok || c.Bits > 2 {
		return 0, false
	}
	return int(c.Bits), true
}

// compared notes that what may be an id is compared with something.
func (r *guessReader) compared(op tree.BinaryOp, id, with tree.Expr) {
	name, d := r.idIn(id, 0)
	if name == "" {
		return
	}
	if v := r.leading(with); v != nil && name == "get_global_id" {
		r.bounds[v] = d
		r.guards[v] = r.guards[v] || op != tree.Eq && op != tree.Ne
	}
	c, ok := bare(with).(*tree.Const)
	switch {
	case !ok || name != "get_local_id" || c.Bits == 0:
	case d == 0 && c.Bits <= 512:
		r.least = max(r.least, int64(c.Bits))
		if ref, ok := bare(id).(*tree.VarRef); !ok || !r.changed[ref.Var] {
			r.below = max(r.below, int64(c.Bits))
		}
	case d > 0 && c.Bits < mostHigh:
		r.high[d] = max(r.high[d], int64(c.Bits)+1)
	}
}

// mostHigh bounds the work-items behind the first dimension that comparisons ask for.
const mostHigh = 16

// mostCases bounds the values of a parameter that are tried for the branches, and mostCase each.
const (
	mostCases = 6
	mostCase  = 4096
)

// takes notes a value of a parameter with which a branch is taken.
func (r *guessReader) takes(x tree.Expr, value int64) {
	if v := r.param(x); v != nil && value >= 0 && value <= mostCase && len(r.cases[v]) < mostCases && !slices.Contains(r.cases[v], value) && value>>(8*v.Type.Size()-1) == 0 {
		r.cases[v] = append(r.cases[v], value)
	}
}

// asked notes that a parameter is compared with a number: a value for which it holds, and one for which it does not.
func (r *guessReader) asked(op tree.BinaryOp, x, y tree.Expr) {
	c, ok := bare(y).(*tree.Const)
	if !ok || !c.Type().IsInteger() {
		return
	}
	n := int64(c.Bits)
	with := map[tree.BinaryOp][2]int64{tree.Lt: {n - 1, n}, tree.Le: {n, n + 1}, tree.Gt: {n + 1, n}, tree.Ge: {n, n - 1}, tree.Eq: {n, n + 1}, tree.Ne: {n + 1, n}}
	r.takes(x, with[op][0])
	r.takes(x, with[op][1])
}

// truth notes a condition that is a parameter, or several.
func (r *guessReader) truth(x tree.Expr) {
	switch x := bare(x).(type) {
	case *tree.Unary:
		if x.Op == tree.Not {
			r.truth(x.X)
		}
	case *tree.Logic:
		r.truth(x.X)
		r.truth(x.Y)
	default:
		r.takes(x, 1)
		r.takes(x, 0)
	}
}

// decides returns the values of a parameter that is there for its branches: no bound, and no part of a size or an index.
func (r *guessReader) decides(v *tree.Var) []int64 {
	if _, bound := r.bounds[v]; bound || r.offsets[v] || r.strides[v] || r.factors[v] || r.counts[v] {
		return nil
	}
	return r.cases[v]
}

// leading returns the parameter that an expression is, or the one that others are subtracted from.
func (r *guessReader) leading(x tree.Expr) *tree.Var {
	for {
		b, ok := bare(x).(*tree.Binary)
		if !ok || b.Op != tree.Sub {
			return r.param(x)
		}
		x = b.X
	}
}

// idIn returns the name of the work-item function that an expression is computed from, and the dimension: directly, or by variables that have
// one value, and not by way of memory.
func (r *guessReader) idIn(x tree.Expr, depth int) (name string, d int) {
	if depth > 50 {
		return "", 0
	}
	switch n := x.(type) {
	case *tree.BuiltinCall:
		if dim, ok := dimension(n); ok && (n.Fn.Name == "get_global_id" || n.Fn.Name == "get_local_id") {
			return n.Fn.Name, dim
		}
	case *tree.Load:
		ref, ok := n.X.(*tree.VarRef)
		if !ok || ref.Var.Init == nil || ref.Var.Storage != tree.Auto || ref.Var.AddrTaken {
			return "", 0
		}
		return r.idIn(ref.Var.Init, depth+10)
	}
	for _, part := range tree.Parts(x) {
		if name, d = r.idIn(part, depth+1); name != "" {
			return name, d
		}
	}
	return "", 0
}
