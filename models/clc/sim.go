package clc

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/state/ir"
)

// simFile is a file of Oclgrind's that says how to launch a kernel: its words are the kernel file,
// the kernel, the global and the local size, and the arguments, each a header in angle brackets
// with, mostly, values behind it.
type simFile struct {
	path            string
	program, kernel string
	global, local   string
	args            []simArg
}

// simArg is an argument: so many bytes, or no object at all.
type simArg struct {
	line         int
	size         int
	typed        bool // the header says of which type the content is
	t            ir.Type
	base         int // of its numbers
	fill, series string
	values       []string
	null         bool
	noted        bool // noinit: the content is not initialised, which here is zero
	rights       code.Rights
}

// maxSim bounds the bytes of an argument.
const maxSim = 4 << 20

// parseSim reads a .sim file.
func parseSim(path string, text []byte) (*simFile, error) {
	s := &simFile{path: path}
	tokens := simTokens(strings.TrimPrefix(string(text), byteOrderMark))
	fail := func(line int, format string, args ...any) error {
		return diag.Diagnostics{{Pos: token.Position{Filename: path, Line: line, Column: 1}, Message: fmt.Sprintf(format, args...),
			Line: diag.Quote(strings.Split(string(text), "\n"), line),
			Hint: "a .sim file has the kernel file, the kernel, the global and the local size (three numbers each), and arguments such as <size=256 uint range=0:1:63>"}}
	}
	if len(tokens) < 8 {
		return nil, fail(1, "the file ends too early")
	}
	s.program, s.kernel = tokens[0].text, tokens[1].text
	var sizes []string
	for _, t := range tokens[2:8] {
		if _, err := strconv.Atoi(t.text); err != nil {
			return nil, fail(t.line, "%q is not a size", t.text)
		}
		sizes = append(sizes, t.text)
	}
	s.global, s.local = strings.Join(sizes[:3], ","), strings.Join(sizes[3:], ",")
	for i := 8; i < len(tokens); {
		head := tokens[i]
		if !strings.HasPrefix(head.text, "<") {
			return nil, fail(head.line, "expected the header of an argument, found %q", head.text)
		}
		i++
		var values []string
		for i < len(tokens) && !strings.HasPrefix(tokens[i].text, "<") {
			values = append(values, tokens[i].text)
			i++
		}
		a, err := simHeader(strings.Fields(strings.Trim(head.text, "<>")), values)
		if err != nil {
			return nil, fail(head.line, "%v", err)
		}
		a.line = head.line
		s.args = append(s.args, *a)
	}
	return s, nil
}

// SimKernel returns the name of the kernel file that a text of Oclgrind's launches a kernel of, and whether it is such
// a text: a name, a kernel, and six sizes.
func SimKernel(text []byte) (name string, ok bool) {
	tokens := simTokens(strings.TrimPrefix(string(text), byteOrderMark))
	if len(tokens) < 8 {
		return "", false
	}
	for _, t := range tokens[2:8] {
		if _, err := strconv.Atoi(t.text); err != nil {
			return "", false
		}
	}
	return tokens[0].text, true
}

type simToken struct {
	text string
	line int
}

// simTokens splits a .sim file into words; a header is one.
func simTokens(text string) (list []simToken) {
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
			end := strings.IndexAny(line, " \t\r<")
			if line[0] == '<' {
				end = strings.IndexByte(line, '>')
				if end >= 0 {
					end++
				}
			}
			if end <= 0 {
				end = len(line)
			}
			list = append(list, simToken{line[:end], n + 1})
			line = line[end:]
		}
	}
	return list
}

var simTypes = map[string]ir.Type{"char": ir.I8, "uchar": ir.U8, "short": ir.I16, "ushort": ir.U16, "int": ir.I32, "uint": ir.U32,
	"long": ir.I64, "ulong": ir.U64, "float": ir.F32, "double": ir.F64}

// simHeader reads a header.
func simHeader(head, values []string) (*simArg, error) {
	a := &simArg{t: ir.U8, base: 10, values: values}
	for _, word := range head {
		name, v, _ := strings.Cut(word, "=")
		switch st, isType := simTypes[strings.TrimRight(word, "0123456789")]; {
		case name == "size":
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > maxSim {
				return nil, fmt.Errorf("%q is not a size", v)
			}
			a.size = n
		case isType:
			a.t, a.typed = st, true
		case name == "hex":
			a.base = 16
		case name == "fill":
			a.fill = v
		case name == "range":
			a.series = v
		case name == "null":
			a.null = true
		case name == "noinit":
			a.noted = true
		case name == "ro", name == "wo":
			if a.rights != code.ReadWrite {
				return nil, fmt.Errorf("%q is given after another access qualifier", word)
			}
			a.rights = map[string]code.Rights{"ro": code.ReadOnly, "wo": code.WriteOnly}[name]
		case name == "dump":
		default:
			return nil, fmt.Errorf("%q cannot stand in the header of an argument", word)
		}
	}
	return a, nil
}

// number reads a number of the content.
func (a *simArg) number(s string) (int64, error) {
	if a.t.Float() && a.base == 10 {
		f, err := strconv.ParseFloat(s, 64)
		return a.t.FromNumber(f), err
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "0x"), a.base, 64)
	if err != nil {
		var u uint64
		u, err = strconv.ParseUint(strings.TrimPrefix(s, "0x"), a.base, 64)
		n = int64(u)
	}
	return n, err
}

// content returns the bytes of an argument for a parameter whose scalars are of a type, which that of the numbers is unless
// the header says another one.
func (a *simArg) content(of ir.Type) (data []byte, err error) {
	if a.null || a.noted {
		return nil, nil
	}
	if !a.typed {
		a.t = of
	}
	put := func(v int64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		data = append(data, b[:max(a.t.Bits(), 8)/8]...)
	}
	switch {
	case a.fill != "":
		v, err := a.number(a.fill)
		if err != nil {
			return nil, fmt.Errorf("fill=%s: this is not a value", a.fill)
		}
		for len(data) < a.size {
			put(v)
		}
	case a.series != "":
		parts := strings.Split(a.series, ":")
		var n [3]float64
		for i, p := range parts {
			f, err := strconv.ParseFloat(p, 64)
			if err != nil || len(parts) != 3 {
				return nil, fmt.Errorf("range=%s: want START:STEP:END", a.series)
			}
			n[i] = f
		}
		for i := 0; len(data) < a.size; i++ {
			f := n[0] + float64(i)*n[1]
			if a.t.Float() {
				put(a.t.FromNumber(f))
			} else {
				put(int64(math.Trunc(f)))
			}
		}
	default:
		for _, s := range a.values {
			v, err := a.number(s)
			if err != nil {
				return nil, fmt.Errorf("%q is not a value", s)
			}
			put(v)
		}
	}
	if len(data) > a.size && a.size > 0 {
		return nil, fmt.Errorf("%d bytes of values do not fit into %d bytes", len(data), a.size)
	}
	return data, nil
}

// simArgument makes argument i of a launch.
func (l *launcher) simArgument(s *simFile, i int, v *tree.Var) code.Arg {
	at := token.Position{Filename: s.path}
	if i >= len(s.args) {
		l.fault(at, "add its definition", "the file gives no argument for %s", v.Name)
		return code.Arg{}
	}
	a := &s.args[i]
	at.Line, at.Column = a.line, 1
	t := v.Type
	elem := t
	if t.Kind == tree.Pointer {
		elem = t.Elem
		if elem.Kind == tree.Void {
			elem = tree.TUChar
		}
	}
	n := int((int64(a.size) + elem.Size() - 1) / max(elem.Size(), 1))
	switch {
	case t.Kind == tree.Pointer && t.To.Space == tree.Local:
		return code.Arg{Local: max(n, 1)}
	case a.null:
		return code.Arg{}
	case t.Kind == tree.Pointer && n < 1:
		l.fault(at, "write size=N", "the argument for %s has no size", v.Name)
		return code.Arg{}
	}
	of := ir.U8
	if leaves := code.Leaves(elem); elem.Kind != tree.Struct && elem.Kind != tree.Union && len(leaves) > 0 {
		of = leaves[0]
	}
	data, err := a.content(of)
	if err != nil {
		l.fault(at, "write values of the type of the parameter, or write their type in the header, as in <size=16 uint>", "%s: %v", v.Name, err)
		return code.Arg{}
	}
	var cells []code.Cell
	for j := range max(n, 1) {
		for _, f := range code.ByteLeaves(elem) {
			from := j*int(elem.Size()) + f.Offset
			cells = append(cells, code.Cell{fromBytes(data, from, f.Type)})
		}
	}
	if t.Kind != tree.Pointer {
		return code.Arg{Cells: cells}
	}
	arg := l.newBuffer(v.Name, elem, n, cells)
	arg.Buffer.Rights = a.rights
	if a.noted {
		l.notes = append(l.notes, v.Name+" is not initialised by the host (noinit). Here it holds zeros.")
	}
	return arg
}

// fromBytes reads a value; what is behind the data is zero.
func fromBytes(data []byte, from int, t ir.Type) int64 {
	var b [8]byte
	width := max(t.Bits(), 8) / 8
	if from < len(data) {
		copy(b[:width], data[from:min(from+width, len(data))])
	}
	return ir.Wrap(t, int64(binary.LittleEndian.Uint64(b[:])))
}
