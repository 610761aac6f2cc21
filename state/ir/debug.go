package ir

import "sort"

// What a program tells for reports alone: neither the machine nor the search looks
// at it, and two programs that differ in it only have the same behaviour.

// Call is a call of the source that has been inlined.
type Call struct {
	Name string // of the function that is called
	Pos  int32  // of the call; that place may itself belong to an inlined call
}

// Var is a private variable of the source, or a part of one: "i", "cur.x", "a[1]".
// Vars[0] of a function stands for none.
type Var struct {
	Name     string // as the source has it, with the part
	Type     Type   // of its value
	Call     int32  // the inlined call that the variable belongs to, as Pos.Call
	From, To int32  // the lines of its scope; 0: all
}

// Note says which value a variable has when the code comes to PC: that of an
// operand, read at that moment.
type Note struct {
	PC, Var int32 // where the code comes to, and which variable: an index into Func.Vars
	Value   int32 // the operand
	Unknown bool  // its value is not kept any more
	After   bool  // it has the value when the code has been at PC, and comes to what follows
}

// Extent says, for reports, what a CheckObject is about: Instr.Target indexes Program.Extents, whose entry 0 is nothing. The check compares
// I < limit, which means that Scale*I+Rest is a byte of the object from which so many bytes can be accessed.
type Extent struct {
	Elem        string // the type of the object's elements
	Size, Len   int64  // of an element, in bytes, and how many there are
	Access      int64  // the bytes that are accessed
	Scale, Rest int64  // which byte an index of the check means
}

// NotesAt returns the notes of pc, in the order in which they apply.
func (f *Func) NotesAt(pc int) []Note {
	from := sort.Search(len(f.Notes), func(i int) bool { return int(f.Notes[i].PC) >= pc })
	to := from
	for to < len(f.Notes) && int(f.Notes[to].PC) == pc {
		to++
	}
	return f.Notes[from:to]
}

// Variable returns a variable of the function, or the one that stands for none.
func (f *Func) Variable(v int32) Var {
	if v <= 0 || int(v) >= len(f.Vars) {
		return Var{}
	}
	return f.Vars[v]
}

// CallsAt returns the inlined calls that a place lies in, innermost first.
func (p *Program) CallsAt(pos int32) []Call {
	var out []Call
	for pos >= 0 && int(pos) < len(p.Positions) && len(out) < len(p.Calls) {
		c := p.Positions[pos].Call
		if c <= 0 || int(c) >= len(p.Calls) {
			break
		}
		out = append(out, p.Calls[c])
		pos = p.Calls[c].Pos
	}
	return out
}
