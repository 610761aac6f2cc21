package load

import (
	"go/types"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// lowerNewPipe adds a pipe to the shared segment. Its handle is an address and a number of packets.
func lowerNewPipe(c *call) value {
	n, ok := c.Known(c.operandOf(theNumber))
	packet, bad := c.layout(c.typeArg())
	switch {
	case !ok || n < 1 || n > ir.MaxPipe:
		c.fault(c.pos, "write a constant number of packets", "a pipe has room for a constant number of packets, from 1 to %d", ir.MaxPipe)
		return c.zero(c.ins.Type())
	case bad != nil || packet.Cells() > clc.MaxPacket:
		c.fault(c.pos, "write numbers, and arrays and structs of them", "packets cannot be of type %s", types.TypeString(c.typeArg(), c.qualifier))
		return c.zero(c.ins.Type())
	case c.inLoop(c.ins.Block()):
		c.fault(c.pos, "create one pipe for each call outside the loop", "cl.NewPipe cannot be called in a loop")
		return c.zero(c.ins.Type())
	}
	pipe := &ir.PipeShape{Slots: int(n), Parts: clc.PacketParts(packet)}
	layout := ir.PipeLayout(pipe)
	addr := c.p.Global(ir.Object{Name: orName(c.variableName(), "pipe"), Pos: c.posIn(c.pos, 0), Region: memmodel.Pipe, Kind: memmodel.SystemSVM,
		Layout: layout, Init: make([]int64, layout.Cells()), Pipe: pipe})
	return value{regs: []int32{c.Constant(addr), c.Constant(n)}}
}

// packetOf returns the type of the packets of a pipe.
func packetOf(t types.Type) (types.Type, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != vocabularyPath || n.Obj().Name() != "Pipe" {
		return t, false
	}
	return n.TypeArgs().At(0), true
}
