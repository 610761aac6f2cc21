package lower

// dominators holds, for each of the ordered blocks, its immediate dominator.
type dominators struct{ up []int }

// findDominators computes dominators by the algorithm of Cooper, Harvey and Kennedy.
func findDominators(blocks []*Block) *dominators {
	preds := predecessors(blocks)
	d := &dominators{up: make([]int, len(blocks))}
	for i := range d.up {
		d.up[i] = -1
	}
	d.up[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(blocks); i++ {
			up := -1
			for _, p := range preds[i] {
				switch {
				case d.up[p.num] < 0:
				case up < 0:
					up = p.num
				default:
					up = d.meet(up, p.num)
				}
			}
			if d.up[i] != up {
				d.up[i], changed = up, true
			}
		}
	}
	return d
}

func (d *dominators) meet(a, b int) int {
	for a != b {
		for a > b {
			a = d.up[a]
		}
		for b > a {
			b = d.up[b]
		}
	}
	return a
}

// dominates reports whether every path to b passes a.
func (d *dominators) dominates(a, b *Block) bool {
	n := b.num
	for n > a.num {
		n = d.up[n]
	}
	return n == a.num
}
