package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/scaffold"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/clc/skeleton"
)

const initLong = `Write the files of a module of models into the folder DIR, by default the current one: go.mod,
the vocabulary that models import (in .clmc, so that no network is needed), a first model,
checks.yaml for clmc run, a workflow for a CI service, and tasks for VS Code (.vscode/tasks.json)
that show what clmc finds at its line. Editors with gopls, go vet and clmc
then agree about the models. If DIR already holds models or kernels (.cl), checks.yaml lists
those, and no model is written. To explore a kernel file, no module is needed.

Files that exist are kept, unless --force is given. An existing go.mod or tasks.json is never
changed; for go.mod clmc prints the command that adds what it needs.

With a kernel file instead of DIR, write a host program in Go beside it: reduce.go for
reduce.cl, with a launch of each kernel and memory for its arguments. With --launch, write
instead a kernel file that includes it and has a //clmc:launch line: reduce_launch.cl, or
one for each kernel if there are several. Sizes and arguments are guessed.`

const initExample = `  clmc init              in the current folder
  clmc init kernels      in the folder kernels, which is created if needed
  clmc init --force      write the files again, as this version of clmc has them
  clmc init reduce.cl    write a host program for the kernels of a file
  clmc init reduce.cl --launch
                         write reduce_launch.cl, which says how it is launched`

func (a *app) initCommand() *cobra.Command {
	var force, launch bool
	var kernels buildFlags
	cmd := &cobra.Command{
		Use:     "init [DIR | KERNEL.cl]",
		Short:   "Start a module of models: go.mod, vocabulary, model, checks, CI",
		Long:    initLong,
		Example: initExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			switch isKernel := filepath.Ext(dir) == clc.Ext; {
			case launch && !isKernel:
				return errors.New("--launch: name a kernel file, such as reduce.cl")
			case launch:
				return a.initLaunch(cmd.Context(), dir, kernels.options(), force)
			case isKernel:
				return a.initHost(cmd.Context(), dir, kernels.options(), force)
			}
			return a.initModule(cmd.Context(), dir, force)
		},
	}
	kernels.add(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "replace existing files, except go.mod and tasks.json")
	cmd.Flags().BoolVar(&launch, "launch", false, "of a kernel file: write a file that says how it is launched")
	return cmd
}

// buildFlags say how a kernel file is read.
type buildFlags struct {
	include, defines []string
	std              string
}

func (b *buildFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&b.include, "include", "I", nil, "a folder for #include in the kernel file (repeatable)")
	flags.StringArrayVarP(&b.defines, "define", "D", nil, "a macro of the kernel file, NAME or NAME=VALUE (repeatable)")
	flags.StringVar(&b.std, "cl-std", "", "the version of OpenCL C of the kernel file, from CL1.0 to CL3.0")
}

func (b *buildFlags) options() clc.Options {
	return clc.Options{Include: b.include, Defines: b.defines, Std: b.std}
}

// initHost writes a host program for a kernel file.
func (a *app) initHost(ctx context.Context, path string, opt clc.Options, force bool) error {
	text, err := guard.Read(ctx, "load", func() ([]byte, error) { return skeleton.Write(path, opt) })
	if err != nil {
		return inputError{err}
	}
	dir, name := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), clc.Ext)+".go"
	all := []scaffold.File{{Name: name, Text: string(text)}}
	done, err := scaffold.Write(dir, all, force)
	if err != nil {
		return inputError{regular.Fault(dir, err)}
	}
	a.tellFiles(dir, all, done)
	fmt.Fprintf(a.out, "\nNext:\n  clmc explore %s\n", shell.Word(filepath.Join(dir, name)))
	return nil
}

// initLaunch writes files that include a kernel file and say how it is launched, one for each kernel.
func (a *app) initLaunch(ctx context.Context, path string, opt clc.Options, force bool) error {
	list, err := guard.Read(ctx, "load", func() ([]*clc.Guess, error) { return clc.Guesses(path, opt, 1) })
	switch {
	case err != nil:
		return inputError{err}
	case len(list) == 0:
		return inputError{fmt.Errorf("%s: there is no kernel in it", visible.Line(path))}
	}
	dir, base := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), clc.Ext)
	var all []scaffold.File
	for _, g := range list {
		name := base + "_launch" + clc.Ext
		if len(list) > 1 {
			name = base + "_" + g.Options.Kernel + "_launch" + clc.Ext
		}
		all = append(all, scaffold.File{Name: name, Text: launchText(filepath.Base(path), g)})
	}
	done, err := scaffold.Write(dir, all, force)
	if err != nil {
		return inputError{regular.Fault(dir, err)}
	}
	a.tellFiles(dir, all, done)
	fmt.Fprintf(a.out, "\nNext: change the sizes and arguments to those that the kernel is for, then\n  clmc explore %s\n", shell.Word(filepath.Join(dir, all[0].Name)))
	return nil
}

// launchText is a file that launches a kernel of another file.
func launchText(file string, g *clc.Guess) string {
	return fmt.Sprintf(`// How %s of %s is launched, for clmc explore and clmc test. The sizes and arguments are guessed: change them to those
// that the kernel is for. Lines such as //clmc:assert out[0] == 28 say what must hold then.
%s
//clmc:expect verified
#include "%s"
`, g.Options.Kernel, file, g.Line(), file)
}

// initModule writes the files of a module of models.
func (a *app) initModule(ctx context.Context, dir string, force bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return inputError{fmt.Errorf("%s: want a folder", visible.Line(dir))}
	}
	all, err := guard.Read(ctx, "find", func() ([]scaffold.File, error) { return scaffold.Module(dir) })
	if err != nil {
		return inputError{err}
	}
	done, err := scaffold.Write(dir, all, force)
	if err != nil {
		return inputError{regular.Fault(dir, err)}
	}
	a.tellFiles(dir, all, done)
	if done["go.mod"] == scaffold.Left && !namesVocabulary(dir) {
		fmt.Fprintf(a.out, "\ngo.mod exists already and does not name the vocabulary. This adds it, without a network:\n  cd %s && %s\n",
			shell.Word(dir), scaffold.Edit())
	}
	fmt.Fprint(a.out, "\nNext:\n")
	if filepath.Clean(dir) != "." {
		fmt.Fprintf(a.out, "  cd %s\n", shell.Word(dir))
	}
	fmt.Fprintln(a.out, "  clmc run checks.yaml")
	return nil
}

// namesVocabulary reports whether the go.mod of a folder has clmc replaced.
func namesVocabulary(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.Contains(string(text), "github.com/clmc/clmc => ./"+scaffold.Vocabulary)
}

// tellFiles says what became of files, the vocabulary as one.
func (a *app) tellFiles(dir string, all []scaffold.File, done map[string]scaffold.Outcome) {
	words := map[scaffold.Outcome]string{
		scaffold.Written: "written", scaffold.Same: "unchanged", scaffold.Left: "exists, kept (--force replaces it)", scaffold.Replaced: "replaced",
	}
	told := map[string]bool{}
	for _, f := range all {
		name, what := f.Name, words[done[f.Name]]
		if top, _, below := strings.Cut(name, "/"); below && top == scaffold.Vocabulary {
			name = top + "/ (the vocabulary)"
		}
		if scaffold.Theirs(name) && done[f.Name] == scaffold.Left {
			what = "exists, kept"
		}
		if line := path.Join(filepath.ToSlash(dir), name) + ": " + what; !told[line] {
			told[line] = true
			fmt.Fprintln(a.out, visible.Line(line))
		}
	}
}
