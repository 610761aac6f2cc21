// Package device runs programs on the OpenCL that a computer has, and says what it has.
//
// API is what is used of OpenCL, some twenty calls; a library that is loaded when it is needed implements it, and
// in tests a Go program that behaves as it is told. A Session runs jobs through it. Whatever a
// driver does to its process, it does to a child: Serve is that child, and a Client asks it and ends it when it
// does not answer.
package device
