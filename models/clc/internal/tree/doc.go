// Package tree is OpenCL C after checking: a typed tree that says everything and
// leaves nothing to look up. Package check makes it; what lowers it needs neither the
// text, nor the parser's tree, nor the rules of C.
//
// What holds for every [Unit]:
//
//   - Every expression has a type, and its type is never a qualified one: qualifiers and
//     the address space belong to places (see [Lvalue]).
//   - Every implicit conversion is a node: [Load] reads a place, [Decay] turns an array
//     into a pointer, [Convert] changes a type, [Splat] widens a scalar to a vector. The
//     operands of an arithmetic [Binary] have one and the same type.
//   - The usual promotions are done: nothing narrower than int is computed with, except
//     in the lanes of vectors.
//   - Integer and floating constant expressions are folded to [Const], also sizeof,
//     enumerators, CLK_*, memory_order_* and the like.
//   - Names are resolved: a variable is a *[Var], a function a *[Func], a label a
//     *[Label], a member an index into its [Record], swizzles are lists of lanes.
//   - Calls form a graph without cycles, and [Unit.Funcs] has callees before callers.
//     Function pointers, variable-length arrays, bit-fields and inline assembly do not
//     occur, nor does control flow that is irreducible.
//   - Built-in functions are [BuiltinCall]s with arguments converted to the types of the
//     chosen overload. The list of them is the table of package check.
//
// What is undefined at run time (a shift too far, a division by zero, an overflow) is not
// judged here.
package tree
