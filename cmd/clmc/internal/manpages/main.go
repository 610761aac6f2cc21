// Command manpages writes the manual pages of clmc and its commands into a folder: manpages DIR. Releases have them; clmc itself
// does not link what writes them.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/clmc/clmc/cmd/clmc/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpages DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	never := time.Unix(0, 0).UTC() // pages are the same however late they are written
	return doc.GenManTree(cli.Commands(), &doc.GenManHeader{Title: "CLMC", Section: "1", Source: "clmc", Date: &never}, dir)
}
