package trace

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// frees reports whether the step frees memory.
func (s *Step) frees() bool { return s.Kind == Map && s.instr.Op == ir.OpFree }

// freedBy returns the step that has freed the object which a step works on, or nil.
func (r *execution) freedBy(s *Step) *Step {
	object := func(s *Step) *ir.Object {
		if s.addr&ir.SegMask != ir.SegShared {
			return nil
		}
		return r.p.ObjectAt(-1, int32(s.addr&^ir.SegMask))
	}
	for i := s.ID - 2; i >= 0; i-- {
		if f := &r.t.Steps[i]; f.frees() && object(f) != nil && object(f) == object(s) {
			return f
		}
	}
	return nil
}

// freedMemory says what is wrong about a use of memory that has been freed.
func (r *teller) freedMemory() {
	t, c := r.t, &r.at
	s := t.Step(c.step)
	who := upper(r.who(c.lane))
	if s == nil || r.freedBy(s) == nil {
		t.Message = fmt.Sprintf("%s uses memory that has been freed%s.", who, at(t.At))
		return
	}
	f := r.freedBy(s)
	t.Location, t.Accesses = s.Location, []int{f.ID, s.ID}
	by := r.who(f.Lane)
	if s.frees() {
		t.Message = fmt.Sprintf("%s frees the memory of %s%s, which %s has freed already%s.", who, s.Location, at(t.At), by, at(*f.Pos))
		return
	}
	t.Message = fmt.Sprintf("%s %s %s%s after %s has freed its memory%s.", who, verb(s), s.Location, at(t.At), by, at(*f.Pos))
}

// usedFreed says what to do about it.
func (r *explainer) usedFreed() []Reason {
	s := r.t.Step(r.at.step)
	if s == nil || r.freedBy(s) == nil {
		return nil
	}
	f := r.freedBy(s)
	out := Reason{Kind: "freed", Rule: "OpenCL API section 5.6.1", Steps: []int{f.ID, s.ID}}
	if s.frees() {
		out.Text = "What clSVMAlloc returns is freed once."
		out.Repair = fmt.Sprintf("Leave out one of the two, that%s or that%s.", inLine(*f.Pos), inLine(*s.Pos))
		return []Reason{out}
	}
	out.Text = "Pointers to memory that has been freed lead nowhere, whether host or device follows them."
	out.Repair = fmt.Sprintf("Free the memory%s only after its last use%s.", inLine(*f.Pos), inLine(*s.Pos))
	return []Reason{out}
}

// freed explains a race with a free.
func (q *diagnosis) freed() Reason {
	f, other := q.a, q.b
	if !f.frees() {
		f, other = q.b, q.a
	}
	return Reason{Kind: "freed", Rule: "12.4, 12.5, 12.8; OpenCL API section 5.6.1", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Freeing waits for nobody, and nothing orders what %s does%s (step %d) before the free%s (step %d): the memory may be gone by then.",
			q.who(other.Lane), at(*other.Pos), other.ID, at(*f.Pos), f.ID),
		Repair: "Wait for the command that uses the memory before clSVMFree, by clFinish or clWaitForEvents, or free it by clEnqueueSVMFree, behind that command in the same in-order queue or with its event in the wait list."}
}
