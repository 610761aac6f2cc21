// Command typecheck checks the types of all packages, and of their tests, as they are for other systems:
//
//	go run ./internal/testkit/typecheck GOOS/GOARCH...
//
// It reads the sources of all that they import, the standard library's too, and generates no code. So it takes some seconds
// for each system, where building for it takes minutes. It does not see what only a linker does.
//
// It is part of clmc and not of its Go API.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() { os.Exit(run(".", os.Args[1:], os.Stdout)) }

// run checks the module in dir for these systems, and returns the exit code.
func run(dir string, systems []string, to io.Writer) int {
	code := 0
	for _, system := range systems {
		goos, goarch, ok := strings.Cut(system, "/")
		if !ok {
			fmt.Fprintf(to, "%s: want GOOS/GOARCH\n", system)
			return 2
		}
		n, faults, err := check(dir, goos, goarch)
		if err != nil {
			fmt.Fprintf(to, "%s: %v\n", system, err)
			return 2
		}
		fmt.Fprintf(to, "%s: %d packages\n", system, n)
		for _, fault := range faults {
			fmt.Fprintln(to, fault)
			code = 1
		}
	}
	return code
}

// check returns how many packages there are for a system, with all that they import, and what is wrong with them.
func check(dir, goos, goarch string) (n int, faults []string, err error) {
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes,
		Dir:  dir, Tests: true,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
	}, "./...")
	packages.Visit(all, nil, func(p *packages.Package) {
		n++
		for _, e := range p.Errors { // a package is looked at once more with its tests
			if fault := e.Error(); !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	})
	return n, faults, err
}
