// Package opencl writes litmus tests as programs in OpenCL C that real devices can run, many
// instances of a test at a time, and says what a host has to know to launch them and to read
// what they leave.
//
// It knows no device: Emit makes a Kernel of a test under a Mapping, Source puts kernels together
// to one program, and a Shape says how many instances there are, where their locations lie,
// and who plays which role.
//
// The package is a part of clmc and not of its Go API, which is models/check: it may change
// with any version.
package opencl
