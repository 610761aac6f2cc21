package clc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// pipeArg makes a pipe: p=pipe[4]; or finds that of the same name.
func (l *launcher) pipeArg(x *code.Launch, r *request, v *tree.Var, what string, given bool) code.Arg {
	hint := fmt.Sprintf("add: --arg %s=pipe[4], with the number of packets that the pipe can hold, at most %d", v.Name, ir.MaxPipe)
	if !given {
		if old := l.buffers[v.Name]; old != nil && old.Pipe && old.Elem == v.Type.Elem {
			return code.Arg{Buffer: old}
		}
		l.fault(r.at, hint, "%s needs a pipe for its argument %s", x.Kernel.Name, v.Name)
		return code.Arg{}
	}
	words, ok := strings.CutPrefix(what, "pipe[")
	size, closed := strings.CutSuffix(words, "]")
	n, err := strconv.Atoi(size)
	if !ok || !closed || err != nil || n < 1 || n > ir.MaxPipe {
		l.fault(r.at, hint, "%q does not describe a pipe", what)
		return code.Arg{}
	}
	if v.Type.Elem.Size() > MaxPacket {
		l.fault(r.at, "", "packets of %s are larger than %d bytes, the limit of clmc", v.Type.Elem, MaxPacket)
		return code.Arg{}
	}
	b := &code.Buffer{Name: v.Name, Elem: v.Type.Elem, Len: n, Pipe: true}
	l.buffers[v.Name], l.fresh[v.Name] = b, b
	return code.Arg{Buffer: b}
}

// MaxPacket bounds the size of a packet, in bytes; CL_DEVICE_PIPE_MAX_PACKET_SIZE is at least that.
const MaxPacket = 1024

// PacketParts returns the cells that a packet of some shape takes in a pipe.
func PacketParts(l *ir.Layout) []ir.PipePart { return code.PacketParts(l) }

// oneEnd sees that a kernel has one end only of each pipe (rule 14.2).
func (l *launcher) oneEnd(x *code.Launch, r *request) {
	ends := map[*code.Buffer]*tree.Var{}
	for i, a := range x.Args {
		v := x.Kernel.Params[i]
		if a.Buffer == nil || !a.Buffer.Pipe {
			continue
		}
		if other := ends[a.Buffer]; other != nil && other.Type.Access != v.Type.Access {
			l.fault(r.at, "give them two pipes", "%s and %s are both ends of one pipe: a kernel cannot read from and write to the same pipe object (OpenCL C 6.15.16)", other.Name, v.Name)
		}
		ends[a.Buffer] = v
	}
}
