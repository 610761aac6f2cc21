package state

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// commandClasses numbers the classes of commands of a cast that nobody can tell apart if
// their work-items cannot be, from 1: 0 stands for one that is alone.
// docs/exploration/symmetry.md, "What may be exchanged".
func (m *Machine) commandClasses(c *Cast) []int {
	class, keys, members := make([]int, len(c.Units)), make([]string, len(c.Units)), map[string]int{}
	dependents := c.dependents()
	for u := range c.Count() {
		if keys[u] = m.commandKey(c, u); keys[u] != "" {
			keys[u] += string(dependents[c.Units[u].ID])
			members[keys[u]]++
		}
	}
	number := map[string]int{}
	for u, k := range keys {
		if members[k] < 2 {
			continue
		}
		if number[k] == 0 {
			number[k] = 1 + len(number)
		}
		class[u] = number[k]
	}
	return class
}

// commandKey returns what tells command u from others but for its work-items and who depends on
// it, "" if it is no command that has started, or stays where it is.
func (m *Machine) commandKey(c *Cast, u memmodel.Unit) string {
	cmd := c.Units[u].cmd
	by, ok := c.parent(u)
	if !ok || cmd.Kind > NativeCommand || !cmd.started || m.Asks[cmd.Func].Observes {
		return ""
	}
	if _, told := c.Units[u].status.get(); told || m.named(c, u, by) {
		return ""
	}
	key := *cmd
	key.Parent, key.PC = 0, 0
	k := binary.AppendVarint(key.hash(nil), int64(c.Units[by].command))
	for _, p := range m.parameters(c, &Role{Func: cmd.Func, command: u}) {
		k = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(k, p.Lo), p.Hi), p.Step)
	}
	return string(k)
}

// named reports whether unit `by`, which has enqueued command u, may go on to name its event.
func (m *Machine) named(c *Cast, u, by memmodel.Unit) bool {
	f, pc := m.Program.Funcs[c.Units[by].Func], c.Units[u].cmd.PC
	event := f.Code[pc].Dst2
	if c.Units[by].Place.Host {
		event = f.Code[pc].Dst
	}
	return event >= 0 && f.LiveAt(pc+1, int(event))
}

// dependents tells, by ID, which commands have a unit in which of their lists.
func (c *Cast) dependents() map[uint64][]byte {
	dependents := map[uint64][]byte{}
	for w := range c.Units {
		if cmd := c.Units[w].cmd; cmd != nil {
			for i, list := range [...][]uint64{cmd.Events, cmd.After, cmd.past, {cmd.Begun}} {
				for _, id := range list {
					dependents[id] = append(binary.AppendUvarint(dependents[id], uint64(w)), byte(i))
				}
			}
		}
	}
	return dependents
}

// command finds whether command u may be exchanged, with the units that execute it.
func (b *symmetryBuilder) command(u memmodel.Unit, groups []block) {
	blk := block{units: []int32{int32(u)}}
	var parts []block
	for v := range b.c.Count() {
		unit := &b.c.Units[v]
		switch {
		case unit.command != u:
		case unit.Group < 0:
			parts = append(parts, block{units: []int32{int32(v)}, shape: b.kinds[v]})
		case b.c.Groups[unit.Group].Units[0] == v:
			parts = append(parts, groups[unit.Group])
		}
	}
	slices.SortStableFunc(parts, func(p, q block) int { return cmp.Compare(p.shape, q.shape) })
	k := binary.AppendVarint([]byte{0}, int64(b.classes[u]))
	for _, p := range parts {
		if p.shape == "" {
			return
		}
		blk.units, blk.groups = append(blk.units, p.units...), append(blk.groups, p.groups...)
		k = append(binary.AppendUvarint(k, uint64(len(p.shape))), p.shape...)
	}
	blk.shape = string(k)
	b.kinds[u] = blk.shape
	b.add(levelCommand, blk.shape, blk)
}
