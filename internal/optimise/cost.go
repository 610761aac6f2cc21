package optimise

import (
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Table says what synchronisation costs, in thousandths.
type Table struct {
	Name         string
	orders       map[ir.SiteKind]map[memmodel.Order]price
	scopes       map[memmodel.Scope]int64
	scopeAlone   int64
	fenceFlags   map[memmodel.Flags]int64
	barrierFlags map[memmodel.Flags]int64
	barrier      int64
}

// price is what an order costs.
type price struct {
	cost    int64                    // the factor of scopes is applied to it
	byScope map[memmodel.Scope]int64 // or what it costs at each scope; nil for cost
}

//go:embed cost/*.yaml
var tables embed.FS

// Default is the table that is taken where none is named.
func Default() *Table {
	t, err := ownTable("default")
	if err != nil {
		panic(err)
	}
	return t
}

// Tables are the names of clmc's own tables.
func Tables() []string { return []string{"default", "amdgpu", "ptx"} }

// ownTable reads a table of clmc's own.
func ownTable(name string) (*Table, error) {
	text, err := tables.ReadFile("cost/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	return ParseTable(name, text)
}

// maxTable bounds what is read of a table.
const maxTable = 1 << 16

// ReadTable reads a table, or returns the one of that name.
func ReadTable(name string) (*Table, error) {
	if name == "" {
		name = "default"
	}
	if slices.Contains(Tables(), name) {
		return ownTable(name)
	}
	text, err := regular.Read(name, maxTable)
	if err != nil {
		return nil, regular.Fault(name, err)
	}
	return ParseTable(name, text)
}

// The words of tables.
var (
	orderWords = map[string]memmodel.Order{"relaxed": memmodel.Relaxed, "acquire": memmodel.Acquire, "release": memmodel.Release,
		"acq_rel": memmodel.AcqRel, "seq_cst": memmodel.SeqCst}
	scopeWords = map[string]memmodel.Scope{"sub_group": memmodel.ScopeSubGroup, "work_group": memmodel.ScopeWorkGroup,
		"device": memmodel.ScopeDevice, "all_svm_devices": memmodel.ScopeAllSVMDevices}
	flagWords = map[string]memmodel.Flags{"local": memmodel.LocalFence, "global": memmodel.GlobalFence, "image": memmodel.ImageFence}
)

// tableRows are the rows of a table that have an order in each column.
var tableRows = map[string][]ir.SiteKind{"load": {ir.LoadSite}, "store": {ir.StoreSite}, "read_modify_write": {ir.ModifySite, ir.ExchangeSite}, "fence": {ir.FenceSite}}

// tableReader reads a table, and keeps the first fault.
type tableReader struct {
	file string
	err  error
}

func (r *tableReader) fault(n ast.Node, format string, args ...any) {
	if r.err != nil {
		return
	}
	at := r.file + ":1:1"
	if n != nil {
		if tk := n.GetToken(); tk != nil {
			at = fmt.Sprintf("%s:%d:%d", r.file, tk.Position.Line, tk.Position.Column)
		}
	}
	r.err = fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
}

// ParseTable reads a table. Each row and column must be there, and no number may be negative.
func ParseTable(file string, text []byte) (*Table, error) {
	f, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, firstLine(yaml.FormatError(err, false, false)))
	}
	r := &tableReader{file: file}
	t := &Table{Name: file, orders: map[ir.SiteKind]map[memmodel.Order]price{}}
	var top ast.Node
	if len(f.Docs) > 0 {
		top = f.Docs[0].Body
	}
	rows := r.mapping(top, "the table")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		n := rows[name]
		switch name {
		case "name":
			t.Name = strings.Trim(n.String(), `"' `)
		case "load", "store", "read_modify_write", "fence":
			for _, kind := range tableRows[name] {
				t.orders[kind] = cells(r, n, name, ordersOf(kind), r.price)
			}
		case "scope":
			t.scopes = columns(r, n, name, scopeWords)
		case "scope_alone":
			t.scopeAlone = r.number(n, name)
		case "barrier":
			t.barrier = r.number(n, name)
		case "fence_flags":
			t.fenceFlags = columns(r, n, name, flagWords)
		case "barrier_flags":
			t.barrierFlags = columns(r, n, name, flagWords)
		default:
			r.fault(n, "clmc does not know the row %q: want name, load, store, read_modify_write, fence, scope, scope_alone, fence_flags, barrier_flags and barrier", name)
		}
	}
	for _, name := range []string{"load", "store", "read_modify_write", "fence", "scope", "scope_alone", "fence_flags", "barrier_flags", "barrier"} {
		if rows[name] == nil {
			r.fault(top, "the row %q is missing", name)
		}
	}
	r.monotone(t, top)
	return t, r.err
}

// monotone refuses tables in which what is stronger costs less: the search relies on that.
func (r *tableReader) monotone(t *Table, top ast.Node) {
	if r.err != nil {
		return
	}
	for kind, row := range t.orders {
		for a := range row {
			for b := range row {
				for from := range t.scopes {
					for to := range t.scopes {
						x, y := ir.Strength{Order: a, Scope: from}, ir.Strength{Order: b, Scope: to}
						if weakerOrder(a, b) && from <= to && t.of(kind, x) > t.of(kind, y) {
							r.fault(top, "%v: %v %v costs less than %v %v, which is weaker", kind, b, to, a, from)
						}
					}
				}
			}
		}
	}
	for a, cost := range t.scopes {
		for b, more := range t.scopes {
			if a < b && cost > more {
				r.fault(top, "scope: %v costs less than %v, which is narrower", b, a)
			}
		}
	}
}

// ordersOf are the orders that are legal at a kind of site, by their words in tables.
func ordersOf(k ir.SiteKind) map[string]memmodel.Order {
	legal := map[string]memmodel.Order{}
	for word, o := range orderWords {
		if legalOrder(k, o) {
			legal[word] = o
		}
	}
	return legal
}

// mapping returns the members of a mapping.
func (r *tableReader) mapping(n ast.Node, what string) map[string]ast.Node {
	out := map[string]ast.Node{}
	var list []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		list = n.Values
	case *ast.MappingValueNode:
		list = []*ast.MappingValueNode{n}
	default:
		r.fault(n, "%s: want names with numbers, as in {relaxed: 0, acquire: 4}", what)
		return out
	}
	for _, v := range list {
		key := strings.Trim(v.Key.String(), `"' `)
		if out[key] != nil {
			r.fault(v.Key, "%s: %q stands there twice", what, key)
		}
		out[key] = v.Value
	}
	return out
}

// columns reads a row of numbers whose columns have these names.
func columns[T comparable](r *tableReader, n ast.Node, row string, names map[string]T) map[T]int64 {
	return cells(r, n, row, names, r.number)
}

// cells reads a row whose columns have these names.
func cells[T comparable, C any](r *tableReader, n ast.Node, row string, names map[string]T, read func(n ast.Node, what string) C) map[T]C {
	out := map[T]C{}
	cells := r.mapping(n, row)
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		if id, ok := names[name]; ok {
			out[id] = read(cells[name], row+"."+name)
		} else {
			r.fault(cells[name], "%s: clmc does not know the column %q: want %s", row, name, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if cells[name] == nil {
			r.fault(n, "%s: the column %q is missing", row, name)
		}
	}
	return out
}

// price reads what an order costs: a number, or one for each scope.
func (r *tableReader) price(n ast.Node, what string) price {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return price{byScope: columns(r, n, what, scopeWords)}
	}
	return price{cost: r.number(n, what)}
}

// at is what an order costs at a scope, whose factor is in thousandths.
func (p price) at(s memmodel.Scope, factor int64) int64 {
	if p.byScope != nil {
		return p.byScope[s]
	}
	return p.cost * (1000 + factor) / 1000
}

// number reads a cost, in thousandths.
func (r *tableReader) number(n ast.Node, what string) int64 {
	var v float64
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		if err := yaml.NodeToValue(n, &v); err != nil {
			r.fault(n, "%s: %v", what, err)
		}
	default:
		r.fault(n, "%s: want a number", what)
	}
	if v < 0 || v > 1e6 || math.IsNaN(v) {
		r.fault(n, "%s: %v: want a number from 0 to 1000000", what, v)
		return 0
	}
	return int64(math.Round(v * 1000))
}

func firstLine(s string) string { return strings.SplitN(strings.TrimSpace(s), "\n", 2)[0] }

// of is what an operation of a kind costs.
func (t *Table) of(k ir.SiteKind, s ir.Strength) int64 {
	if s.Gone {
		return 0
	}
	if k == ir.BarrierSite {
		return t.barrier + t.flags(t.barrierFlags, s.Flags)
	}
	if k == ir.FenceSite && s.Order == memmodel.Relaxed {
		return 0
	}
	scope := t.scopes[s.Scope]
	c := t.orders[k][s.Order].at(s.Scope, scope) + scope*t.scopeAlone/1000
	if k == ir.FenceSite {
		c += t.flags(t.fenceFlags, s.Flags)
	}
	return c
}

func (t *Table) flags(costs map[memmodel.Flags]int64, f memmodel.Flags) (sum int64) {
	for flag, c := range costs {
		if f&flag != 0 {
			sum += c
		}
	}
	return sum
}

// Cost writes a cost.
func Cost(c int64) string {
	c -= c % 10
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", c/1000, c%1000), "0"), ".")
}
