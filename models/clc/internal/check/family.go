package check

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// familyName is what the name of a function says that is one of a family.
type familyName struct {
	kind  string // "convert", "as_type", "vload", "vstore", "vload_half", ...
	t     *tree.Type
	lanes int64
	sat   bool
	round tree.Round
}

var roundings = map[string]tree.Round{"_rte": tree.RoundEven, "_rtz": tree.RoundZero, "_rtp": tree.RoundUp, "_rtn": tree.RoundDown}

// family splits the name of a function that is one of a family, or returns nil.
func family(name string) *familyName {
	f := &familyName{}
	if rest, ok := strings.CutPrefix(name, "convert_"); ok {
		f.kind = "convert"
		if at := strings.LastIndex(rest, "_"); at > 0 && roundings[rest[at:]] != 0 {
			f.round, rest = roundings[rest[at:]], rest[:at]
		}
		rest, f.sat = strings.CutSuffix(rest, "_sat")
		f.t = tree.Named(rest)
		if f.t == nil || f.sat && f.t.Lane().IsFloating() {
			return nil
		}
		return f
	}
	if rest, ok := strings.CutPrefix(name, "as_"); ok {
		f.kind = "as_type"
		if f.t = tree.Named(rest); f.t == nil {
			return nil
		}
		return f
	}
	for _, kind := range []string{"vloada_half", "vload_half", "vstorea_half", "vstore_half", "vload", "vstore"} {
		rest, ok := strings.CutPrefix(name, kind)
		if !ok {
			continue
		}
		f.kind = kind
		if strings.HasPrefix(kind, "vstore") && strings.HasSuffix(kind, "half") && len(rest) >= 4 && roundings[rest[len(rest)-4:]] != 0 {
			f.round, rest = roundings[rest[len(rest)-4:]], rest[:len(rest)-4]
		}
		n, ok := map[string]int64{"": 1, "2": 2, "3": 3, "4": 4, "8": 8, "16": 16}[rest]
		if !ok || n == 1 && !strings.HasSuffix(kind, "half") {
			return nil
		}
		f.lanes = n
		return f
	}
	return nil
}

// familyCall checks a call of a function of a family.
func (c *checker) familyCall(f *familyName, name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	b := &tree.Builtin{Name: f.kind, Class: tree.VectorData, Sat: f.sat, Round: f.round}
	switch f.kind {
	case "convert":
		c.want(name, args, 1, 1, pos)
		b.Class = tree.ConvertTo
		from := args[0].Type()
		if !from.Lane().IsArithmetic() || from.Lanes() != f.t.Lanes() {
			c.fail(pos, "", "%s takes %s, not %s", name, lanesText(f.t.Lanes()), from)
		}
		if from.Kind == tree.Bool {
			args[0] = c.promote(args[0])
		}
		return made(b, f.t, args, pos)
	case "as_type":
		c.want(name, args, 1, 1, pos)
		b.Class = tree.AsType
		from := args[0].Type()
		if !from.Lane().IsArithmetic() || from.Kind == tree.Bool || from.Size() != f.t.Size() {
			hint := ""
			if from.Lane().IsArithmetic() {
				hint = "Write convert_" + f.t.String() + " to convert the value."
			}
			c.fail(pos, hint, "%s takes what has %d bytes, not %s", name, f.t.Size(), from)
		}
		return made(b, f.t, args, pos)
	}
	return c.vectorData(f, b, name, args, pos)
}

func lanesText(n int64) string {
	if n == 1 {
		return "a number"
	}
	return "a vector of " + itoa(int(n))
}

// vectorData checks vload and vstore.
func (c *checker) vectorData(f *familyName, b *tree.Builtin, name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	store := strings.HasPrefix(f.kind, "vstore")
	half := strings.HasSuffix(f.kind, "half")
	n, at := 2, 1
	if store {
		n, at = 3, 2
	}
	c.want(name, args, n, n, pos)
	p := c.pointerArg(args, at, name)
	if half && p.Elem != tree.THalf || !p.Elem.IsArithmetic() || p.Elem.Kind == tree.Bool {
		c.fail(args[at].Pos(), "The pointer is one to the elements, not to a vector.", "argument %d of %s points to %s", at+1, name, p.Elem)
	}
	if !store {
		c.arg(args, 0, tree.TULong, name)
		t := p.Elem
		if half {
			t = tree.TFloat
		}
		return made(b, tree.VectorOf(t, f.lanes), args, pos)
	}
	if p.To.Space == tree.Constant {
		c.fail(args[at].Pos(), "Use __global memory.", "__constant memory cannot be written")
	}
	c.notConst(args[at], name)
	t := tree.VectorOf(p.Elem, f.lanes)
	if half {
		t = tree.VectorOf(tree.TFloat, f.lanes)
		if args[0].Type().Lane() == tree.TDouble {
			t = tree.VectorOf(tree.TDouble, f.lanes)
		}
	}
	c.arg(args, 0, t, name)
	c.arg(args, 1, tree.TULong, name)
	return made(b, tree.TVoid, args, pos)
}
