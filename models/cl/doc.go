// Package cl is the vocabulary of the modelling language: what a model of an
// OpenCL program may say beyond plain Go.
//
// A model is a Go program in package main that imports this package and
// nothing else. It is never run as Go. Package load reads it, and clmc explores
// what OpenCL 2.x allows it to do. Hence every function here panics when
// called: the declarations exist so that the Go type checker, gopls, gofmt and
// go vet work on models.
//
// Names are those of OpenCL C in Go's spelling: atomic_store_explicit is
// [AtomicStoreExplicit], memory_order_acq_rel is [MemoryOrderAcqRel],
// CLK_LOCAL_MEM_FENCE is [CLKLocalMemFence], get_global_id is [GetGlobalID].
// Section numbers refer to "The OpenCL C Specification", version 3.0.
//
// The package declares and does nothing else. Its source is embedded, so that
// models are type-checked against it without a Go toolchain.
package cl

// unreachable is the body of every function of this package.
func unreachable() { panic("cl: models are explored by clmc, not run") }
