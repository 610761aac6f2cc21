// Package clc loads OpenCL C: a kernel file with how it is launched becomes an ir.Program.
//
// A launch is said in flags (Options), in lines of the kernel file (//clmc:launch and
// //clmc:assert), or in a file of Oclgrind's, which names the kernel file (File, by its
// ending .sim). All of them make one thing, a plan of what the host does: it launches kernels
// one after the other, waits for each, and looks at what they leave.
//
// The package is a part of clmc and not of its Go API, which is models/check: it may change
// with any version.
package clc
