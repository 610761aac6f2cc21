package litmus

import "github.com/clmc/clmc/memmodel"

// places returns the place of every thread, in the order of f.threads.
func (l *lowerer) places() []memmodel.Place {
	if l.tree != nil {
		return l.treePlaces()
	}
	return l.headerPlaces()
}

// treePlaces reads the scope tree. Each thread must occur in it once.
func (l *lowerer) treePlaces() []memmodel.Place {
	w := treeWalk{lowerer: l, place: map[int]memmodel.Place{}}
	w.walk(l.tree, memmodel.Place{}, levelRoot)
	list := make([]memmodel.Place, len(l.threads))
	for i, t := range l.threads {
		p, ok := w.place[t.num]
		if !ok {
			l.failf(l.treePos, "the scope tree does not contain P%d", t.num)
		}
		if t.at != nil {
			l.failf(t.at.pos, "P%d is placed by its header and by the scope tree", t.num)
		}
		list[i] = p
	}
	return list
}

// treeWalk numbers the nodes of a scope tree. Devices and kernel-instances
// count throughout the test, work-groups within their kernel-instance,
// sub-groups within their work-group.
type treeWalk struct {
	*lowerer
	place   map[int]memmodel.Place // by thread number
	devices uint16
	kernels uint32
}

// walk places the nodes below a node of the given level. Those that leave out
// the device or the kernel have one in common; those that leave out the
// work-group or the sub-group have one each.
func (w *treeWalk) walk(list []*node, at memmodel.Place, above level) {
	var groups, subs uint16
	var device *uint16
	var kernel *uint32
	for _, n := range list {
		p := at
		if above < levelDevice && n.level >= levelDevice {
			p.Device = share(&device, &w.devices, n.level > levelDevice)
		}
		if above < levelKernel && n.level >= levelKernel {
			p.Kernel = share(&kernel, &w.kernels, n.level > levelKernel)
		}
		if above < levelGroup && n.level >= levelGroup {
			p.Group, groups = groups, groups+1
		}
		if above == levelGroup { // n is a sub-group, or a thread that leaves it out
			p.Sub, subs = subs, subs+1
		}
		if n.level < levelThread {
			w.walk(n.children, p, n.level)
			continue
		}
		w.leaf(n, p)
	}
}

// share returns the next number of a level, or, for nodes that leave the
// level out, the one number that they have in common.
func share[N uint16 | uint32](common **N, count *N, leftOut bool) N {
	if leftOut && *common != nil {
		return **common
	}
	n := *count
	*count++
	if leftOut {
		*common = &n
	}
	return n
}

func (w *treeWalk) leaf(n *node, p memmodel.Place) {
	if w.byNumber[n.thread] == nil {
		w.failf(n.pos, "the scope tree names P%d, which does not exist", n.thread)
	}
	if _, ok := w.place[n.thread]; ok {
		w.failf(n.pos, "P%d is in the scope tree twice", n.thread)
	}
	w.place[n.thread] = p
}

// headerPlaces reads the headers P0@sg 0, wg 0, dev 0. Without any, all
// threads are on one device and each is a work-group of its own.
func (l *lowerer) headerPlaces() []memmodel.Place {
	list := make([]memmodel.Place, len(l.threads))
	placed := l.threads[0].at != nil
	kernels := map[int]uint32{} // by device
	for i, t := range l.threads {
		if (t.at != nil) != placed {
			l.hintf(t.pos, "write P0@wg 0, dev 0 (...) for every thread, or for none", "either all threads have a place in their header or none")
		}
		if !placed {
			list[i].Group = uint16(i)
			continue
		}
		device := max(t.at.device, 0)
		if _, ok := kernels[device]; !ok {
			kernels[device] = uint32(len(kernels))
		}
		list[i] = memmodel.Place{Device: uint16(device), Kernel: kernels[device], Group: uint16(max(t.at.group, 0)), Sub: l.sub(t, i)}
	}
	return list
}

// sub returns the sub-group of a thread placed by its header: numbers that
// cannot be written stand for those that are not.
func (l *lowerer) sub(t *thread, i int) uint16 {
	if t.at.sub < 0 {
		return uint16(maxThreadNumber + 1 + i)
	}
	return uint16(t.at.sub)
}
