package tree

import (
	"fmt"
	"strings"
)

// Kind is what sort of type a type is.
type Kind uint8

// The kinds. The order from Bool to Double is by conversion rank.
const (
	Void Kind = iota
	Bool
	Char // signed, as OpenCL has it
	UChar
	Short
	UShort
	Int
	UInt
	Long // 64 bits
	ULong
	Half
	Float
	Double
	Vector   // Elem (Char to Double), Len: 2, 3, 4, 8 or 16
	Pointer  // Elem, To
	Array    // Elem, Len
	Struct   // Record
	Union    // Record
	Function // Elem (the result), Params
	Block    // Elem is a Function
	Atomic   // Elem: Int to ULong, Float, Double or Half; an atomic_flag is one of Int with Flag
	Image    // Dim, Access
	Sampler
	Event    // event_t
	ClkEvent // clk_event_t
	Queue    // queue_t
	NDRange  // ndrange_t
	ReserveID
	Pipe // Elem, Access
)

// Space is an address space.
type Space uint8

// The address spaces. Generic occurs in types of pointers only.
const (
	Private Space = iota
	Global
	Local
	Constant
	Generic
)

// String returns the space as it is written in a kernel.
func (s Space) String() string {
	return [...]string{"__private", "__global", "__local", "__constant", "__generic"}[s]
}

// Access is what may be done with an image or a pipe.
type Access uint8

// The access qualifiers.
const (
	ReadOnly Access = iota
	WriteOnly
	ReadWrite
)

// String returns the access as it is written in a kernel.
func (a Access) String() string {
	return [...]string{"read_only", "write_only", "read_write"}[a]
}

// Quals are the qualifiers of a place: of an object, or of what a pointer points to.
type Quals struct {
	Space    Space
	Const    bool
	Volatile bool
}

// Type is a type without qualifiers. Within a unit two types are the same one if and only if the
// pointers to them are equal; scalars and vectors are the same in all units.
type Type struct {
	Kind    Kind
	Elem    *Type   // of a vector, pointer, array, atomic, block, pipe; the result of a function
	To      Quals   // Pointer: the qualifiers and the space of what it points to
	Len     int64   // Vector: lanes; Array: elements
	Record  *Record // Struct, Union
	Params  []*Type // Function
	Dim     string  // Image: "1d", "1d_array", "1d_buffer", "2d", "2d_array", "2d_depth", "2d_array_depth", "2d_msaa", ..., "3d"
	Access  Access  // Image, Pipe
	Flag    bool    // Atomic: atomic_flag
	written string  // the name, where it is not made of the above
}

// Record is a struct or union. Two declarations make two records.
type Record struct {
	Name   string // the tag, or the typedef that names it, or ""
	Union  bool
	Fields []Field
	Packed bool
	Pos    Pos
	// Flexible: the last member was declared without a length, which here is 0.
	Flexible bool

	size, align int64
	complete    bool
}

// Field is a member of a record.
type Field struct {
	Name   string // "" for one that is an anonymous struct or union; members of it are found by a path of two
	Type   *Type
	Quals  Quals // const and volatile; the space is that of the record
	Align  int64 // what an attribute asks for, or 0
	Packed bool  // by an attribute of its own
	Offset int64 // in bytes
	Pos    Pos
}

// The scalar types and the opaque ones.
var (
	TVoid      = &Type{Kind: Void, written: "void"}
	TBool      = &Type{Kind: Bool, written: "bool"}
	TChar      = &Type{Kind: Char, written: "char"}
	TUChar     = &Type{Kind: UChar, written: "uchar"}
	TShort     = &Type{Kind: Short, written: "short"}
	TUShort    = &Type{Kind: UShort, written: "ushort"}
	TInt       = &Type{Kind: Int, written: "int"}
	TUInt      = &Type{Kind: UInt, written: "uint"}
	TLong      = &Type{Kind: Long, written: "long"}
	TULong     = &Type{Kind: ULong, written: "ulong"} // also size_t and uintptr_t
	THalf      = &Type{Kind: Half, written: "half"}
	TFloat     = &Type{Kind: Float, written: "float"}
	TDouble    = &Type{Kind: Double, written: "double"}
	TSampler   = &Type{Kind: Sampler, written: "sampler_t"}
	TEvent     = &Type{Kind: Event, written: "event_t"}
	TClkEvent  = &Type{Kind: ClkEvent, written: "clk_event_t"}
	TQueue     = &Type{Kind: Queue, written: "queue_t"}
	TNDRange   = &Type{Kind: NDRange, written: "ndrange_t"}
	TReserveID = &Type{Kind: ReserveID, written: "reserve_id_t"}
	TFlag      = &Type{Kind: Atomic, Elem: TInt, Flag: true, written: "atomic_flag"}
)

var scalars = [...]*Type{Void: TVoid, Bool: TBool, Char: TChar, UChar: TUChar, Short: TShort, UShort: TUShort, Int: TInt, UInt: TUInt,
	Long: TLong, ULong: TULong, Half: THalf, Float: TFloat, Double: TDouble}

var lanesOf = [...]int64{2, 3, 4, 8, 16}

var vectors, atomics = func() (vs [Double + 1][17]*Type, as [Double + 1]*Type) {
	for k := Bool; k <= Double; k++ {
		for _, n := range lanesOf {
			vs[k][n] = &Type{Kind: Vector, Elem: scalars[k], Len: n, written: fmt.Sprintf("%s%d", scalars[k].written, n)}
		}
		as[k] = &Type{Kind: Atomic, Elem: scalars[k], written: "atomic_" + scalars[k].written}
	}
	return vs, as
}()

// Scalar returns the type of a kind from Void to Double.
func Scalar(k Kind) *Type { return scalars[k] }

// VectorOf returns the vector of n lanes of a scalar type; n is 2, 3, 4, 8 or 16. One lane is the
// scalar itself.
func VectorOf(elem *Type, n int64) *Type {
	if n == 1 {
		return elem
	}
	return vectors[elem.Kind][n]
}

// Named returns the scalar or vector type of a name like uint or uint4, or nil.
func Named(name string) *Type {
	word := strings.TrimRight(name, "0123456789")
	lanes := int64(1)
	switch name[len(word):] {
	case "":
	case "2":
		lanes = 2
	case "3":
		lanes = 3
	case "4":
		lanes = 4
	case "8":
		lanes = 8
	case "16":
		lanes = 16
	default:
		return nil
	}
	for k := Char; k <= Double; k++ {
		if Scalar(k).String() == word {
			return VectorOf(Scalar(k), lanes)
		}
	}
	return nil
}

// AtomicOf returns the atomic type of a scalar.
func AtomicOf(elem *Type) *Type { return atomics[elem.Kind] }

// Types makes the types of a unit, each once.
type Types struct {
	made map[string]*Type
}

// once returns the type that t describes.
func (ts *Types) once(key string, t Type) *Type {
	if ts.made == nil {
		ts.made = map[string]*Type{}
	}
	if old := ts.made[key]; old != nil {
		return old
	}
	ts.made[key] = &t
	return &t
}

// Pointer returns the type of pointers to elem in a place with these qualifiers.
func (ts *Types) Pointer(elem *Type, to Quals) *Type {
	return ts.once(fmt.Sprintf("*%p %v", elem, to), Type{Kind: Pointer, Elem: elem, To: to})
}

// Array returns the type of arrays of n elements; n is Unsized for one whose length is not given.
func (ts *Types) Array(elem *Type, n int64) *Type {
	return ts.once(fmt.Sprintf("[%d]%p", n, elem), Type{Kind: Array, Elem: elem, Len: n})
}

// Unsized is the length of an array type without one. No variable has such a type.
const Unsized = -1

// Function returns a function type.
func (ts *Types) Function(result *Type, params []*Type) *Type {
	var key strings.Builder
	fmt.Fprintf(&key, "(%p", result)
	for _, p := range params {
		fmt.Fprintf(&key, ",%p", p)
	}
	return ts.once(key.String(), Type{Kind: Function, Elem: result, Params: params})
}

// Block returns the type of blocks with the type of their function.
func (ts *Types) Block(f *Type) *Type {
	return ts.once(fmt.Sprintf("^%p", f), Type{Kind: Block, Elem: f})
}

// Image returns an image type.
func (ts *Types) Image(dim string, a Access) *Type {
	return ts.once(fmt.Sprintf("image %s %d", dim, a), Type{Kind: Image, Dim: dim, Access: a})
}

// Pipe returns a pipe type.
func (ts *Types) Pipe(packet *Type, a Access) *Type {
	return ts.once(fmt.Sprintf("pipe %p %d", packet, a), Type{Kind: Pipe, Elem: packet, Access: a})
}

// RecordType returns a new type for a record; each call makes another one.
func RecordType(r *Record) *Type {
	k := Struct
	if r.Union {
		k = Union
	}
	return &Type{Kind: k, Record: r}
}

// IsInteger reports whether t is a scalar integer type, bool included.
func (t *Type) IsInteger() bool { return t.Kind >= Bool && t.Kind <= ULong }

// IsFloating reports whether t is half, float or double.
func (t *Type) IsFloating() bool { return t.Kind >= Half && t.Kind <= Double }

// IsArithmetic reports whether t is a scalar that can be computed with.
func (t *Type) IsArithmetic() bool { return t.Kind >= Bool && t.Kind <= Double }

// IsScalar reports whether t can be a condition: arithmetic, a pointer or a block.
func (t *Type) IsScalar() bool { return t.IsArithmetic() || t.Kind == Pointer || t.Kind == Block }

// IsSigned reports whether the kind is that of a signed integer.
func (k Kind) IsSigned() bool {
	return k == Char || k == Short || k == Int || k == Long
}

// Lanes returns the number of lanes of a vector, and 1 for a scalar.
func (t *Type) Lanes() int64 {
	if t.Kind == Vector {
		return t.Len
	}
	return 1
}

// Lane returns the type of a lane: the element of a vector, or a scalar itself.
func (t *Type) Lane() *Type {
	if t.Kind == Vector {
		return t.Elem
	}
	return t
}

// Bits returns the width of a scalar of kind Bool to Double; Bool has 8.
func (k Kind) Bits() int {
	return [...]int{Bool: 8, Char: 8, UChar: 8, Short: 16, UShort: 16, Int: 32, UInt: 32, Long: 64, ULong: 64, Half: 16, Float: 32, Double: 64}[k]
}

// IsComplete reports whether the size of the type is known.
func (t *Type) IsComplete() bool {
	switch t.Kind {
	case Void, Function:
		return false
	case Array:
		return t.Len != Unsized && t.Elem.IsComplete()
	case Struct, Union:
		return t.Record.complete
	}
	return true
}

// Size returns the size in bytes, as sizeof has it: a vector of three lanes takes four.
func (t *Type) Size() int64 {
	switch t.Kind {
	case Void, Function:
		return 1
	case Vector:
		if t.Len == 3 {
			return 4 * t.Elem.Size()
		}
		return t.Len * t.Elem.Size()
	case Array:
		return max(t.Len, 0) * t.Elem.Size()
	case Struct, Union:
		return t.Record.size
	case Atomic:
		return t.Elem.Size()
	case Sampler:
		return 4
	case NDRange:
		return 80 // work_dim and three times three size_t
	case Pointer, Block, Image, Event, ClkEvent, Queue, ReserveID, Pipe:
		return 8
	}
	return int64(t.Kind.Bits() / 8)
}

// Align returns the alignment in bytes.
func (t *Type) Align() int64 {
	switch t.Kind {
	case Array:
		return t.Elem.Align()
	case Struct, Union:
		return t.Record.align
	case NDRange:
		return 8
	}
	return t.Size()
}

// Complete lays out the members and makes the record's type complete. Least is the alignment that
// an attribute asks for, or 0.
func (r *Record) Complete(least int64) {
	r.align = 1
	for i := range r.Fields {
		f := &r.Fields[i]
		align := f.Type.Align()
		if r.Packed || f.Packed {
			align = 1
		}
		align = max(align, f.Align, 1)
		r.align = max(r.align, align)
		if r.Union {
			r.size = max(r.size, f.Type.Size())
			continue
		}
		f.Offset = roundUp(r.size, align)
		r.size = f.Offset + f.Type.Size()
	}
	r.align = max(r.align, least)
	r.size = roundUp(r.size, r.align)
	r.complete = true
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// String returns the type as a programmer would write it.
func (t *Type) String() string {
	switch t.Kind {
	case Pointer:
		return t.To.String() + t.Elem.String() + " *"
	case Array:
		// The first length is the outermost one.
		elem, dims := t, ""
		for elem.Kind == Array {
			if elem.Len == Unsized {
				dims += "[]"
			} else {
				dims += fmt.Sprintf("[%d]", elem.Len)
			}
			elem = elem.Elem
		}
		return elem.String() + dims
	case Struct, Union:
		return t.Record.String()
	case Function:
		params := make([]string, len(t.Params))
		for i, p := range t.Params {
			params[i] = p.String()
		}
		return fmt.Sprintf("%s(%s)", t.Elem, strings.Join(params, ", "))
	case Block:
		return "block " + t.Elem.String()
	case Image:
		return fmt.Sprintf("%s image%s_t", t.Access, t.Dim)
	case Pipe:
		return fmt.Sprintf("%s pipe %s", t.Access, t.Elem)
	}
	return t.written
}

// String returns the record as it is named in a declaration.
func (r *Record) String() string {
	word := "struct "
	if r.Union {
		word = "union "
	}
	if r.Name == "" {
		return strings.TrimSpace(word) + " without a name"
	}
	return word + r.Name
}

// String returns the qualifiers with a blank after each.
func (q Quals) String() string {
	s := ""
	if q.Space != Private {
		s = q.Space.String() + " "
	}
	if q.Const {
		s += "const "
	}
	if q.Volatile {
		s += "volatile "
	}
	return s
}
