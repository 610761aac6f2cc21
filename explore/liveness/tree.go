package liveness

import (
	"cmp"
	"slices"

	"github.com/clmc/clmc/state"
)

// tree is the hierarchy of the units of a room: the device over work-groups, over sub-groups, over work-items. Devices,
// host threads, copies and commands are below the root, which neglects none of them.
type tree struct {
	model   Model
	unit    int     // of a leaf: its number among the room's units, else -1
	kids    []*tree // in the order of their ids
	members []int   // the units below
}

// unitsOf returns the units of some casts, each once, by their IDs.
func unitsOf(casts []*state.Cast) (roles []*state.Role, number map[uint64]int) {
	number = map[uint64]int{}
	for _, c := range casts {
		for u := range c.Units {
			r := &c.Units[u]
			if _, ok := number[r.ID]; !ok {
				number[r.ID] = len(roles)
				roles = append(roles, r)
			}
		}
	}
	return roles, number
}

// isItem reports whether a unit is a work-item, which is scheduled as the models say.
func isItem(r *state.Role) bool { return r.Func >= 0 && !r.Place.Host && r.Copy == 0 }

// plant makes the tree of some units.
func plant(roles []*state.Role, l Levels) *tree {
	root := &tree{model: Fair, unit: -1}
	items := make([]int, 0, len(roles))
	for i, r := range roles {
		if isItem(r) {
			items = append(items, i)
		} else {
			root.kids = append(root.kids, &tree{unit: i})
		}
	}
	slices.SortStableFunc(items, func(a, b int) int {
		p, q := roles[a].Place, roles[b].Place
		return cmp.Or(cmp.Compare(p.Device, q.Device), cmp.Compare(p.Kernel, q.Kernel), cmp.Compare(p.Group, q.Group), cmp.Compare(p.Sub, q.Sub),
			cmp.Compare(linear(roles[a]), linear(roles[b])))
	})
	for _, i := range items {
		p := roles[i].Place
		device := root.child(roles, l.Device, func(o *state.Role) bool { return o.Place.Device == p.Device && isItem(o) })
		at := device.child(roles, l.Group, func(o *state.Role) bool { return o.Place.SameGroup(p) })
		if l.SubGroups {
			at = at.child(roles, l.Sub, func(o *state.Role) bool { return o.Place == p })
		}
		at.kids = append(at.kids, &tree{unit: i, members: []int{i}})
	}
	root.gather()
	return root
}

// linear is the place of a work-item in its group.
func linear(r *state.Role) int64 {
	it := &r.Item
	return it.LocalID[0] + it.LocalSize[0]*(it.LocalID[1]+it.LocalSize[1]*it.LocalID[2])
}

// child returns the last inner child if its units are those that are meant, else a new one, whose own children are scheduled by a model.
func (t *tree) child(roles []*state.Role, x Model, means func(*state.Role) bool) *tree {
	if n := len(t.kids); n > 0 {
		if k := t.kids[n-1]; k.unit < 0 && means(roles[k.first()]) {
			return k
		}
	}
	k := &tree{model: x, unit: -1}
	t.kids = append(t.kids, k)
	return k
}

// first returns the first unit below.
func (t *tree) first() int {
	for t.unit < 0 {
		t = t.kids[0]
	}
	return t.unit
}

// gather notes at each node which units are below.
func (t *tree) gather() {
	if t.unit >= 0 {
		t.members = []int{t.unit}
		return
	}
	for _, k := range t.kids {
		k.gather()
		t.members = append(t.members, k.members...)
	}
}

// conduct is what units do for ever in a room, or in part of it.
type conduct struct {
	steps   []bool   // by unit: it makes steps, again and again
	started []bool   // by unit: it has started
	enabled [][]bool // of each profile that comes again and again: by unit, whether it can make a step
}

// off reports whether again and again none of some units can make a step.
func (c *conduct) off(units []int) bool {
	return slices.ContainsFunc(c.enabled, func(e []bool) bool { return !slices.ContainsFunc(units, func(u int) bool { return e[u] }) })
}

func (c *conduct) goes(t *tree) bool {
	return slices.ContainsFunc(t.members, func(u int) bool { return c.steps[u] })
}

func (c *conduct) hasStarted(t *tree) bool {
	return slices.ContainsFunc(t.members, func(u int) bool { return c.started[u] })
}

// guaranteed reports whether child number i of a node is not to be neglected for ever.
func (c *conduct) guaranteed(t *tree, i int) bool {
	switch t.model {
	case Fair:
		return true
	case OBE:
		return c.hasStarted(t.kids[i])
	case HSA:
		return c.lowest(t, i)
	case HSAOBE:
		return c.hasStarted(t.kids[i]) || c.lowest(t, i)
	case LOBE:
		return slices.ContainsFunc(t.kids[i:], c.hasStarted)
	}
	return false
}

// lowest reports whether no lower sibling of child number i can ever make a step.
func (c *conduct) lowest(t *tree, i int) bool {
	for _, k := range t.kids[:i] {
		for _, e := range c.enabled {
			if slices.ContainsFunc(k.members, func(u int) bool { return e[u] }) {
				return false
			}
		}
	}
	return true
}

// ok reports whether the scheduler keeps what it owes to a node and those below.
func (c *conduct) ok(t *tree) bool {
	if c.off(t.members) {
		return true
	}
	if t.unit >= 0 {
		return c.steps[t.unit]
	}
	some := false
	for i, k := range t.kids {
		good := c.ok(k)
		if !good && c.guaranteed(t, i) {
			return false
		}
		some = some || good && c.goes(k)
	}
	return some
}
