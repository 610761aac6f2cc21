package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Test is a generated litmus test.
type Test struct {
	Name string
	Text string
}

// program is a test before it is written out.
type program struct {
	name      string
	locs      []location
	threads   []threadText
	tree      string
	condition string // empty: one that never holds, to ask for all outcomes
}

// location is a shared variable.
type location struct {
	name   string
	region string
	atomic bool
	init   int
	quiet  bool // its final value is of no interest
}

// threadText is the body of a thread and the registers that it observes.
type threadText struct {
	lines []string
	regs  []string
}

// line appends an indented line.
func (t *threadText) line(indent int, format string, args ...any) {
	t.lines = append(t.lines, strings.Repeat("  ", indent+1)+fmt.Sprintf(format, args...))
}

// test writes the program out.
func (p *program) test() Test {
	var b strings.Builder
	fmt.Fprintf(&b, "OpenCL %s\n{", p.name)
	for _, l := range p.locs {
		fmt.Fprintf(&b, " [%s]=%d;", l.name, l.init)
	}
	b.WriteString(" }\n")
	for i, t := range p.threads {
		fmt.Fprintf(&b, "\nP%d (%s) {\n", i, p.params())
		for _, line := range t.lines {
			b.WriteString(line + "\n")
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "\nscopeTree\n%s\nlocations [%s]\n", p.tree, p.variables())
	condition := p.condition
	if condition == "" {
		condition = p.locs[0].name + "=99"
	}
	fmt.Fprintf(&b, "exists (%s)\n", condition)
	return Test{p.name, b.String()}
}

func (p *program) params() string {
	list := make([]string, len(p.locs))
	for i, l := range p.locs {
		kind := "int"
		if l.atomic {
			kind = "atomic_int"
		}
		list[i] = l.region + " " + kind + "* " + l.name
	}
	return strings.Join(list, ", ")
}

// variables lists what an outcome consists of.
func (p *program) variables() string {
	list := ""
	for _, l := range p.locs {
		if !l.quiet {
			list += l.name + ";"
		}
	}
	for i, t := range p.threads {
		for _, r := range slices.Compact(slices.Sorted(slices.Values(t.regs))) {
			list += fmt.Sprintf("%d:%s;", i, r)
		}
	}
	return list
}

// The regions and scopes as tests spell them, by their short names.
var (
	regionNames = map[byte]string{'g': "global", 'f': "global_fga", 'l': "local"}
	scopeNames  = map[string]string{"wg": "memory_scope_work_group", "dev": "memory_scope_device", "all": "memory_scope_all_svm_devices"}
	flagNames   = map[string]string{"L": "CLK_LOCAL_MEM_FENCE", "G": "CLK_GLOBAL_MEM_FENCE", "LG": "CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE"}
)

// order returns the full name of a memory order.
func order(short string) string { return "memory_order_" + short }

// scopeTree writes the scope tree of a placement: devices are separated by
// "/", work-groups by ",", and threads are letters from a on.
func scopeTree(placement string) string {
	var devices []string
	for _, device := range strings.Split(placement, "/") {
		text := "(device"
		for _, group := range strings.Split(device, ",") {
			text += " (work_group"
			for _, thread := range group {
				text += fmt.Sprintf(" P%d", thread-'a')
			}
			text += ")"
		}
		devices = append(devices, text+")")
	}
	return strings.Join(devices, " ")
}
