// Package lower is the back half of the front ends: it turns blocks of instructions
// over any number of virtual registers into the functions of an ir.Program. It knows
// no source language; a front end knows no registers of the machine.
//
// A front end makes a Program, adds the objects of global memory (Program.Global) and
// the functions (Program.NewFunc), and emits into each Func: Emit any instruction, and
// Bin, Check, Load and their like the common ones, which compute what is known. Names of
// virtual registers, positions (Func.At) and strings are what reports will show.
// Program.Finish then makes the code:
//
//   - It propagates constants and copies, folds, drops checks that an earlier one makes
//     superfluous, and removes what nothing uses (optimise, simplify). Small code makes
//     small states: each step between two visible operations is one of the search's, and
//     each register that matters is part of every state.
//   - It assigns the machine's registers (allocate), those that may point to different
//     objects apart, so that ir.PointsTo can tell which memory an instruction accesses.
//   - It lays the blocks out (linearise), adds the loops that asynchronous copies execute,
//     and drops what counts the rounds of loops in which no work-items meet.
//
// What a front end owes in return:
//
//   - Every register is assigned before it is used, on every way; variables that the
//     source leaves unset get a Move of some value. (A register that is assigned in one
//     place only is taken to stand for what it is assigned.)
//   - All calls are inlined; there is no call instruction. A block has one end: Jump,
//     Branch or End, and Finish wants every block to have ended that can be reached.
//   - What work-items meet at says which loops are around it (ir.Rounds, with numbers of
//     Func.NewLoop), and each of these loops says when a round begins (Func.BeginRound):
//     where its body begins, or, of a loop made by goto, at the jump back. A meeting has the
//     name of its call site as its Str; inlined twice, it has two.
//   - A variable that a pointer may reach in a way that the front end cannot follow has
//     its registers pinned (Func.Pin); any other is a register and nothing more.
//   - Orders, scopes and flags of instructions are constants. For arguments that are not,
//     Func.Cases emits one instruction for each value; Sync.Check tells what OpenCL C rules out.
//
// What is wrong with a model is for the front end to find: this package reports nothing,
// and panics only on what no front end may do.
package lower
