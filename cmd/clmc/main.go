// Command clmc is a model checker for concurrent OpenCL programs.
//
// Run clmc --help for its commands, or see docs/cli.md.
package main

import (
	"os"

	"github.com/clmc/clmc/cmd/clmc/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
