package gen

import "fmt"

// style is a way to access memory atomically and in order.
type style struct {
	name        string
	load, store string // orders
	fence       string // order of a fence between accesses, or ""
	rmw         bool   // loads and stores are read-modify-write operations
}

// styles lists the ways to access memory, weakest first.
var styles = []style{
	{name: "rlx", load: "relaxed", store: "relaxed"},
	{name: "ra", load: "acquire", store: "release"},
	{name: "sc", load: "seq_cst", store: "seq_cst"},
	{name: "rmw", load: "acq_rel", store: "acq_rel", rmw: true},
	{name: "fra", load: "relaxed", store: "relaxed", fence: "acq_rel"},
	{name: "fsc", load: "relaxed", store: "relaxed", fence: "seq_cst"},
}

// surroundings is what all accesses of a thread share.
type surroundings struct {
	style
	scope string // full name
	flags string // of fences and barriers, full names
}

// thread writes the accesses of one thread. Reads set r0, r1, ...; the values
// that read-modify-write operations replace go to w0, w1, ...
func (s surroundings) thread(list []access) threadText {
	var t threadText
	reads, writes, barriers, indent := 0, 0, 0, 0
	for i, a := range list {
		if i > 0 && s.fence != "" && a.kind != 'B' && list[i-1].kind != 'B' {
			t.line(indent, "atomic_work_item_fence(%s,%s,%s);", s.flags, order(s.fence), s.scope)
		}
		register := fmt.Sprintf("r%d", reads)
		if a.guarded {
			if a.kind == 'R' {
				t.line(indent, "int %s = -1;", register)
			}
			t.line(indent, "if (r%d == 1) {", reads-1)
			indent++
		}
		switch a.kind {
		case 'B':
			t.line(indent, "B%d: work_group_barrier(%s,%s);", barriers, s.flags, s.scope)
			barriers++
		case 'W':
			swapped := fmt.Sprintf("w%d", writes)
			t.line(indent, "%s", s.write(a, swapped))
			if s.rmw && !a.plain {
				t.regs = append(t.regs, swapped)
				writes++
			}
		case 'R':
			declare := "int "
			if a.guarded {
				declare = ""
			}
			t.line(indent, "%s%s = %s;", declare, register, s.read(a))
			t.regs = append(t.regs, register)
			reads++
		}
	}
	for ; indent > 0; indent-- {
		t.line(indent-1, "}")
	}
	return t
}

func (s surroundings) write(a access, register string) string {
	switch {
	case a.plain:
		return fmt.Sprintf("*%s = %s;", a.loc, a.value)
	case s.rmw:
		return fmt.Sprintf("int %s = atomic_exchange_explicit(%s,%s,%s,%s);", register, a.loc, a.value, order(s.store), s.scope)
	}
	return fmt.Sprintf("atomic_store_explicit(%s,%s,%s,%s);", a.loc, a.value, order(s.store), s.scope)
}

func (s surroundings) read(a access) string {
	switch {
	case a.plain:
		return "*" + a.loc
	case s.rmw:
		return fmt.Sprintf("atomic_fetch_add_explicit(%s,0,%s,%s)", a.loc, order(s.load), s.scope)
	}
	return fmt.Sprintf("atomic_load_explicit(%s,%s,%s)", a.loc, order(s.load), s.scope)
}
