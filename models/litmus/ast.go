package litmus

// The syntax tree: what the text says, before names are resolved.

// file is a whole test.
type file struct {
	name      string
	init      []initial
	threads   []*thread
	tree      []*node // scope tree; nil when the file has none
	treePos   pos
	locations []variable
	quant     Quantifier
	cond      Cond
	condVars  []variable // in order of occurrence
}

// initial is one entry of the initial block.
type initial struct {
	variable
	value int64
}

// variable names a location, or with a thread a register.
type variable struct {
	pos    pos
	thread int // number of the thread, -1 for a location
	name   string
}

// thread is one P.
type thread struct {
	pos    pos
	num    int
	at     *placement // Dartagnan's P0@wg 0, dev 0; nil when absent
	params []param
	body   []stmt
}

// placement is a place written in a thread's header.
type placement struct {
	pos                pos
	device, group, sub int // -1 when not given
}

// param is a location that a thread uses.
type param struct {
	pos    pos
	name   string
	region regionName
	atomic bool
}

// regionName is a region as litmus tests distinguish them.
type regionName uint8

const (
	regionGlobal regionName = iota
	regionGlobalFGA
	regionLocal
)

// regions are the qualifiers of parameters, without underscores.
var regions = map[string]regionName{"global": regionGlobal, "global_fga": regionGlobalFGA, "local": regionLocal}

// String returns the name as parameters spell it.
func (r regionName) String() string { return [...]string{"global", "global_fga", "local"}[r] }

// node is a node of the scope tree: a level with children, or a thread.
type node struct {
	pos      pos
	level    level
	thread   int // of a leaf
	children []*node
}

// A stmt is a statement.
type stmt interface{ stmt() }

type (
	// assignStmt is "name = value;", with or without a declaration.
	assignStmt struct {
		pos   pos
		name  string
		value expr // nil: a declaration alone
		decl  bool
	}
	// storeStmt is "*loc = value;".
	storeStmt struct {
		pos   pos
		loc   string
		value expr
	}
	// exprStmt is a call, perhaps with a label.
	exprStmt struct {
		pos   pos
		label string
		value expr
	}
	ifStmt struct {
		cond      expr
		then, alt []stmt
	}
	whileStmt struct {
		pos  pos
		cond expr
		body []stmt
	}
)

func (*assignStmt) stmt() {}
func (*storeStmt) stmt()  {}
func (*exprStmt) stmt()   {}
func (*ifStmt) stmt()     {}
func (*whileStmt) stmt()  {}

// An expr is an expression.
type expr interface{ position() pos }

type (
	numberExpr struct {
		pos   pos
		value int64
	}
	// nameExpr is a register or, as an argument, a location, order, scope or flag.
	nameExpr struct {
		pos  pos
		name string
	}
	// loadExpr is "*loc".
	loadExpr struct {
		pos pos
		loc string
	}
	unaryExpr struct {
		pos pos
		op  string
		x   expr
	}
	binaryExpr struct {
		pos  pos
		op   string
		x, y expr
	}
	callExpr struct {
		pos  pos
		name string
		args []expr
	}
)

func (e *numberExpr) position() pos { return e.pos }
func (e *nameExpr) position() pos   { return e.pos }
func (e *loadExpr) position() pos   { return e.pos }
func (e *unaryExpr) position() pos  { return e.pos }
func (e *binaryExpr) position() pos { return e.pos }
func (e *callExpr) position() pos   { return e.pos }
