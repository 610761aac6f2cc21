// Package code turns checked OpenCL C, the typed tree of package tree, and a plan of
// what the host does with it into an [ir.Program]. It makes blocks of instructions over virtual
// registers; package lower makes them small and lays them out.
//
// How OpenCL C is seen:
//
//   - A value is a list of operands, one for each scalar in it: a vector of four lanes has
//     four. Operations on vectors are done lane by lane.
//   - Memory is made of cells, each a whole scalar, as package ir has it. A vector of three lanes
//     takes four cells, so that a pointer to a vector and one to its element count the
//     same cells. A plain access to a vector is one to each of its lanes: OpenCL promises no more.
//   - A pointer is three operands: the address of an object, a distance in cells, and the number
//     of the object's cells. What is done through it is checked to lie in the object. Nearly always
//     the first and the last are constants, and the check is one comparison.
//   - A variable is registers, unless its address is taken: then its registers are pinned.
//   - All calls are inlined. Arguments that the launch fixes are built into the kernel's
//     code, so that one kernel launched twice is two functions.
//   - A variable without initialiser, or whose declaration a jump passes over, holds [ir.Unwritten], and reading it is a violation.
//
// What cannot be lowered yet is reported with its place; nothing is left out silently.
package code
