package opencl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state/ir"
)

// Params are the parameters of each kernel that are no scalars, in order.
const Params = "global int *mem, global int *fine, global int *out, global int *start, global int *scratch, local int *shared"

// line writes a line of the kernel at a depth.
func (e *emitter) line(depth int, format string, args ...any) {
	fmt.Fprintf(e.body, strings.Repeat("    ", depth)+format+"\n", args...)
}

// write writes the kernel.
func (e *emitter) write() {
	e.line(0, "// %s", comment(e.Test))
	e.line(0, "kernel void %s(%s,", e.Name, Params)
	e.line(0, "                uint %s) {", strings.Join(scalars, ", uint "))
	e.body.WriteString(part(fmt.Sprint(e.Groups), e.Roles))
	e.initLocals()
	e.line(1, "for (uint it = 0; it < iter; it++) {")
	e.line(2, "const uint i = (set * iter + it) * lanes + lane;")
	pointers := e.written(e.pointers)
	e.body.WriteString(pointers + begin(fmt.Sprint(e.Threads), e.rolesOfGroup()))
	groups := e.written(func() {
		for g := range e.Groups {
			e.line(2, "if (g == %d) {", g)
			e.groupBody(g)
			e.line(2, "}")
		}
	})
	e.body.WriteString(groups)
	e.line(1, "}")
	e.finalLocals()
	e.line(0, "}")
	e.Source, e.play = e.body.String(), pointers+groups
}

// written is what f writes.
func (e *emitter) written(f func()) string {
	body := e.body
	defer func() { e.body = body }()
	e.body = &strings.Builder{}
	f()
	return e.body.String()
}

// part finds which part a work-item plays, of a test with so many groups and threads in each.
func part(groups string, roles int) string {
	return fmt.Sprintf(`    const uint g = get_group_id(0) / gap %% %[1]s, played = get_group_id(0) / gap / %[1]s;
    if (played >= sets || get_group_id(0) %% gap != 0) {
        clmc_stress(scratch, stress, seed ^ get_global_id(0));
        return;
    }
    const uint role = get_local_id(0) / lanes;
    const uint set = clmc_set(played, g, sets, pair), me = g * %[2]d + role;
    const uint lane = (get_local_id(0) %% lanes * (1 + me * twist)) & (lanes - 1);
`, groups, roles)
}

// begin begins an instance that all threads play, of which so many are in the group of a work-item.
func begin(all, members string) string {
	return fmt.Sprintf("        clmc_begin(start + set * iter + it, scratch, %s, get_local_id(0) %% lanes == 0 && role < %s, spin, delay, pre, clmc_mix(seed + me) ^ clmc_mix(set * iter + it));\n",
		all, members)
}

// comment keeps the name of a test on its line.
func comment(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\\' || r == '?' || r > '~' { // no escapes, no trigraphs
			return '_'
		}
		return r
	}, name)
}

// rolesOfGroup is an expression of how many threads the group of a work-item plays.
func (e *emitter) rolesOfGroup() string {
	n := e.sizes
	x := fmt.Sprint(n[len(n)-1])
	for g := len(n) - 2; g >= 0; g-- {
		if n[g] != n[g+1] || strings.Contains(x, "?") {
			x = fmt.Sprintf("(g == %d ? %d : %s)", g, n[g], x)
		}
	}
	return x
}

// sharedAt is the cell of a local location in an iteration.
func (e *emitter) sharedAt(p *place) string {
	return fmt.Sprintf("(it * lanes + lane) * %d + %d", len(e.Locals), p.index)
}

// initLocals gives local locations their initial values.
func (e *emitter) initLocals() {
	if len(e.Locals) == 0 {
		return
	}
	e.line(1, "for (uint k = get_local_id(0); k < lanes * iter; k += get_local_size(0)) {")
	for i, l := range e.Locals {
		e.line(2, "shared[k * %d + %d] = %s;", len(e.Locals), i, number(l.Init))
	}
	e.line(1, "}")
	e.line(1, "barrier(CLK_LOCAL_MEM_FENCE);")
}

// finalLocals copies the final values of local locations that are asked for.
func (e *emitter) finalLocals() {
	type final struct {
		p   *place
		out int
	}
	var finals []final
	for i, v := range e.tree.Outcome {
		if v.Thread < 0 && e.locs[v.Name].Local {
			finals = append(finals, final{e.locs[v.Name], e.Vars[i].Index})
		}
	}
	if finals == nil {
		return
	}
	e.line(1, "barrier(CLK_LOCAL_MEM_FENCE);")
	e.line(1, "for (uint k = get_local_id(0); k < lanes * iter; k += get_local_size(0)) {")
	for _, f := range finals {
		e.line(2, "if (g == %d) out[%d * n + set * iter * lanes + k] = shared[k * %d + %d];", max(f.p.group, 0), f.out, len(e.Locals), f.p.index)
	}
	e.line(1, "}")
}

// pointers declares the locations of an instance.
func (e *emitter) pointers() {
	for _, l := range e.tree.Locations {
		p := e.locs[l.Name]
		at := "shared + " + e.sharedAt(p)
		if !l.Local {
			buffer := "mem"
			if l.Fine {
				buffer = "fine"
			}
			at = fmt.Sprintf("%s + clmc_at(%d, i, n, step, base, turn)", buffer, p.index)
		}
		kind := e.mapping.cell(p)
		if kind != "int" {
			at = fmt.Sprintf("(%s %s *)(%s)", p.space, kind, at)
		}
		e.line(2, "%s %s *const %s = %s;", p.space, kind, p.ident, at)
	}
}

// groupBody writes the threads of a work-group, phase by phase.
func (e *emitter) groupBody(g int) {
	barriers, parts := e.barriersOf(g)
	e.Barriers = e.Barriers || len(barriers) > 0
	var members []int
	for i := range e.tree.Threads {
		if e.group[i] == g {
			members = append(members, i)
		}
	}
	for _, i := range members {
		for _, r := range e.tree.Threads[i].Registers {
			e.line(3, "int %s = %s;", e.register(i, r.Name), number(r.Init))
		}
	}
	for phase := range len(barriers) + 1 {
		if phase > 0 {
			e.line(3, "%s;", e.mapping.barrier(barriers[phase-1]))
		}
		for k, i := range members {
			word := "if"
			if k > 0 {
				word = "} else if"
			}
			e.line(3, "%s (role == %d) {", word, e.role[i])
			e.block(4, i, parts[i][phase])
			if phase == len(barriers) {
				e.observe(4, i)
			}
		}
		e.line(3, "}")
	}
}

// observe leaves the registers of a thread that are asked for.
func (e *emitter) observe(depth, thread int) {
	for k, v := range e.tree.Outcome {
		if v.Thread == thread {
			e.line(depth, "out[%d * n + i] = %s;", e.Vars[k].Index, e.register(thread, v.Name))
		}
	}
}

func (e *emitter) register(thread int, name string) string {
	list := e.tree.Threads[thread].Registers
	at := slices.IndexFunc(list, func(r litmus.Register) bool { return r.Name == name })
	own := fmt.Sprintf("P%d_%s", e.tree.Threads[thread].Number, identifier(name))
	if slices.ContainsFunc(list[:at], func(r litmus.Register) bool { return identifier(r.Name) == identifier(name) }) {
		own += fmt.Sprintf("_%d", at)
	}
	return own
}

// block writes statements of a thread.
func (e *emitter) block(depth, thread int, list []litmus.Stmt) {
	for _, s := range list {
		w := &statement{emitter: e, depth: depth, thread: thread}
		switch s := s.(type) {
		case *litmus.Assign:
			value := w.value(s.Value)
			e.line(depth, "%s = %s;", e.register(thread, s.Register), value)
		case *litmus.Store:
			value := w.value(s.Value)
			e.line(depth, "%s = %s;", e.plain(s.Location), value)
		case *litmus.Do:
			call := w.call(s.Call)
			e.line(depth, "%s;", call)
		case *litmus.If:
			cond := w.value(s.Cond)
			e.line(depth, "if (%s) {", cond)
			e.block(depth+1, thread, s.Then)
			if len(s.Else) > 0 {
				e.line(depth, "} else {")
				e.block(depth+1, thread, s.Else)
			}
			e.line(depth, "}")
		case *litmus.While:
			e.while(depth, thread, s)
		}
	}
}

// while writes a loop whose condition may need statements of its own.
func (e *emitter) while(depth, thread int, s *litmus.While) {
	e.Loops = true
	e.line(depth, "while (1) {")
	w := &statement{emitter: e, depth: depth + 1, thread: thread}
	cond := w.value(s.Cond)
	e.line(depth+1, "if (!(%s)) break;", cond)
	e.block(depth+1, thread, s.Body)
	e.line(depth, "}")
}

// plain is a location as a plain access names it.
func (e *emitter) plain(name string) string {
	p := e.locs[name]
	if e.mapping.cell(p) == "int" {
		return "*" + p.ident
	}
	return fmt.Sprintf("*(%s int *)%s", p.space, p.ident)
}

// statement writes the expressions of a statement. A test evaluates operands from left to right, which C does
// not: what others can see stands in a statement of its own if the expression has more than one of it.
type statement struct {
	*emitter
	depth, thread int
	separate      bool
}

// value returns a whole expression.
func (w *statement) value(x litmus.Expr) string {
	w.separate = seen(x) > 1 || seen(x) == 1 && conditional(x)
	return w.expr(x)
}

// seen counts the parts of an expression that others can see.
func seen(x litmus.Expr) (n int) {
	visitExpr(x, func(litmus.Expr) { n++ })
	return n
}

// conditional reports whether a part of an expression may be left out.
func conditional(x litmus.Expr) bool {
	switch x := x.(type) {
	case *litmus.Unary:
		return conditional(x.X)
	case *litmus.Binary:
		return x.Op == "&&" || x.Op == "||" || conditional(x.X) || conditional(x.Y)
	case *litmus.Call:
		return x.Operand != nil && conditional(x.Operand) || x.Expected != nil && conditional(x.Expected)
	}
	return false
}

func (w *statement) expr(x litmus.Expr) string {
	switch x := x.(type) {
	case litmus.Number:
		return number(int64(x))
	case litmus.Name:
		return w.register(w.thread, string(x))
	case *litmus.Load:
		return w.alone(w.plain(x.Location))
	case *litmus.Unary:
		return "(" + x.Op + w.expr(x.X) + ")"
	case *litmus.Binary:
		if w.separate && (x.Op == "&&" || x.Op == "||") {
			return w.shortCircuit(x)
		}
		return "(" + w.expr(x.X) + " " + x.Op + " " + w.expr(x.Y) + ")"
	}
	return w.alone(w.call(x.(*litmus.Call)))
}

// alone gives what others can see a statement of its own, if it needs one.
func (w *statement) alone(x string) string {
	if !w.separate {
		return x
	}
	t := w.temp()
	w.line(w.depth, "const int %s = %s;", t, x)
	return t
}

func (w *statement) temp() string {
	w.temps++
	return fmt.Sprintf("t%d", w.temps)
}

// shortCircuit evaluates the right side of && and || only if it matters.
func (w *statement) shortCircuit(x *litmus.Binary) string {
	t, not := w.temp(), ""
	left := w.expr(x.X)
	w.line(w.depth, "int %s = (%s) != 0;", t, left)
	if x.Op == "||" {
		not = "!"
	}
	w.line(w.depth, "if (%s%s) {", not, t)
	w.depth++
	right := w.expr(x.Y)
	w.line(w.depth, "%s = (%s) != 0;", t, right)
	w.depth--
	w.line(w.depth, "}")
	return t
}

// call writes an operation; its operands come first.
func (w *statement) call(c *litmus.Call) string {
	switch c.Op {
	case ir.OpFence:
		return w.mapping.fence(c)
	case ir.OpBarrier:
		unmapped("it has a barrier in a branch or a loop")
	}
	parts := 0
	for _, x := range []litmus.Expr{c.Operand, c.Expected} {
		if x != nil {
			parts += seen(x)
		}
	}
	separate := w.separate
	w.separate = w.separate || parts > 0 // the operation itself is one more
	defer func() { w.separate = separate }()
	var operand, expected string
	if c.Op == ir.OpCmpXchg {
		expected = w.expr(c.Expected)
	}
	if c.Operand != nil {
		operand = w.expr(c.Operand)
	}
	return w.mapping.operation(c, w.locs[c.Location], operand, expected)
}

// number writes a constant of 32 bits, as the test's int holds it.
func number(v int64) string {
	switch n := int32(v); {
	case n == -1<<31:
		return "(-2147483647 - 1)"
	case n < 0:
		return fmt.Sprintf("(%d)", n)
	default:
		return fmt.Sprint(n)
	}
}
