package trace

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A condition that does not hold is told with the values of what it names: of variables, of memory, and of what a work-item can ask for.

// named finds what a condition may name.
var named = regexp.MustCompile(`\bget_\w+\(\s*\d?\s*\)|\b[A-Za-z_]\w*(?:(?:\[\d+\])|(?:\.[A-Za-z_]\w*))*`)

// maxNamed bounds the values that are told of one condition.
const maxNamed = 6

// asked are the functions of OpenCL C whose results a condition can name.
var asked = map[string]ir.Query{
	"get_work_dim": ir.QueryWorkDim, "get_global_id": ir.QueryGlobalID, "get_local_id": ir.QueryLocalID, "get_group_id": ir.QueryGroupID,
	"get_global_size": ir.QueryGlobalSize, "get_local_size": ir.QueryLocalSize, "get_enqueued_local_size": ir.QueryEnqueuedLocalSize,
	"get_num_groups": ir.QueryNumGroups, "get_global_offset": ir.QueryGlobalOffset, "get_global_linear_id": ir.QueryGlobalLinearID,
	"get_local_linear_id": ir.QueryLocalLinearID, "get_sub_group_size": ir.QuerySubGroupSize, "get_sub_group_id": ir.QuerySubGroupID,
	"get_sub_group_local_id": ir.QuerySubGroupLocalID, "get_num_sub_groups": ir.QueryNumSubGroups, "get_max_sub_group_size": ir.QueryMaxSubGroupSize,
}

// condition says which values the condition of an assertion has, that does not hold.
func (r *teller) condition(in *ir.Instr) string {
	c := &r.at
	test := r.private[c.lane].tested(in)
	if test != nil && test.from+test.to == 0 && test.alu == ir.Ne && test.a == 0 && test.b == 0 { // it is the condition itself
		test = nil
	}
	text := r.sides(test)
	values := r.valuesOf(r.p.Strings[in.Str])
	if len(values) == 0 && r.t.At.Source != "" && !strings.Contains(r.t.At.Source, "\\\"") {
		condition, _, _ := strings.Cut(r.t.At.Source, "\"")
		if _, after, ok := strings.Cut(condition, "Assert("); ok {
			values = r.valuesOf(after)
		}
	}
	told := test != nil && (test.from > 0 || test.to > 0)
	if len(values) == 0 || told && len(values) == 1 {
		return text
	}
	if text != "" {
		return text + "; " + strings.Join(values, ", ")
	}
	return ": " + strings.Join(values, ", ") + otherSide(r.p.Strings[in.Str])
}

// number is a comparison with a number at the end of a condition.
var number = regexp.MustCompile(`^[^&|?]*[^=!<>](?:==|!=|<=|>=|<|>)\s*(-?\d+)[uUlL]*\s*\)*$`)

// otherSide names the number that a condition compares with, if it is one comparison.
func otherSide(condition string) string {
	if m := number.FindStringSubmatch(strings.TrimSpace(condition)); m != nil {
		return ", the other side " + m[1]
	}
	return ""
}

// valuesOf lists the values of what a condition names, as far as they are known.
func (r *teller) valuesOf(condition string) (out []string) {
	for _, name := range named.FindAllString(condition, -1) {
		if v, ok := r.valueOf(name); ok && len(out) < maxNamed && !slices.Contains(out, name+" is "+v) {
			out = append(out, name+" is "+v)
		}
	}
	return out
}

// valueOf returns the value of what a name means at the place of the violation: of a private variable first.
func (r *teller) valueOf(name string) (string, bool) {
	lane := r.at.lane
	if function, arg, ok := strings.Cut(name, "("); ok {
		query, known := asked[function]
		u := r.unit(lane)
		if !known || u < 0 {
			return "", false
		}
		dim, _ := strconv.ParseInt(strings.Trim(arg, " )"), 10, 64)
		return fmt.Sprint(r.s.Cast.Units[u].Item.Answer(query, dim)), true
	}
	if q := r.private[lane]; q != nil {
		for _, v := range r.privateOf(lane, r.at.op.Instr.Pos, q.values) {
			if v.Name == name {
				return v.Value, true
			}
		}
	}
	for i := range r.locs {
		if l := &r.locs[i]; l.Name == name && l.region != memmodel.Local && len(l.cells) > 0 && !l.Sliced {
			return l.text(r.p, l.cells[len(l.cells)-1]), true
		}
	}
	return "", false
}

// outside says of an access beyond an object what that consists of, and which part is meant; nothing where the check does not tell.
func (r *teller) outside(in *ir.Instr, test *comparison) string {
	name := r.p.Strings[in.Str]
	if in.Target < 1 || int(in.Target) >= len(r.p.Extents) || test.alu != ir.Lt {
		return ""
	}
	of := &r.p.Extents[in.Target]
	at, has := test.a*of.Scale+of.Rest, count(of.Len, "element")+" of type "+of.Elem
	if name != "" {
		has = name + ", which has " + has
	} else {
		has = "an object of " + has
	}
	var text string
	switch whole := at%of.Size == 0 && of.Access == of.Size; {
	case whole:
		text = fmt.Sprintf(": element %d of %s", at/of.Size, has)
	case of.Access < of.Size && at >= 0:
		text = fmt.Sprintf(": in element %d of %s", at/of.Size, has)
	default:
		text = fmt.Sprintf(": bytes %d to %d of %s (%d bytes)", at, at+of.Access-1, has, of.Size*of.Len)
	}
	if f := r.indexExpression(name); f != "" {
		text += "; " + f
	}
	return text
}

// count writes a number of things.
func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// typeNames are the names of scalar types in OpenCL C.
var typeNames = map[ir.Type]string{ir.Bool: "bool", ir.I8: "char", ir.I16: "short", ir.I32: "int", ir.I64: "long", ir.U8: "uchar", ir.U16: "ushort", ir.U32: "uint", ir.U64: "ulong",
	ir.F16: "half", ir.F32: "float", ir.F64: "double"}

var (
	indexed    = regexp.MustCompile(`^\[([^\[\]]+)\]`)                                   // an index
	nameBefore = regexp.MustCompile(`[A-Za-z_]\w*$`)                                     // the name before it
	nameAt     = regexp.MustCompile(`^[A-Za-z_]\w*`)                                     // or that begins at the place
	assigned   = regexp.MustCompile(`([A-Za-z_]\w*)\[([^\[\]]+)\](?:\.\w+)*(?:\s*|\.)$`) // what stands before an assignment's operator, or a member
	assigns    = regexp.MustCompile(`^(?:=[^=]|(?:[-+*/%&|^]|<<|>>)=)`)                  // such an operator
)

// indexAt finds what is indexed at the place of the violation, and by what, as the source writes it.
func (r *teller) indexAt() (base, index string) {
	before, after, _ := r.sourceAround(r.t.At)
	if m := assigned.FindStringSubmatch(before); m != nil && (assigns.MatchString(after) || strings.HasSuffix(before, ".")) {
		return m[1], m[2]
	}
	base = nameBefore.FindString(before)
	if first := nameAt.FindString(after); first != "" { // the place is that of the whole expression
		base, after = first, after[len(first):]
	}
	if m := indexed.FindStringSubmatch(after); m != nil && base != "" {
		return base, m[1]
	}
	return "", ""
}

// indexExpression names the index that stands at the place of the violation, with the values of what it names, and what is indexed, where
// that is not the object itself.
func (r *teller) indexExpression(name string) string {
	base, index := r.indexAt()
	if index == "" {
		return ""
	}
	of := ""
	if base != name {
		of = " of " + base
	}
	if values := r.valuesOf(index); len(values) > 0 {
		return fmt.Sprintf("the index%s is %s (%s)", of, index, strings.Join(values, ", "))
	}
	return "the index" + of + " is " + index
}
