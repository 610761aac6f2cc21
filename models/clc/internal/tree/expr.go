package tree

// Pos is a place in a file: the use of a macro, not its definition, for what comes from one.
// Line 0 is no place.
type Pos struct {
	File int32 // index into Unit.Files
	Line int32
	Col  int32 // in bytes, from 1
}

// Expr is an expression that is evaluated for its value and its effects. What it stands for is an
// rvalue unless it is also a [Lvalue] in a place that asks for one; an Lvalue is never evaluated for
// its value but by a [Load], a [Decay] or an access to a part of it.
//
// Operands are evaluated from left to right, each once, the left side of an assignment first.
// Kernels that depend on it are warned about.
type Expr interface {
	Type() *Type
	Pos() Pos
}

// Lvalue is an expression that names a place in memory.
//
// Lvalues are [VarRef], [Deref], [Index], [Member], [Swizzle], [Lane], [StringLit] and
// [CompoundLit]; Member, Swizzle and Lane can also stand on a value (X is then no Lvalue), and have
// no place then: Place().Space says nothing and IsLvalue is false.
type Lvalue interface {
	Expr
	// Place returns the qualifiers of the place, its address space among them: that of the variable,
	// or of what the pointer points to.
	Place() Quals
}

// IsLvalue reports whether x names a place: a member of a value does not.
func IsLvalue(x Expr) bool {
	switch x := x.(type) {
	case *Member:
		return IsLvalue(x.X)
	case *Swizzle:
		return IsLvalue(x.X)
	case *Lane:
		return IsLvalue(x.X)
	case Lvalue:
		return true
	}
	return false
}

// Node is what all expressions have. Its fields are set once by the checker.
type Node struct {
	T *Type
	P Pos
}

// Type returns the type of the expression.
func (n *Node) Type() *Type { return n.T }

// Pos returns where the expression is: at its operator, if it has one.
func (n *Node) Pos() Pos { return n.P }

// Const is a constant of a scalar or pointer type, or of an opaque one.
type Const struct {
	Node
	// Bits is the value of an integer, extended to 64 bits by its sign; 0 or 1 for bool; 0 for a
	// null pointer, CLK_NULL_QUEUE, CLK_NULL_EVENT and CLK_NULL_RESERVE_ID; the bits of a sampler.
	Bits uint64
	// F is the value of a half, float or double, rounded to the type.
	F float64
}

// VarRef is a variable.
type VarRef struct {
	Node
	Var *Var
}

// Deref is *X. X is a pointer to an object or a record; the place is what it points to.
type Deref struct {
	Node
	X Expr
}

// Index is X[I], the same as *(X + I). X is a pointer: an array has been decayed. I is an integer
// of any type.
type Index struct {
	Node
	X, I Expr
}

// Member is X.f, for X an Lvalue or a value of a record type. p->f is a Member of a [Deref].
type Member struct {
	Node
	X     Expr
	Field int // index into X.Type().Record.Fields
}

// Swizzle is some lanes of a vector X, as in v.xz, v.s01, v.hi. One lane is a scalar. As an Lvalue
// it has no lane twice. Lane 3 of a vector of three lanes (v.odd of a three-vector and the like) may
// be read, and is then an undefined value.
type Swizzle struct {
	Node
	X     Expr // an Lvalue or a value
	Lanes []int
}

// Lane is v[I] for a vector: one lane, chosen at run time.
type Lane struct {
	Node
	X Expr // an Lvalue or a value
	I Expr
}

// StringLit is the array of constant char that a string literal is, with the zero at its end. It
// occurs as the operand of a [Decay], in arguments of printf and in initialisers of pointers.
type StringLit struct {
	Node
	Value string // without the zero
}

// CompoundLit is an object without a name, (T){...}: its initialiser is evaluated each time. It
// lives as long as the enclosing block does.
type CompoundLit struct {
	Node
	Space Space // Private, or Constant at program scope
	Init  Expr
}

// Load reads a place: the conversion of an Lvalue to its value. Of a place of an atomic type it is
// atomic_load with memory_order_seq_cst and all-devices scope (device scope in OpenCL C 2.0), and
// has the type of the element. X may be of a record type.
type Load struct {
	Node
	X Lvalue
}

// Decay is a pointer to the first element of the array X.
type Decay struct {
	Node
	X Lvalue
}

// AddrOf is &X. &*p and &p[i] are not simplified.
type AddrOf struct {
	Node
	X Lvalue
}

// Convert is a conversion, implicit or written as a cast. What it does follows from the types of X
// and of itself:
//
//   - arithmetic to arithmetic, by C's rules: integers modulo two to the width, to bool by
//     comparing with zero, floating to integer towards zero (undefined where it does not fit);
//   - pointer to pointer: the address stays. To.Space may differ, and one of them is
//     Generic then; Explicit ones may also change the element type, and then one pointer
//     may point to cells of another size;
//   - pointer to bool by comparing with null; pointer to integer and back (Explicit only);
//   - anything to Void: the value is dropped;
//   - vectors only to their own type, where a written cast changes nothing; conversions of vectors
//     are BuiltinCalls of convert and as_type;
//   - int to Sampler, Event, Queue, ...: the Const is there as an operand.
type Convert struct {
	Node
	X        Expr
	Explicit bool
}

// Splat is a vector whose lanes all are the scalar X, which has the type of a lane.
type Splat struct {
	Node
	X Expr
}

// VectorLit is (T)(a, b, ...): the lanes of all elements one after the other. The elements are
// scalars and vectors of T's lane type; their lanes sum up to those of T.
type VectorLit struct {
	Node
	Elems []Expr
}

// InitList initialises an array, a record or a union. Elems[i] is for element or member i of an
// array or a struct; nil ones, and those beyond the end of Elems, are zero. For a union Elems has at most one,
// and Field says for which member. An element of an array of char can be a StringLit, which
// is then not decayed. Elements are evaluated in the order of the list.
type InitList struct {
	Node
	Field int
	Elems []Expr
}

// UnaryOp is an operator with one operand.
type UnaryOp uint8

// The unary operators.
const (
	Neg UnaryOp = iota
	Cpl         // ~
	Not         // !: int 0 or 1 of a scalar or pointer; of a vector, 0 or -1 in lanes of the same width
)

// Unary is an operator with one operand. Plus is not there: it leaves its operand.
type Unary struct {
	Node
	Op UnaryOp
	X  Expr
}

// BinaryOp is an operator with two operands.
type BinaryOp uint8

// The binary operators.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Rem
	Shl
	Shr
	And
	Or
	Xor
	Lt
	Gt
	Le
	Ge
	Eq
	Ne
)

// Binary is an operator with two operands that are both evaluated. X and Y have one type, but for
// shifts, where Y has an integer type of its own (of as many lanes as X has).
//
// The type is that of X; comparisons give int 0 or 1, and of vectors 0 or -1 in lanes as wide as
// those of X. Pointers can be compared; for arithmetic on them see [PtrAdd] and [PtrDiff]. The count
// of a shift is taken modulo the width of X's lanes.
type Binary struct {
	Node
	Op   BinaryOp
	X, Y Expr
}

// PtrAdd is the pointer X moved by the integer I, or by -I, elements.
type PtrAdd struct {
	Node
	X   Expr
	I   Expr
	Sub bool
}

// PtrDiff is X - Y in elements, of type long (ptrdiff_t). X and Y have the same element type.
type PtrDiff struct {
	Node
	X, Y Expr
}

// Logic is && or ||. Scalars of any type (see [Type.IsScalar]) are compared with zero, and Y is
// evaluated only if X does not decide; it gives int 0 or 1. On vectors of the same type both are evaluated; it gives 0 or -1
// in lanes of the same width.
type Logic struct {
	Node
	Or   bool
	X, Y Expr
}

// Cond is C ? X : Y with a scalar C; only one of X and Y is evaluated. X and Y have its type.
type Cond struct {
	Node
	C, X, Y Expr
}

// Select is C ? X : Y with a vector C of integers: by lane, X where the highest bit of C's lane is
// set, Y elsewhere. All are evaluated.
type Select struct {
	Node
	C, X, Y Expr
}

// Comma is X, Y.
type Comma struct {
	Node
	X, Y Expr
}

// Assign is L = R. R has the type of L, or, for an atomic L, of its element: it is
// then atomic_store with memory_order_seq_cst. The value is that of R.
type Assign struct {
	Node
	L Lvalue
	R Expr
}

// AssignOp is L Op= R: the value of L is converted to Compute, the operation is done there as in a
// [Binary], and what comes out is converted to the type of L. R has the type Compute (for a shift, an integer type
// of its own). For a pointer L, Op is Add or Sub, and R is an integer: the operation is PtrAdd. For an
// atomic L it is one atomic read-modify-write with memory_order_seq_cst. The value is the new one
// of L.
type AssignOp struct {
	Node
	Op      BinaryOp
	L       Lvalue
	R       Expr
	Compute *Type
}

// IncDec is ++ or --: L += 1 or L -= 1, by lanes for a vector, by elements for a pointer, and for
// an atomic L one atomic read-modify-write with memory_order_seq_cst. The value is the old one of L if
// Post, the new one otherwise.
type IncDec struct {
	Node
	L    Lvalue
	Dec  bool
	Post bool
}

// Call is a call of a function of the program. The arguments have the types of the parameters.
type Call struct {
	Node
	Func *Func
	Args []Expr
}

// CallBlock is a call of a block, as of a function.
type CallBlock struct {
	Node
	X    Expr // of a Block type: the Load of a variable, or a BlockLit
	Args []Expr
}

// BuiltinCall is a call of a built-in function. Which overload was chosen shows in the types of
// the arguments, which have been converted to those of its parameters, and in T.
type BuiltinCall struct {
	Node
	Fn   *Builtin
	Args []Expr
}

// BlockLit is a block literal. What it captures is evaluated when the literal is.
type BlockLit struct {
	Node
	Func     *Func // Params are the block's; it has no name, and Funcs does not list it
	Captures []Capture
}

// Capture is a variable of the enclosing function that a block uses: Inner, in the block,
// is a copy of Outer made when the literal is evaluated. A __local or program-scope variable is not
// captured.
type Capture struct {
	Outer, Inner *Var
}

// StmtExpr is GNU's ({ ... }): the value is that of the last statement, or none (Void).
type StmtExpr struct {
	Node
	Body *BlockStmt
	X    Expr // the value, or nil; evaluated last, in the scope of Body
}

// Place returns the qualifiers of the variable.
func (x *VarRef) Place() Quals { return x.Var.Quals }

// Place returns the qualifiers of what the pointer points to.
func (x *Deref) Place() Quals { return x.X.Type().To }

// Place returns the qualifiers of what the pointer points to.
func (x *Index) Place() Quals { return x.X.Type().To }

// Place returns the qualifiers of the record and of the member.
func (x *Member) Place() Quals {
	q := placeOf(x.X)
	f := x.X.Type().Record.Fields[x.Field].Quals
	q.Const, q.Volatile = q.Const || f.Const, q.Volatile || f.Volatile
	return q
}

// Place returns the qualifiers of the vector.
func (x *Swizzle) Place() Quals { return placeOf(x.X) }

// Place returns the qualifiers of the vector.
func (x *Lane) Place() Quals { return placeOf(x.X) }

// Place returns those of a constant.
func (x *StringLit) Place() Quals { return Quals{Space: Constant, Const: true} }

// Place returns the qualifiers of the object.
func (x *CompoundLit) Place() Quals { return Quals{Space: x.Space} }

func placeOf(x Expr) Quals {
	if l, ok := x.(Lvalue); ok {
		return l.Place()
	}
	return Quals{}
}
