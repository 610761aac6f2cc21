package clc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// between stands between sizes that are all tried, as between the values of an argument. A comma stands between those of dimensions.
const between = "|"

// mostSizes bounds the sizes of one launch that are all tried.
const mostSizes = 64

// alternatives returns the launches that a request asks for, one for each of its sizes: the one with the most work-items, the request that it is made
// of, and the others. It returns no launch if something is wrong.
func (l *launcher) alternatives(k *tree.Func, r *request) (most *code.Launch, of *request, others []*code.Launch) {
	var all []*code.Launch
	before := len(l.found)
	for _, one := range r.each() {
		x := &code.Launch{Kernel: k}
		if !l.sizes(x, one) {
			return nil, nil, nil
		}
		for _, n := range l.subGroups(x, one) {
			own := *x
			own.SubGroup = n
			if slices.ContainsFunc(all, func(b *code.Launch) bool { return sameSpace(&own, b) }) {
				continue
			}
			if most == nil || items(most) < items(&own) {
				most, of = &own, one
			}
			all = append(all, &own)
		}
		if len(l.found) > before {
			return nil, nil, nil
		}
		if len(all) > mostSizes {
			l.fault(r.at, "ask for fewer sizes", "the launch asks for more than %d combinations of sizes, the limit of clmc", mostSizes)
			return nil, nil, nil
		}
	}
	if len(all) > 1 {
		l.notes = append(l.notes, fmt.Sprintf("%s is launched with each of these sizes: %s.", k.Name, code.Sizes(all)))
	}
	return most, of, slices.DeleteFunc(all, func(x *code.Launch) bool { return x == most })
}

// each returns a request for each combination of the sizes that a request lists.
func (r *request) each() []*request {
	list := []*request{r}
	for _, field := range []func(*request) *string{
		func(r *request) *string { return &r.global }, func(r *request) *string { return &r.local },
		func(r *request) *string { return &r.offset }, func(r *request) *string { return &r.subGroup },
	} {
		var next []*request
		for _, q := range list {
			for _, size := range strings.Split(*field(q), between) {
				one := *q
				*field(&one) = size
				next = append(next, &one)
			}
			if len(next) > mostSizes {
				next = next[:mostSizes+1] // which is refused
			}
		}
		list = next
	}
	return list
}

// autoSubGroup asks for sub-groups of one work-item, of the usual size, and of the whole work-group.
const autoSubGroup = "auto"

// subGroups returns the sizes of sub-groups that a request asks for: those that the kernel requires, or else what the request says.
func (l *launcher) subGroups(x *code.Launch, r *request) []int64 {
	needs := x.Kernel.ReqdSubGroupSize
	switch n, err := strconv.ParseInt(r.subGroup, 10, 32); {
	case r.subGroup == autoSubGroup && needs == 0:
		return []int64{1, ir.DefaultSubGroupSize, x.Local[0] * x.Local[1] * x.Local[2]}
	case r.subGroup == "" || r.subGroup == autoSubGroup:
	case err != nil || n < 1 || n > ir.MaxItems:
		l.fault(r.at, "write a positive number, several such as 1|4, or auto", "%q is not a size of sub-groups", r.subGroup)
	case needs > 0 && n != needs:
		l.fault(r.at, "leave the size of sub-groups out", "sub-groups are to have %d work-items, but %s has reqd_sub_group_size(%d)", n, x.Kernel.Name, needs)
	default:
		return []int64{n}
	}
	return []int64{needs}
}

func items(x *code.Launch) int64 { return x.Global[0] * x.Global[1] * x.Global[2] }

// sameSpace reports whether two launches of a kernel are one.
func sameSpace(a, b *code.Launch) bool {
	return a.Dim == b.Dim && a.Global == b.Global && a.Local == b.Local && a.Offset == b.Offset && a.SubGroup == b.SubGroup
}

// likewise gives other sizes of a launch the same arguments, and local memory that was not given as it needs.
func (l *launcher) likewise(x *code.Launch, others []*code.Launch, given map[string]string) {
	for _, o := range others {
		o.Args = slices.Clone(x.Args)
		for i, v := range x.Kernel.Params {
			if _, is := given[v.Name]; !is && v.Type.Kind == tree.Pointer && v.Type.To.Space == tree.Local {
				o.Args[i].Local = int(o.Local[0] * o.Local[1] * o.Local[2])
			}
		}
	}
	x.Others = others
}

// sizes finds the index space of a launch.
func (l *launcher) sizes(x *code.Launch, r *request) bool {
	k := x.Kernel
	local, ld, ok1 := l.size(r, "local", r.local)
	global, gd, ok2 := l.size(r, "global", r.global)
	offset, od, ok3 := l.size(r, "offset", r.offset)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	if k.ReqdWorkGroupSize[0] > 0 {
		if r.local != "" && local != k.ReqdWorkGroupSize {
			l.fault(r.at, "leave the local size out", "the local size is %s, but %s has reqd_work_group_size(%s)", sizeText(local, ld), k.Name, sizeText(k.ReqdWorkGroupSize, 3))
			return false
		}
		local = k.ReqdWorkGroupSize
		for ld = 3; ld > 1 && local[ld-1] == 1; ld-- {
		}
	} else if r.local == "" {
		r.lacks.local, r.lacks.guess = true, readGuess(k)
		local = r.lacks.guess.local()
		ld = r.lacks.guess.dims()
	}
	if r.global == "" {
		global, gd = local, ld
		for d := range gd {
			global[d] *= 2 // two work-groups in each dimension
		}
		if gd > 1 {
			global[1] = local[1]
		}
		if gd > 2 {
			global[2] = local[2]
		}
	}
	x.Dim = max(gd, ld, od, 1)
	x.Global, x.Local, x.Offset = global, local, offset
	if od == 0 {
		x.Offset = [3]int64{}
	}
	items := int64(1)
	for d := range 3 {
		if local[d] < 1 || global[d] < 0 {
			l.fault(r.at, "", "the sizes of a launch must be positive")
			return false
		}
		if items *= max(global[d], 1); items > ir.MaxItems {
			l.fault(r.at, "launch fewer work-items: one or two work-groups show most bugs", "the launch has more than %d work-items, the limit of clmc", ir.MaxItems)
			return false
		}
	}
	return true
}

// size parses "8" or "8,4,2".
func (l *launcher) size(r *request, what, s string) (list [3]int64, dims int, ok bool) {
	list = [3]int64{1, 1, 1}
	if s == "" {
		return list, 0, true
	}
	for _, part := range strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == 'x' }) {
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || dims == 3 || n < 0 {
			l.fault(r.at, "write up to three numbers, as in 8 or 8,4", "%q is not a %s size", s, what)
			return list, 0, false
		}
		list[dims] = n
		dims++
	}
	if dims == 0 {
		l.fault(r.at, "write up to three numbers, as in 8 or 8,4", "%q is not a %s size", s, what)
		return list, 0, false
	}
	if what == "offset" {
		for d := dims; d < 3; d++ {
			list[d] = 0
		}
	}
	return list, dims, true
}

func sizeText(s [3]int64, dims int) string {
	var parts []string
	for d := range max(dims, 1) {
		parts = append(parts, strconv.FormatInt(s[d], 10))
	}
	return strings.Join(parts, ", ")
}
