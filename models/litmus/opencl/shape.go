package opencl

// Shape is how instances of a test are laid out in memory and over work-items: the values of
// the scalar arguments of each kernel, from N on in this order.
type Shape struct {
	N     uint32 // a power of two: instances that there is memory for, at least Sets*Iter*Lanes
	Sets  uint32 // groups that play one work-group of the test, for each of its work-groups
	Lanes uint32 // a power of two: work-items that play one thread, each in an instance of its own
	Iter  uint32 // instances that each work-item plays, one after the other
	Step  uint32 // cells between one instance's location and the next one's
	Base  uint32 // cells between two locations of an instance that Turn leaves where they are
	// Turn is even. Location k of instance i is the one numbered i*(1+k*Turn) + k*Turn/2 modulo N: the factor is odd,
	// so that each instance has a cell of its own.
	Turn   uint32
	Gap    uint32 // of so many work-groups one plays: some drivers run neighbours one after the other
	Pair   uint32 // coprime to Sets: work-group g of the test is played for set s*Pair^g modulo Sets
	Twist  uint32 // even: thread t plays instances of a row in the order lane*(1+t*Twist) modulo Lanes
	Spin   uint32 // how often a work-item looks whether all others have come to an instance; 0: it does not
	Delay  uint32 // a mask: up to so many rounds of a loop before a thread begins
	Pre    uint32 // accesses to other memory before a thread begins
	Stress uint32 // accesses to other memory of each work-item of further groups
	Seed   uint32 // of what is random
}

// Instances is how many instances of the test a launch runs.
func (s *Shape) Instances() int { return int(s.Sets) * int(s.Iter) * int(s.Lanes) }

// Args are the values of the scalar arguments of a kernel.
func (s *Shape) Args() []uint32 {
	return []uint32{s.N, s.Sets, s.Lanes, s.Iter, s.Step, s.Base, s.Turn, s.Gap, s.Pair, s.Twist, s.Spin, s.Delay, s.Pre, s.Stress, s.Seed}
}

// scalars are the names of these arguments.
var scalars = []string{"n", "sets", "lanes", "iter", "step", "base", "turn", "gap", "pair", "twist", "spin", "delay", "pre", "stress", "seed"}

// Single is the shape of one instance, with nothing else around it.
func Single() *Shape {
	return &Shape{N: 1, Sets: 1, Lanes: 1, Iter: 1, Step: 1, Base: 1, Gap: 1, Pair: 1}
}

// WorkGroups is how many work-groups play a test that has so many, with those between them.
func (s *Shape) WorkGroups(groups int) int { return int(s.Gap)*(groups*int(s.Sets)-1) + 1 }

// Index is the cell of location k of instance i: what clmc_at computes.
func (s *Shape) Index(k, i int) int {
	at := (uint32(i)*(1+uint32(k)*s.Turn) + uint32(k)*(s.Turn/2)) & (s.N - 1)
	return int(at*s.Step + uint32(k)*s.Base)
}

// Cells is how many cells of memory a number of locations takes.
func (s *Shape) Cells(locations int) int {
	if locations == 0 {
		return 1
	}
	return int((s.N-1)*s.Step) + (locations-1)*int(s.Base) + 1
}

// Starts is how many counters there are on which threads wait for each other.
func (s *Shape) Starts() int { return int(s.Sets * s.Iter) }

// ScratchCells is the size of the memory that further groups access.
const ScratchCells = 1 << 14
