package clc

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

// Signature is what a kernel is to be given, for who has bytes of its arguments.
type Signature struct {
	Kernel string
	Params []SignatureParam
	// Fixed: the kernel says its local size itself.
	Fixed bool
}

// ParamClass says what a parameter is given.
type ParamClass uint8

// The classes of parameters.
const (
	ByValue     ParamClass = iota // a scalar, vector or struct
	ToMemory                      // a pointer to global or constant memory
	ToLocal                       // a pointer to local memory
	OfImage                       // an image
	OfSampler                     // a sampler
	OfPipe                        // a pipe
	NotPassable                   // what a launch line has no words for
)

// SignatureParam is a parameter of a kernel.
type SignatureParam struct {
	Name  string
	Type  string // as OpenCL C writes it
	Class ParamClass
	// Size is how many bytes the value has, or an element of what is pointed to.
	Size int
	// Image is how many dimensions an image has.
	Image  int
	elem   string // what an argument calls an element
	leaves []code.ByteLeaf
}

// Signatures returns the kernels of a file.
func Signatures(path string, opt Options) (list []Signature, err error) {
	u, err := parseFile(path, opt)
	if err != nil {
		return nil, err
	}
	for _, k := range u.Kernels {
		s := Signature{Kernel: k.Name, Fixed: k.ReqdWorkGroupSize[0] > 0}
		for _, v := range k.Params {
			s.Params = append(s.Params, signatureParam(v))
		}
		list = append(list, s)
	}
	return list, nil
}

func signatureParam(v *tree.Var) SignatureParam {
	t := v.Type
	p := SignatureParam{Name: v.Name, Type: t.String()}
	switch {
	case t.Kind == tree.Pointer:
		elem := t.Elem
		if elem.Kind == tree.Void {
			elem = tree.TUChar
		}
		if p.Class = ToMemory; t.To.Space == tree.Local {
			p.Class = ToLocal
		}
		p.Size, p.elem, p.leaves = int(elem.Size()), elemName(elem), code.ByteLeaves(elem)
	case t.Kind == tree.Image:
		p.Class, p.Image = OfImage, imageDims(t.Dim)
	case t.Kind == tree.Sampler:
		p.Class = OfSampler
	case t.Kind == tree.Pipe:
		p.Class, p.Size = OfPipe, int(t.Elem.Size())
	case code.Passable(t) && len(code.Leaves(t)) > 0:
		p.Size, p.leaves = int(t.Size()), code.ByteLeaves(t)
	default:
		p.Class = NotPassable
	}
	return p
}

// Integers reports whether there are whole numbers in what is passed, or pointed to.
func (p *SignatureParam) Integers() bool {
	return slices.ContainsFunc(p.leaves, func(l code.ByteLeaf) bool { return !l.Type.Float() })
}

// Value writes the bytes of a value as an argument; ok is false if it has no words there.
func (p *SignatureParam) Value(b []byte) (text string, ok bool) {
	words, ok := leafWords(p.leaves, b)
	switch {
	case !ok:
		return "", false
	case len(words) == 1:
		return words[0], true
	}
	return "{" + strings.Join(words, ",") + "}", true
}

// Content writes an argument of n elements that begin with some bytes, the others being zero; ok is false if the bytes have no words there.
func (p *SignatureParam) Content(n int, b []byte) (text string, ok bool) {
	if p.Size == 0 || len(p.leaves) == 0 {
		return "", false
	}
	var elems []string
	for i := 0; (i+1)*p.Size <= len(b) && i < n; i++ {
		words, ok := leafWords(p.leaves, b[i*p.Size:])
		if !ok {
			return "", false
		}
		elem := strings.Join(words, ",")
		if len(words) > 1 {
			elem = "{" + elem + "}"
		}
		elems = append(elems, elem)
	}
	last := len(elems)
	for last > 0 && isZero(elems[last-1]) {
		last--
	}
	whole, length := elems, strconv.Itoa(n)
	if elems = elems[:last]; last == 0 {
		return "zero[" + length + "]", true
	}
	// of numbers that repeat, or go up by one, the text is short
	switch same := 1; {
	case len(whole) == n && n > 2 && rising(whole):
		return "[" + length + "]{" + whole[0] + ".." + whole[n-1] + "}", true
	case len(whole) == n && last == n:
		for same < last && elems[last-1-same] == elems[last-1] {
			same++
		}
		if same > 2 {
			elems = append(elems[:last-same+1:last-same+1], "...")
		}
	}
	return "[" + length + "]{" + strings.Join(elems, ",") + "}", true
}

// isZero reports whether an element is written as zero.
func isZero(elem string) bool { return strings.Trim(elem, "{},0") == "" }

// rising reports whether whole numbers go up by one.
func rising(words []string) bool {
	first, err := strconv.ParseInt(words[0], 10, 64)
	for i, w := range words {
		if n, bad := strconv.ParseInt(w, 10, 64); bad != nil || err != nil || n != first+int64(i) {
			return false
		}
	}
	return true
}

// leafWords writes the scalars of a value.
func leafWords(leaves []code.ByteLeaf, b []byte) (words []string, ok bool) {
	for _, l := range leaves {
		word, ok := leafWord(l, b)
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	return words, len(words) > 0
}

func leafWord(l code.ByteLeaf, b []byte) (word string, ok bool) {
	size := l.Type.Bits() / 8
	if size < 1 || l.Offset+size > len(b) {
		return "", false
	}
	var raw [8]byte
	copy(raw[:], b[l.Offset:l.Offset+size])
	bits := binary.LittleEndian.Uint64(raw[:])
	if l.Type.Float() {
		return floatWord(l.Type.Number(int64(bits)))
	}
	if unused := 64 - l.Type.Bits(); l.Type.Signed() {
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10), true
	}
	return strconv.FormatUint(bits, 10), true
}

// floatWord writes a floating-point number, if it is one.
func floatWord(f float64) (word string, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "", false
	}
	word = strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(word, ".e") && f != 0 {
		word += ".0"
	}
	return word, true
}
