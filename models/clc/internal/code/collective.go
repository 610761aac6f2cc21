package code

import (
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// A collective function is one or several meetings of a group. Those of the extensions for sub-groups that need
// not be met by all work-items are taken to be met by all: who is missing is told.

// combiners are how collective functions combine values.
var combiners = map[string]ir.Alu{"add": ir.Add, "mul": ir.Mul, "min": ir.Min, "max": ir.Max, "and": ir.And, "or": ir.Or, "xor": ir.Xor}

// groupCall is a call of a collective function.
type groupCall struct {
	*frame
	x    *tree.BuiltinCall
	args []value
	sub  bool
	met  int // meetings so far
}

// collective lowers the collective functions of work-groups and sub-groups.
func (f *frame) collective(x *tree.BuiltinCall, args []value) value {
	g := &groupCall{frame: f, x: x, args: args}
	name := strings.TrimPrefix(x.Fn.Name, "intel_")
	if op, ok := strings.CutPrefix(name, "sub_group_"); ok {
		g.sub = true
		op = strings.TrimPrefix(op, "non_uniform_")
		if v, ok := g.subGroup(op, strings.HasPrefix(x.Fn.Name, "intel_")); ok {
			return v
		}
		name = op
	} else if mask, ok := strings.CutPrefix(name, "get_sub_group_"); ok {
		return g.laneMask(strings.TrimSuffix(mask, "_mask"))
	}
	if v, ok := g.combine(strings.TrimPrefix(name, "work_group_")); ok {
		return v
	}
	f.notYet(x.Pos(), x.Fn.Name)
	return f.zero(x.Type())
}

// meet emits a meeting at which work-items pass values. The meetings of one call have names of their own.
func (g *groupCall) meet(group ir.Group, alu ir.Alu, t ir.Type, v, from int32) int32 {
	name := g.p.Strings[g.meeting(g.x)]
	if g.met++; g.met > 1 {
		name += "#" + strconv.Itoa(g.met)
	}
	r, site := g.NewReg(""), g.p.Str(name)
	g.p.Named(site, g.x.Fn.Name)
	g.Emit(ir.Instr{Op: ir.OpCollective, Group: group, Alu: alu, Type: t, SubGroup: g.sub, Dst: r, Str: site, Rounds: g.rounds(), B: v, C: from})
	return r
}

// combine lowers what work-groups and sub-groups have in common.
func (g *groupCall) combine(name string) (value, bool) {
	none := g.Constant(0)
	switch name {
	case "all", "any":
		alu := ir.And
		if name == "any" {
			alu = ir.Or
		}
		return value{g.meet(ir.GroupReduce, alu, ir.Bool, g.isTrueValue(g.args[0], g.x.Args[0].Type()), none)}, true
	case "broadcast":
		return g.broadcast(g.sender()), true
	}
	group := ir.GroupReduce
	op, ok := strings.CutPrefix(name, "reduce_")
	if !ok {
		group = ir.GroupScanInclusive
		if op, ok = strings.CutPrefix(name, "scan_inclusive_"); !ok {
			group = ir.GroupScanExclusive
			if op, ok = strings.CutPrefix(name, "scan_exclusive_"); !ok {
				return nil, false
			}
		}
	}
	if logical, ok := strings.CutPrefix(op, "logical_"); ok {
		return value{g.meet(group, combiners[logical], ir.Bool, g.isTrueValue(g.args[0], g.x.Args[0].Type()), none)}, true
	}
	alu, ok := combiners[op]
	if !ok {
		return nil, false
	}
	var out value
	for _, v := range g.args[0] {
		out = append(out, g.meet(group, alu, scalar(g.x.Type()), v, none))
	}
	return out, true
}

// sender returns the number of the work-item that broadcasts, which there must be.
func (g *groupCall) sender() int32 {
	if g.sub {
		return g.valid(g.args[1].one(), ir.QuerySubGroupSize, 0)
	}
	from := g.Constant(0)
	for d := len(g.args) - 2; d >= 0; d-- {
		size := g.ask(ir.QueryLocalSize, d)
		id := g.valid(g.args[1+d].one(), ir.QueryLocalSize, d)
		from = g.Bin(ir.Add, ir.I64, g.Bin(ir.Mul, ir.I64, from, size), id)
	}
	return from
}

// valid checks that an ID is below what a query answers.
func (g *groupCall) valid(id int32, q ir.Query, d int) int32 {
	size := g.Query(q, g.Constant(int64(d)))
	g.Check(ir.CheckArgument, g.Bin(ir.Lt, ir.U64, id, size), "the ID of "+g.x.Fn.Name+" must be that of a work-item of the group")
	return id
}

func (g *groupCall) broadcast(from int32) value {
	var out value
	for _, v := range g.args[0] {
		out = append(out, g.meet(ir.GroupBroadcast, 0, scalar(g.x.Type()), v, from))
	}
	return out
}

// subGroup lowers what only sub-groups have.
func (g *groupCall) subGroup(op string, intel bool) (value, bool) {
	self := func() int32 { return g.Query(ir.QuerySubGroupLocalID, g.Constant(0)) }
	size := func() int32 { return g.Query(ir.QuerySubGroupSize, g.Constant(0)) }
	arg := func(i int) int32 { return g.args[i].one() }
	switch op {
	case "elect":
		return value{g.Bin(ir.Eq, ir.I32, self(), g.Constant(0))}, true
	case "all_equal":
		t := scalar(g.x.Args[0].Type())
		first := g.meet(ir.GroupBroadcast, 0, t, arg(0), g.Constant(0))
		return value{g.meet(ir.GroupReduce, ir.And, ir.Bool, g.Bin(ir.Eq, t, arg(0), first), g.Constant(0))}, true
	case "broadcast_first":
		return g.broadcast(g.Constant(0)), true
	case "shuffle":
		return g.shuffle(g.args[0], arg(1)), true
	case "shuffle_xor":
		return g.shuffle(g.args[0], g.Bin(ir.Xor, ir.I64, self(), arg(1))), true
	case "shuffle_up", "shuffle_down":
		return g.shuffleBy(op == "shuffle_up", intel, self(), size()), true
	case "rotate":
		to := g.Bin(ir.Add, ir.I64, self(), arg(1))
		// The amount may be negative: the remainder of a sum that is not.
		to = g.Bin(ir.Rem, ir.I64, to, size())
		to = g.Bin(ir.Rem, ir.I64, g.Bin(ir.Add, ir.I64, to, size()), size())
		return g.shuffle(g.args[0], to), true
	case "clustered_rotate":
		return g.clusteredRotate(self()), true
	case "ballot":
		return g.ballot(self()), true
	case "inverse_ballot":
		return value{g.bitAt(g.args[0], self())}, true
	case "ballot_bit_extract":
		return value{g.bitAt(g.args[0], arg(1))}, true
	case "ballot_bit_count", "ballot_inclusive_scan", "ballot_exclusive_scan", "ballot_find_lsb", "ballot_find_msb":
		return value{g.countBits(strings.TrimPrefix(op, "ballot_"), self(), size())}, true
	}
	if reduce, ok := strings.CutPrefix(op, "clustered_reduce_"); ok {
		return g.clustered(reduce, self()), true
	}
	return nil, false
}

// shuffle gives each work-item the values of another.
func (g *groupCall) shuffle(v value, from int32) value {
	var out value
	for _, r := range v {
		out = append(out, g.meet(ir.GroupShuffle, 0, scalar(g.x.Type()), r, from))
	}
	return out
}

// shuffleBy gives each work-item the values of one before it, or behind it. Intel's function takes what is before, or behind,
// from a second value of another work-item.
func (g *groupCall) shuffleBy(up, intel bool, self, size int32) value {
	delta := g.args[len(g.args)-1].one()
	op := ir.Add
	if up {
		op = ir.Sub
	}
	from := g.Bin(op, ir.I64, self, delta)
	if !intel {
		return g.shuffle(g.args[0], from)
	}
	// Of (previous, current) and (current, next) in a row, with the work-items of one behind those of the other.
	first, second := g.args[0], g.args[1]
	inFirst := g.Bin(ir.Lt, ir.I64, from, size)
	wrapped := g.Bin(ir.Sub, ir.I64, from, size)
	if up {
		first, second = g.args[1], g.args[0]
		inFirst = g.Bin(ir.Ge, ir.I64, from, g.Constant(0))
		wrapped = g.Bin(ir.Add, ir.I64, from, size)
	}
	a, b := g.shuffle(first, from), g.shuffle(second, wrapped)
	var out value
	for i := range a {
		out = append(out, g.either(scalar(g.x.Type()), inFirst, a[i], b[i]))
	}
	return out
}

// maxCluster bounds the sub-groups that are gone through one by one.
const maxCluster = 128

// cluster returns the size of the clusters of a call, which must be a power of two that is known.
func (g *groupCall) cluster() (int64, bool) {
	n, ok := g.Known(g.args[len(g.args)-1].one())
	if !ok || n < 1 || n > maxCluster || n&(n-1) != 0 {
		g.fault(g.x.Pos(), "write 1, 2, 4 and so on", "the size of a cluster must be a constant power of two")
		return 1, false
	}
	return n, true
}

// clusteredRotate rotates within clusters.
func (g *groupCall) clusteredRotate(self int32) value {
	n, _ := g.cluster()
	low := g.Bin(ir.And, ir.I64, g.Bin(ir.Add, ir.I64, self, g.args[1].one()), g.Constant(n-1))
	return g.shuffle(g.args[0], g.Bin(ir.Add, ir.I64, g.Bin(ir.And, ir.I64, self, g.Constant(^(n-1))), low))
}

// clustered combines the values of each cluster: log(n) exchanges with the partner whose number differs in a bit.
func (g *groupCall) clustered(op string, self int32) value {
	n, _ := g.cluster()
	t := scalar(g.x.Type())
	v := g.args[0].one()
	logical, isLogical := strings.CutPrefix(op, "logical_")
	if isLogical {
		op, t, v = logical, ir.Bool, g.isTrueValue(g.args[0], g.x.Args[0].Type())
	}
	alu, ok := combiners[op]
	if !ok {
		g.notYet(g.x.Pos(), g.x.Fn.Name)
		return g.zero(g.x.Type())
	}
	for bit := int64(1); bit < n; bit *= 2 {
		other := g.meet(ir.GroupShuffle, 0, t, v, g.Bin(ir.Xor, ir.I64, self, g.Constant(bit)))
		v = g.Bin(alu, t, v, other)
	}
	return value{v}
}

// ballot returns the bits of the work-items whose argument is not zero.
func (g *groupCall) ballot(self int32) value {
	yes := g.isTrueValue(g.args[0], g.x.Args[0].Type())
	var out value
	for word := range int64(4) {
		out = append(out, g.meet(ir.GroupReduce, ir.Or, ir.U32, g.bitOf(self, word, yes), g.Constant(0)))
	}
	return out
}

// bitOf returns bit number n as part of the word of so many, if yes is 1.
func (g *groupCall) bitOf(n int32, word int64, yes int32) int32 {
	here := g.Bin(ir.Eq, ir.I64, g.Bin(ir.Shr, ir.U64, n, g.Constant(5)), g.Constant(word))
	bit := g.Bin(ir.Shl, ir.U32, g.Constant(1), g.Bin(ir.And, ir.U64, n, g.Constant(31)))
	return g.Bin(ir.Mul, ir.U32, bit, g.Bin(ir.And, ir.I64, here, yes))
}

// bitAt returns a bit of a ballot.
func (g *groupCall) bitAt(ballot value, n int32) int32 {
	sum := g.Constant(0)
	for word := range int64(4) {
		hit := g.Bin(ir.And, ir.U32, ballot[word], g.bitOf(n, word, g.Constant(1)))
		sum = g.Bin(ir.Or, ir.I64, g.Bin(ir.Ne, ir.U32, hit, g.Constant(0)), sum)
	}
	return sum
}

// below returns the bits below number n of a word: all, if the word ends below it.
func (g *groupCall) below(n int32, word int64) int32 {
	d := g.Bin(ir.Sub, ir.I64, n, g.Constant(32*word))
	d = g.Bin(ir.Min, ir.I64, g.Bin(ir.Max, ir.I64, d, g.Constant(0)), g.Constant(32))
	return g.Bin(ir.Sub, ir.I64, g.Bin(ir.Shl, ir.I64, g.Constant(1), d), g.Constant(1))
}

// countBits counts the bits of a ballot, or finds one, among those of the sub-group.
func (g *groupCall) countBits(what string, self, size int32) int32 {
	ballot := g.args[0]
	limit := size
	switch what {
	case "inclusive_scan":
		limit = g.Bin(ir.Add, ir.I64, self, g.Constant(1))
	case "exclusive_scan":
		limit = self
	}
	out := g.Constant(0)
	found := g.Constant(0)
	for i := range int64(4) {
		word := i
		if what == "find_msb" {
			word = 3 - i
		}
		bits := g.Bin(ir.And, ir.U32, ballot[word], g.below(limit, word))
		if !strings.HasPrefix(what, "find") {
			out = g.Bin(ir.Add, ir.U32, g.Un(ir.Popcount, ir.U32, bits), out)
			continue
		}
		at := g.Un(ir.Ctz, ir.U32, bits)
		if what == "find_msb" {
			at = g.Bin(ir.Sub, ir.I64, g.Constant(31), g.Un(ir.Clz, ir.U32, bits))
		}
		here := g.Bin(ir.And, ir.I64, g.Bin(ir.Ne, ir.U32, bits, g.Constant(0)), g.Bin(ir.Xor, ir.I64, found, g.Constant(1)))
		out = g.Bin(ir.Add, ir.I64, g.Bin(ir.Mul, ir.I64, here, g.Bin(ir.Add, ir.I64, at, g.Constant(32*word))), out)
		found = g.Bin(ir.Or, ir.I64, here, found)
	}
	return out
}

// laneMask returns the bits of the work-items that stand in a relation to this one: eq, ge, gt, le or lt.
func (g *groupCall) laneMask(relation string) value {
	self := g.Query(ir.QuerySubGroupLocalID, g.Constant(0))
	size := g.Query(ir.QueryMaxSubGroupSize, g.Constant(0))
	next := g.Bin(ir.Add, ir.I64, self, g.Constant(1))
	var out value
	for word := range int64(4) {
		lt, le, all := g.below(self, word), g.below(next, word), g.below(size, word)
		mask := map[string]func() int32{
			"lt": func() int32 { return lt }, "le": func() int32 { return le },
			"eq": func() int32 { return g.Bin(ir.AndNot, ir.I64, le, lt) },
			"ge": func() int32 { return g.Bin(ir.AndNot, ir.I64, all, lt) },
			"gt": func() int32 { return g.Bin(ir.AndNot, ir.I64, all, le) },
		}[relation]
		out = append(out, mask())
	}
	return out
}
