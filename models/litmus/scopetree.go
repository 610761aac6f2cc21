package litmus

// level is a level of the scope hierarchy.
type level uint8

const (
	levelRoot level = iota
	levelDevice
	levelKernel
	levelGroup
	levelSub
	levelThread
)

// levelNames are the spellings of the inner nodes of scope trees.
var levelNames = map[string]level{
	"device": levelDevice, "kernel": levelKernel,
	"work_group": levelGroup, "workgroup": levelGroup, "wg": levelGroup,
	"sub_group": levelSub, "subgroup": levelSub, "sg": levelSub,
}

// scopeTree parses the trees of all devices.
func (p *parser) scopeTree() []*node {
	list := []*node{}
	for p.is("(") {
		list = append(list, p.node(levelRoot))
	}
	if len(list) == 0 {
		p.failf(p.peek().pos, "expected (device ...) after scopeTree, found %v", p.peek())
	}
	return list
}

// node parses a node below one of the given level.
func (p *parser) node(above level) *node {
	t := p.next()
	if isThreadName(t.text) {
		return &node{pos: t.pos, level: levelThread, thread: p.threadNumber(t)}
	}
	if t.text != "(" {
		p.failf(t.pos, "expected a thread or (...) in the scope tree, found %v", t)
	}
	word := p.word("device, kernel, work_group or sub_group")
	l, ok := levelNames[word.text]
	if !ok {
		p.hintf(word.pos, "the levels are device, kernel, work_group and sub_group", "unknown level %v in the scope tree", word)
	}
	if l <= above {
		p.failf(word.pos, "a %s cannot be inside another or a narrower level", word.text)
	}
	n := &node{pos: t.pos, level: l}
	for !p.accept(")") {
		if p.peek().kind == tokEOF {
			p.failf(t.pos, "this part of the scope tree is not closed by )")
		}
		n.children = append(n.children, p.node(l))
	}
	return n
}
