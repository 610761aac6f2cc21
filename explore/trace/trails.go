package trace

// trails are the ways that lanes have gone through their code.
type trails struct {
	of  [][]int32 // by lane: the instructions that it has come to, in their order
	all int       // how many of all lanes
	cut bool      // there were too many
}

// maxTrail bounds the instructions that are noted.
const maxTrail = 1 << 20

// walk notes the instruction that a lane comes to.
func (w *trails) walk(lane, pc int) {
	for len(w.of) <= lane {
		w.of = append(w.of, nil)
	}
	if w.all++; w.all > maxTrail {
		w.cut = true
		return
	}
	w.of[lane] = append(w.of[lane], int32(pc))
}

// length returns how many instructions a lane has come to, as far as they are noted.
func (w *trails) length(lane int) int {
	if lane >= len(w.of) {
		return 0
	}
	return len(w.of[lane])
}

// passes counts how often the lane of a step has come by an instruction before it; -1 if that is not known.
func (w *trails) passes(s *Step, pc int) int {
	var trail []int32
	if s.Lane < len(w.of) {
		trail = w.of[s.Lane]
	}
	if w.cut || s.ID == 0 || s.trail > len(trail) {
		return -1
	}
	n := 0
	for _, at := range trail[:s.trail] {
		if int(at) == pc {
			n++
		}
	}
	return n
}
