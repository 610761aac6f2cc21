package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// row is an array that is a member of a struct. A pointer that was made by indexing it is taken to stay in it, where
// memory has no cells otherwise: C leaves undefined what else would happen, and there it is checked.
type row struct {
	start int32 // the distance of its first byte, an operand
	bytes int
	name  string
	outer *row // which it is a part of, or nil
}

// span is the bytes that a row has, as the survey knows them.
type span struct {
	start lower.Residue
	bytes int
	name  string
	outer *span
}

// along takes note of the row in which a pointer was moved, if one was.
func (f *frame) along(array tree.Expr, from, to value) value {
	if c, ok := array.(*tree.Convert); ok {
		array = c.X
	}
	d, ok := array.(*tree.Decay)
	if !ok {
		return to
	}
	name := ""
	for x := tree.Expr(d.X); name == ""; {
		switch y := x.(type) {
		case *tree.Member:
			name = y.X.Type().Record.Fields[y.Field].Name
		case *tree.Index:
			if inner, ok := y.X.(*tree.Decay); ok {
				x = inner.X
				continue
			}
			return to
		default:
			return to
		}
	}
	return f.inRow(to, &row{from[ptrOff], f.size(d.X.Type()), name, f.rows[from[ptrOff]]})
}

// inRow notes the row of a pointer, whose distance is to be an operand of its own.
func (f *frame) inRow(p value, r *row) value {
	if _, known := f.Known(p[ptrOff]); r == nil || known {
		return p
	}
	if l := f.linearOf(p[ptrOff]); l.reg == p[ptrOff] || f.rows[p[ptrOff]] != nil {
		off := f.Copy(p[ptrOff])
		f.lin[off] = l
		p = value{p[ptrBase], off, p[ptrSize]}
	}
	f.rows[p[ptrOff]] = r
	return p
}

// span returns where a row is.
func (r *row) span(v *lower.Values) *span {
	if r == nil {
		return nil
	}
	return &span{v.Residue(r.start), r.bytes, r.name, r.outer.span(v)}
}

// join returns a span that has the bytes of both, or none.
func (s *span) join(t *span) *span {
	if s == nil || t == nil || s.bytes != t.bytes {
		return nil
	}
	return &span{s.start.Join(t.start), s.bytes, s.name, s.outer.join(t.outer)}
}

// modulus returns the number of bytes after which rows may follow each other, if an object repeats itself after period.
func (s *span) modulus(period int) int {
	if s.start.Mod < 0 {
		return 1
	}
	return gcd(int(s.start.Mod), period)
}

// has reports whether a pointer may be so far from the start of a period.
func (s *span) has(at, period int) bool {
	if s == nil {
		return true
	}
	m := s.modulus(period)
	return mod(at-int(s.start.Rem), m) < s.bytes && s.outer.has(at, period)
}

// stay checks that a pointer of distance off is in its row.
func (s *span) stay(f *frame, off int32, period int) {
	if s == nil {
		return
	}
	s.outer.stay(f, off, period)
	m, first := s.modulus(period), int(s.start.Rem)
	if m <= s.bytes {
		return
	}
	if s.start.Mod != 0 {
		first %= m
		off = f.Bin(ir.Sub, ir.I64, off, f.scaled(f.divide(off, int64(m)), int64(m)))
	}
	in := f.Bin(ir.Lt, ir.U64, f.Bin(ir.Sub, ir.I64, off, f.Constant(int64(first))), f.Constant(int64(s.bytes)))
	f.inObject(in, s.name)
}

// even reports whether the cells of some scalars are alike wherever a pointer is, one of several ways that follow each
// other at step bytes, and how many cells further each time.
func (g *grid) even(offs []int, leaves []leaf, ways []int64, step int64) (n int, ok bool) {
	if len(ways) < 2 {
		return 0, false
	}
	for i, l := range leaves {
		from := int(ways[0]) + offs[i]
		like := g.at(mod(from, g.period), l.bytes())
		first, _ := g.index(from)
		for k, w := range ways {
			at := int(w) + offs[i]
			cells := g.at(mod(at, g.period), l.bytes())
			here, _ := g.index(at)
			if k == 1 && i == 0 {
				n = here - first
			}
			if len(like) == 0 || len(cells) != len(like) || w != ways[0]+int64(k)*step || here != first+k*n {
				return 0, false
			}
			for j, c := range cells {
				c.off = like[j].off
				if c != like[j] {
					return 0, false
				}
			}
		}
	}
	return n, true
}
