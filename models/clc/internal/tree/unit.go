package tree

import "fmt"

// Unit is a translation unit: one file with all it includes.
type Unit struct {
	Files   []File // what Pos.File indexes
	Std     Std
	Types   *Types
	Globals []*Var  // program scope, in order; those of __constant and static ones in functions, too
	Funcs   []*Func // with a body, callees before callers
	Kernels []*Func // those of Funcs that are kernels, in the order of the text
	// Undefined are the functions that are called and have no body.
	Undefined []*Func
}

// Std is a version of OpenCL C.
type Std int

// The versions.
const (
	CL10 Std = 100
	CL11 Std = 110
	CL12 Std = 120
	CL20 Std = 200
	CL30 Std = 300
)

// File is a file that was read, named as it was asked for.
type File struct {
	Name string
	Text string
}

// Storage says how long a variable lives and who has it.
type Storage uint8

// The storages.
const (
	Auto    Storage = iota // of a block: in the private memory of a work-item
	Param                  // of a function
	Shared                 // __local at the outermost scope of a kernel: one for each work-group
	Program                // of the program: __global or __constant
)

// Var is a variable or parameter.
type Var struct {
	Name    string
	Type    *Type
	Quals   Quals
	Storage Storage
	// Init is the initialiser or nil: an expression of the variable's type (of the element, for an atomic) or an
	// InitList; for an array of char it may be a StringLit. For the storages Shared and Program it
	// is made of constants and addresses of such variables only; Shared ones have none.
	Init Expr
	Pos  Pos
	// AddrTaken: & or a decay of the variable or of a part of it occurs. Others can be held
	// in registers.
	AddrTaken bool
	// Assigned: something writes to it by its name after its declaration.
	Assigned bool
	// Owner is the function that has it, nil at program scope.
	Owner *Func
}

// Func is a function with a body, or a block.
type Func struct {
	Name   string
	Result *Type
	Params []*Var
	Body   *BlockStmt
	Kernel bool
	// Overload tells functions apart that have one name: 0 for the first.
	Overload int
	Calls    []*Func // functions that it, or a block in it, calls, each once; not those that a block calls which they enqueue
	Pos      Pos

	// Attributes of a kernel. Sizes are zero where there is none.
	ReqdWorkGroupSize [3]int64
	WorkGroupSizeHint [3]int64
	ReqdSubGroupSize  int64
}

// Stmt is a statement.
type Stmt interface{ Pos() Pos }

// At is what all statements have.
type At struct{ P Pos }

// Pos returns where the statement begins.
func (a At) Pos() Pos { return a.P }

// BlockStmt is { ... }.
type BlockStmt struct {
	At
	List []Stmt
	End  Pos // of its closing brace
}

// DeclStmt declares a variable of the storage Auto and evaluates its initialiser. A variable without
// one has an undefined value each time its declaration is passed. Shared and Program variables of a function
// have a DeclStmt as well, which does nothing.
type DeclStmt struct {
	At
	Var *Var
}

// ExprStmt evaluates an expression.
type ExprStmt struct {
	At
	X Expr
}

// If is if. Cond is a scalar that is compared with zero, in all statements.
type If struct {
	At
	Cond Expr
	Then Stmt
	Else Stmt // or nil
}

// While is while.
type While struct {
	At
	Cond Expr
	Body Stmt
}

// DoWhile is do ... while.
type DoWhile struct {
	At
	Body Stmt
	Cond Expr
}

// For is for. A variable that Init declares is in scope in all parts.
type For struct {
	At
	Init []Stmt // declarations or one ExprStmt
	Cond Expr   // or nil: true
	Post Expr   // or nil
	Body Stmt
}

// Switch is switch. It goes to the case in Body that has the value of X, to the default one, or
// past it. Cases of inner switches are not listed.
type Switch struct {
	At
	X     Expr // an integer, promoted
	Body  Stmt
	Cases []*Case
}

// Case is a case or default label: control passes through it.
type Case struct {
	At
	Default bool
	Lo, Hi  int64 // the values, both included, as Const.Bits has them for the type of X; compared as X's type is signed or not
}

// Label is a label: control passes through it.
type Label struct {
	At
	Name string
}

// Goto is goto.
type Goto struct {
	At
	To *Label
}

// Break leaves the innermost loop or switch.
type Break struct{ At }

// Continue goes to the next round of the innermost loop.
type Continue struct{ At }

// Return leaves the function.
type Return struct {
	At
	X Expr // or nil; it has the type of the function's result
}

// Empty is a statement that does nothing.
type Empty struct{ At }

// Known reports whether there is such a version.
func (s Std) Known() bool {
	return s == CL10 || s == CL11 || s == CL12 || s == CL20 || s == CL30
}

// String returns the version as 1.2.
func (s Std) String() string { return fmt.Sprintf("%d.%d", int(s)/100, int(s)/10%10) }
