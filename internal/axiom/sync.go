package axiom

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// The happens-before relations are indexed by region. The last is the part of ghb
// that counts for memory that is not fine-grained: synchronisation of devices with
// each other or with the host does not (rules 2.1, 2.2, 12.21), nor does an
// enqueue by a kernel (12.1).
const (
	global = memmodel.Global
	local  = memmodel.Local
	image  = memmodel.Image
	coarse = 3
)

var regionFlag = [3]memmodel.Flags{global: memmodel.GlobalFence, local: memmodel.LocalFence, image: memmodel.ImageFence}

// region returns the region of the location of an access.
func (c *candidate) region(i int) memmodel.Region { return c.e.locs[c.events[i].loc].region }

// ordering returns the relation that orders the accesses of the location of an
// access.
func (c *candidate) ordering(i int) relation { return c.hb[c.memory(i)] }

// memory returns the index of that relation.
func (c *candidate) memory(i int) int {
	l := &c.e.locs[c.events[i].loc]
	if l.region == global && !l.kind.Fine() && !c.e.spec.Kindless {
		return coarse
	}
	return int(l.region)
}

// happens computes ghb, its coarse part, and lhb (rule 5.5), and the same for
// images, where a write does not happen before a read just for being earlier in its
// thread (rule 6.10).
func (c *candidate) happens() {
	by := c.synchronises()
	sw := [4]relation{by[global], by[local], by[image], c.withinDevices(by[global])}
	for r := range c.hb {
		if c.hb[r] = c.sure[r]; sw[r].empty() {
			continue
		}
		h := newRelation(len(c.events))
		h.include(c.sure[r])
		h.include(sw[r])
		h.close()
		c.hb[r] = h
	}
}

// surely computes the part of happens-before that does not depend on what is read.
func (c *candidate) surely() {
	for r := range c.sure {
		region := memmodel.Region(r % coarse)
		nodes := c.actionsOf(region)
		h := newRelation(len(c.events))
		for i := range h {
			switch {
			case !nodes.has(i):
			case c.events[i].initial():
				h[i] = nodes & c.proper()
			default:
				h[i] = c.po[i] & nodes
				if region == image && c.events[i].access() && c.events[i].isWrite() {
					h[i] &^= c.reads()
				}
			}
			if r != int(local) {
				h[i] |= c.cmds.order[i]
			}
			if r == int(global) {
				h[i] |= c.cmds.fine[i]
			}
		}
		h.close()
		c.sure[r] = h
	}
}

// withinDevices returns the pairs of events of one device, or of the host.
func (c *candidate) withinDevices(sw relation) relation {
	out := newRelation(len(sw))
	for i := range sw {
		for k := range sw[i].all() {
			p, q := c.e.threads[c.events[i].thread].Place, c.e.threads[c.events[k].thread].Place
			if p.Host && q.Host || !p.Host && !q.Host && p.Device == q.Device {
				out.add(i, k)
			}
		}
	}
	return out
}

// reads is the set of the events that read.
func (c *candidate) reads() (s set) {
	for _, r := range c.readers {
		s.add(r)
	}
	return s
}

// proper is the set of the events that are not initial writes.
func (c *candidate) proper() (s set) {
	for i := range c.events {
		if !c.events[i].initial() {
			s.add(i)
		}
	}
	return s
}

// actionsOf returns the actions of a region's happens-before: accesses to it,
// fences with its flag and, if the text is read so, all seq_cst operations
// (rules 5.5, 6.8).
func (c *candidate) actionsOf(r memmodel.Region) (s set) {
	for i := range c.events {
		v := &c.events[i]
		switch {
		case v.access():
			if c.region(i) == r {
				s.add(i)
			}
		case v.flags&regionFlag[r] != 0 && v.order != memmodel.Relaxed:
			s.add(i)
		}
		if v.seqCst() && c.e.spec.SCBoth && r != image {
			s.add(i)
		}
	}
	return s
}

// synchronises computes global- and local-synchronizes-with.
func (c *candidate) synchronises() (sw [3]relation) {
	n := len(c.events)
	sw = [3]relation{newRelation(n), newRelation(n), newRelation(n)}
	for _, y := range c.readers {
		if c.events[y].atomic() {
			c.syncThrough(y, sw)
		}
	}
	for i := range c.join { // rule 11.3
		for k := range c.join[i].all() {
			for r, flag := range regionFlag {
				if i, k := &c.events[i], &c.events[k]; i.thread == k.thread || i.flags&k.flags&flag == 0 {
					continue
				}
				sw[r].add(i, k)
			}
		}
	}
	if c.e.why != nil {
		for r := range sw {
			c.direct[r] = slices.Clone(sw[r])
		}
	}
	for i := range sw[0] {
		for k := range (sw[0][i] | sw[1][i]).all() {
			if c.crosses(i, k) {
				sw[0].add(i, k)
				sw[1].add(i, k)
			}
		}
	}
	return sw
}

// syncThrough adds the edges of rules 6.1 to 6.6 for which y is the atomic
// read.
func (c *candidate) syncThrough(y int, sw [3]relation) {
	loc, r := c.events[y].loc, c.region(y)
	for x := range c.headsOf(c.source[y]).all() {
		for _, a := range c.releases(x, r) {
			for _, b := range c.acquires(y, r) {
				if c.events[a].thread != c.events[b].thread && c.inclusive(a, b, loc) {
					sw[r].add(a, b)
				}
			}
		}
	}
}

// headsOf returns the atomic writes in whose release sequence, real or
// hypothetical, w lies: the writes between are read-modify-writes or by the
// head's own thread (rule 5.4).
func (c *candidate) headsOf(w int) (heads set) {
	order := c.order[c.events[w].loc]
	at := 0
	for order[at] != w {
		at++
	}
	for h := at; h >= 0; h-- {
		head, intact := &c.events[order[h]], true
		for _, k := range order[h+1 : at+1] {
			v := &c.events[k]
			intact = intact && (v.kind == update || v.thread == head.thread)
		}
		if intact && head.atomic() && !head.initial() {
			heads.add(order[h])
		}
	}
	return heads
}

// releases lists what may release through the atomic write x: x itself and the
// release fences before it that have the region's flag.
func (c *candidate) releases(x int, r memmodel.Region) (list []int) {
	if c.events[x].order.Releases() {
		list = append(list, x)
	}
	for i := range c.events {
		v := &c.events[i]
		if !v.access() && v.order.Releases() && v.flags&regionFlag[r] != 0 && c.po.has(i, x) {
			list = append(list, i)
		}
	}
	return list
}

// acquires lists what may acquire through the atomic read y, likewise.
func (c *candidate) acquires(y int, r memmodel.Region) (list []int) {
	if c.events[y].order.Acquires() {
		list = append(list, y)
	}
	for i := range c.events {
		v := &c.events[i]
		if !v.access() && v.order.Acquires() && v.flags&regionFlag[r] != 0 && c.po.has(y, i) {
			list = append(list, i)
		}
	}
	return list
}

// crosses reports whether synchronisation of a with b in one region implies it
// in the other: two seq_cst operations (rule 6.8), two fences that both have
// both flags (rule 6.7).
func (c *candidate) crosses(a, b int) bool {
	x, y := &c.events[a], &c.events[b]
	if x.seqCst() && y.seqCst() {
		return true
	}
	const both = memmodel.GlobalFence | memmodel.LocalFence
	return !x.access() && !y.access() && x.flags&y.flags&both == both
}
