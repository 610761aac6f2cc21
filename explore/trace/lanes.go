package trace

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// board keeps the lanes, and which lane each unit of the present cast is.
type board struct {
	lanes []Lane
	funcs []int          // by lane: the function that it executes
	index map[uint64]int // by the ID of its unit: host threads may have one name, and one of them may have gone before the other comes
	cast  *state.Cast
	of    []int           // lane of each unit of cast; -1 for commands
	units []memmodel.Unit // by lane: its unit in cast, or -1; lanes that came later have none
}

// assign gives each unit of a cast its lane.
func (b *board) assign(c *state.Cast) {
	if b.cast == c {
		return
	}
	b.cast = c
	b.of = make([]int, len(c.Units)) // fresh: callers keep the old one
	for u := range c.Units {
		b.of[u] = b.lane(&c.Units[u])
	}
	b.units = slices.Repeat([]memmodel.Unit{-1}, len(b.lanes))
	for u, l := range b.of {
		if l >= 0 {
			b.units[l] = memmodel.Unit(u)
		}
	}
}

func (b *board) lane(u *state.Role) int {
	if u.Func < 0 {
		return -1
	}
	i, ok := b.index[u.ID]
	if !ok {
		i = len(b.lanes)
		b.index[u.ID] = i
		b.funcs = append(b.funcs, u.Func)
		p := u.Place
		b.lanes = append(b.lanes, Lane{Name: u.Name, Host: p.Host, Device: int(p.Device), Kernel: int(p.Kernel),
			Group: int(p.Group), SubGroup: int(p.Sub), Copy: u.Copy > 0, place: p})
	}
	return i
}

// unit returns the unit that lane l is in the present cast, or -1.
func (b *board) unit(l int) memmodel.Unit {
	if l < 0 || l >= len(b.units) {
		return -1
	}
	return b.units[l]
}

// distinguish renames lanes of several instances of one kernel.
func (b *board) distinguish() {
	instances := map[string]int{}
	for i := range b.lanes {
		l := &b.lanes[i]
		instances[l.Name]++
		if n := instances[l.Name]; n > 1 {
			l.Name = fmt.Sprintf("%s#%d", l.Name, n)
		}
	}
}
