package load

import "github.com/clmc/clmc/state/ir"

// collective emits the meeting at a collective function and returns its result.
func (c *call) collective(t ir.Type, from int32) value {
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpCollective, Group: c.group, Alu: c.alu, Type: t, SubGroup: c.sub, Dst: r,
		Str: c.p.Str(c.site(c.pos) + c.path), Rounds: c.rounds(), B: c.operandOf(theOperand), C: from})
	return one(r)
}

// lowerCollective lowers all, any, reductions and scans.
func lowerCollective(c *call) value {
	t := c.scalar(c.val[theOperand].Type())
	if c.alu == ir.Add && t.Float() {
		c.fault(c.pos, "write instead: integers that stand for the floats, or a loop that adds them in the order that you mean",
			"cl.%s of floats: OpenCL leaves the order of the additions open, and with it the result (OpenCL C 6.15.16)", c.name)
	}
	return c.collective(t, c.Constant(0))
}

// lowerBroadcast lowers a broadcast. The machine sees to it that all name the
// same work-item; that there is one is checked here, in each dimension.
func lowerBroadcast(c *call) value {
	from := c.Constant(0)
	if c.sub {
		from = c.operandOf(theNumber)
		c.checkID(from, ir.QuerySubGroupSize, 0)
	} else if ids, ok := c.localIDs(); ok {
		for d := len(ids) - 1; d >= 0; d-- {
			size := c.ask(ir.QueryLocalSize, d)
			from = c.Bin(ir.Add, ir.I64, c.Bin(ir.Mul, ir.I64, from, size), ids[d])
			c.checkID(ids[d], ir.QueryLocalSize, d)
		}
	}
	return c.collective(c.scalar(c.val[theOperand].Type()), from)
}

// localIDs returns the local ID that a call of WorkGroupBroadcast names.
func (c *call) localIDs() (ids []int32, ok bool) {
	list := c.arg[theNumbers].list
	if len(list) < 1 || len(list) > 3 {
		c.fault(c.pos, "write the local ID in one, two or three dimensions, as in cl.WorkGroupBroadcast(x, 0)",
			"cl.%s takes one to three local IDs, not %d", c.name, len(list))
		return nil, false
	}
	for _, v := range list {
		ids = append(ids, c.reg(v))
	}
	return ids, true
}

// checkID emits a test that an ID lies within what a query answers.
func (c *call) checkID(id int32, q ir.Query, dim int) {
	c.Check(ir.CheckArgument, c.Bin(ir.Lt, ir.U64, id, c.ask(q, dim)), "the ID of "+c.name+" must be that of a work-item of the group")
}

// ask emits a work-item function.
func (c *call) ask(q ir.Query, dim int) int32 { return c.Query(q, c.Constant(int64(dim))) }
