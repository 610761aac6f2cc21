package state

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Limit is a bound of the machine's own, that OpenCL does not have. An execution that goes beyond it is not wrong: nothing
// is known of it.
type Limit uint8

// The limits.
const (
	NoLimit Limit = iota
	TooManyObservations
	TooManyItems
	TooManyCommands
	TooLong
	TooManyReservations
	TooManyChoices
)

// String says what an execution can do that is too much.
func (l Limit) String() string {
	switch l {
	case TooManyObservations:
		return fmt.Sprintf("a unit can observe more than %d values under one name", MaxObservations)
	case TooManyItems:
		return fmt.Sprintf("a kernel can be launched with more than %d work-items, which is as many as clmc can take", ir.MaxItems)
	case TooManyCommands:
		return fmt.Sprintf("a unit can enqueue more than %d commands", maxCommands)
	case TooLong:
		return fmt.Sprintf("a unit can execute more than %d instructions between two operations that others see", endless)
	case TooManyReservations:
		return fmt.Sprintf("a work-item can have more than %d reservations of pipes at a time that are not committed, which is as many as clmc can follow", ir.MaxReservations)
	case TooManyChoices:
		return fmt.Sprintf("Choose can be given more than %d values, which is as many as clmc explores", ir.MaxChoices)
	}
	return ""
}

// checkLimits are the limits that checks guard.
var checkLimits = [...]Limit{ir.CheckReservations: TooManyReservations, ir.CheckChoices: TooManyChoices}

// flood notes that unit u goes beyond a limit, at which the execution is left.
func (s *State) flood(u memmodel.Unit, l Limit) {
	s.MessageBoundHit, s.status[u] = l, Stuck
}
