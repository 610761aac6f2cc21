// Package bench measures the search on families of programs that grow with a
// parameter. Each family is a model in a folder of its own, so that clmc can
// explore it at any size:
//
//	clmc explore models/bench/ainc -D n=6
//
// A table over growing sizes is printed by
//
//	go test ./models/bench -run TestTable -table
//
// and docs/performance.md discusses it.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package bench
