package proofs

import "fmt"

// careful draws kernels of which most go wrong nowhere: in each object a work-item has elements of its own, to which it alone writes. What others have is read, and
// what is one work-item's to do is done, between two barriers, to which all come. Every third kernel has a statement of any kind in it.
type careful struct {
	*kernelText
	own     map[string]string // by object: the index of what is the work-item's own
	uniform bool              // all of the group come here
	wild    int               // statements until the one of any kind; negative: there is none
}

func drawCareful(g *kernelText) {
	c := &careful{kernelText: g, uniform: true, wild: -1, own: map[string]string{
		"t":   g.pick("l", "l", "l", "L - 1 - l", "l ^ 1", "l + n", "2 * l + 1", "(l + 1) % L", "3 * l", "l + L", "(l + n) % L"),
		"q":   "l",
		"out": g.pick("g", "g", "w * L + l", "2 * g", "3 * g + 1", "g + n", "g ^ 1", "g / 2 * 2 + g % 2"),
	}}
	if g.IntN(3) == 0 {
		c.wild = g.IntN(5)
	}
	for range 3 + g.IntN(4) {
		c.statement()
	}
}

func (c *careful) statement() {
	if c.wild--; c.wild == -1 {
		c.kernelText.statement()
	}
	switch n := c.IntN(12); {
	case n < 3 || c.depth > 2:
		o := c.pick("t", "t", "q", "out")
		c.line("%s[%s] = %s;", o, c.own[o], c.value())
	case n == 3:
		c.line("x = %s;", c.value())
	case n == 4:
		c.kernelText.line("x = atomic_fetch_add_explicit(&c[%s], 1, memory_order_relaxed, memory_scope_device);", c.pick("0", "l", "w"))
	case n < 7 && c.uniform:
		c.phase()
	case n < 9:
		c.branch()
	default:
		c.loop()
	}
}

// value is anything that nobody else writes.
func (c *careful) value() string {
	switch c.IntN(4) {
	case 0:
		o := c.pick("t", "q", "out")
		return o + "[" + c.own[o] + "]"
	case 1:
		return "a[" + c.expr(1) + "]"
	}
	return c.expr(1)
}

// phase is between two barriers.
func (c *careful) phase() {
	c.parts["barrier"], c.parts["read"] = true, true
	flag := c.pick("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
	c.line("barrier(%s);", flag)
	switch c.IntN(4) {
	case 0:
		c.line("if (%s) t[%s] = %s;", c.pick("l == 0", "l == L - 1", "l == n"), c.pick("0", "n", "L - 1", c.expr(1)), c.value())
	case 1:
		c.line("t[%s] = %s;", c.pick("l", "l + L", "L - 1 - l", "(l + 1) % L", "2 * l"), c.value())
	default:
		c.line("x = t[%s];", c.pick("l ^ 1", "l + 1", "(l + 1) % L", "(l + n) % L", "0", "L - 1 - l", c.expr(2)))
	}
	c.line("barrier(%s);", flag)
}

// common is a condition that is the same for all of a group.
func (c *careful) common() string {
	return c.pick("n > 1", "m == 1u", "n == (int)m", "w % 2 == 0", "L > 2", "a[n] > 0", "a[w] > 1")
}

func (c *careful) branch() {
	all, cond := c.uniform, c.common()
	if c.IntN(2) == 0 {
		c.uniform, cond = false, c.cond()
	}
	c.line("if (%s) {", cond)
	c.body()
	if c.IntN(3) == 0 {
		c.line("} else {")
		c.body()
	}
	c.line("}")
	c.uniform = all
}

func (c *careful) body() {
	c.depth++
	for range 1 + c.IntN(2) {
		c.statement()
	}
	c.depth--
}

// loop draws one of which the rounds are the same for all of a group, or one without barriers.
func (c *careful) loop() {
	all := c.uniform
	c.loops++
	c.parts["loop"] = true
	i := fmt.Sprintf("i%d", c.loops)
	switch c.IntN(8) {
	case 0:
		c.line("for (int %s = 0; %s < n; %s++) {", i, i, i)
	case 1:
		c.uniform = false
		c.line("for (int %s = l; %s < 2 * L; %s += L) {", i, i, i)
	case 2:
		c.line("for (uint %s = L / 2; %s > 0; %s >>= 1) {", i, i, i)
	case 3:
		c.line("for (int %s = 1; %s < L; %s *= 2) {", i, i, i)
	case 4:
		c.line("for (uint %s = m; %s > 0; %s--) {", i, i, i)
	case 5:
		c.line("for (int %s = 0; %s < 3; %s++) {", i, i, i)
		c.line("  if (%s) %s;", c.common(), c.pick("break", "continue"))
	case 6:
		c.reduction(i)
		return
	case 7:
		c.uniform = false
		c.line("for (int %s = 0; %s < %s; %s++) {", i, i, c.pick("l", "n", "w"), i)
		c.line("  if (%s) %s;", c.cond(), c.pick("break", "continue"))
	}
	c.vars = append(c.vars, "(int)"+i)
	c.body()
	c.vars = c.vars[:len(c.vars)-1]
	c.line("}")
	c.uniform = all
}

// reduction halves the number of those who add what others have.
func (c *careful) reduction(i string) {
	if !c.uniform {
		c.line("x++;")
		return
	}
	c.parts["barrier"] = true
	c.line("for (uint %s = L / 2; %s > 0; %s >>= 1) {", i, i, i)
	c.line("  barrier(CLK_LOCAL_MEM_FENCE);")
	c.line("  if (l < %s) t[l] += t[l + %s];", i, i)
	c.line("}")
	c.line("barrier(CLK_LOCAL_MEM_FENCE);")
}
