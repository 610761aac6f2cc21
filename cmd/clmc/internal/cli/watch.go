package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/changes"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
)

const watchLong = `Explore kernels and models as clmc explore does, and again whenever one of their files changes:
a kernel file, a file that it includes, a model, a litmus test. A folder stands for all models in it,
also for those that are added. Only what a change concerns is explored again.

What has another verdict than before comes first, with the verdict that it had. A change while
clmc explores ends that search, and the next one begins. Ctrl-C ends clmc, with the exit code
of what the models came to last.`

const watchExample = `  clmc watch kernel.cl
  clmc watch -I include kernels/
  clmc watch --format github kernel.cl`

func (a *app) watchCommand() *cobra.Command {
	x := &exploreFlags{defines: defines{}}
	x.format = choiceValue{"text", []string{"text", "github"}}
	cmd := &cobra.Command{
		Use:     "watch MODEL...",
		Short:   "Explore kernels and models again whenever their files change",
		Long:    watchLong + "\n\n" + exitHelp,
		Example: watchExample,
		Args:    someArgs("a kernel or model: a .cl, .go or .litmus file, or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			x.checkpoint = 1 // there is no store
			if err := cmp.Or(x.check(), x.checkLaunches()); err != nil {
				return err
			}
			x.tries = !x.noTry
			return a.watch(cmd.Context(), x, args)
		},
	}
	f := cmd.Flags()
	x.searchFlags.register(f)
	f.Var(&x.mem, "mem", "memory for visited states, such as 2GiB. A search stops there")
	x.registerWhat(f)
	x.registerTry(f)
	x.kernel.register(f)
	x.registerPrinted(f)
	return cmd
}

// watcher explores models again when their files change.
type watcher struct {
	*app
	flags *exploreFlags
	args  []string
	ear   *changes.Ear
	told  map[model.Target]*watched
	heard map[string]bool // folders that could not be listened to, and of which that was said
}

// watched is what is known of a model that was explored.
type watched struct {
	files   map[string]string // what it was made from, by absolute path
	loaded  bool              // all of it is in files
	verdict string            // the last line that was printed
	was     string            // the verdict before, if it was another
	report  string            // all that was printed
	code    int
	fresh   bool // explored in this round
}

// watch explores models, and again on changes, until ctx is done.
func (a *app) watch(ctx context.Context, x *exploreFlags, args []string) error {
	for _, arg := range args {
		if strings.HasPrefix(arg, "@") {
			return fmt.Errorf("%s comes with clmc, and does not change; name a file or a folder", arg)
		}
	}
	w := &watcher{app: a, flags: x, args: args, told: map[model.Target]*watched{}, heard: map[string]bool{}}
	var err error
	if w.ear, err = changes.Listen(w.cares); err != nil {
		return inputError{fmt.Errorf("changes of files are not heard of here: %w", err)}
	}
	defer w.ear.Close()
	for first := true; ; first = false {
		calm, err := w.round(ctx)
		if err != nil && first {
			return err
		}
		if err != nil {
			a.failFor(err)
		}
		a.out.Flush()
		if ctx.Err() != nil {
			return nil
		}
		if calm || err != nil {
			a.logf("waiting for changes; Ctrl-C ends clmc")
		}
		if (calm || err != nil) && !w.ear.Wait(ctx) {
			return nil
		}
	}
}

// sourceExts are the ends of the names of files that models are made from.
var sourceExts = []string{".cl", ".h", ".clh", ".hpp", ".inc", ".def", ".sim", ".go", ".litmus"}

// cares reports whether a file may be part of a model.
func (w *watcher) cares(path string) bool {
	if slices.Contains(sourceExts, filepath.Ext(path)) {
		return true
	}
	for _, t := range w.told {
		if _, is := t.files[path]; is {
			return true
		}
	}
	return false
}

// listen has changes heard of where what was named is, and what models are made from.
func (w *watcher) listen() {
	var dirs []string
	for _, arg := range w.args {
		root := strings.TrimSuffix(filepath.ToSlash(arg), "...")
		if info, err := os.Stat(cmp.Or(root, ".")); err == nil && info.IsDir() {
			w.deaf(root, w.ear.Tree(cmp.Or(root, ".")))
			continue
		}
		dirs = append(dirs, filepath.Dir(arg))
	}
	dirs = append(dirs, w.flags.kernel.options.Include...)
	for _, t := range w.told {
		for name := range t.files {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	for _, dir := range dirs {
		w.deaf(dir, w.ear.Folder(dir))
	}
}

// deaf says, once, that changes in a folder are not heard of.
func (w *watcher) deaf(dir string, err error) {
	if err != nil && !w.heard[dir] {
		w.heard[dir] = true
		w.logf("changes in %s are not heard of: %v", visible.Line(dir), err)
	}
}

// round explores the models that have changed, and prints what came of them. It reports false if files changed meanwhile.
func (w *watcher) round(ctx context.Context) (calm bool, err error) {
	w.listen()
	found, err := find(ctx, w.args...)
	if err != nil {
		w.code = exitVerified
		return true, err
	}
	all := w.ear.New
	w.ear.New = false
	for t, old := range w.told {
		old.fresh, old.was = false, ""
		if !slices.Contains(found.Models, t) {
			fmt.Fprintf(w.out, "%s: gone\n", visible.Line(string(t)))
			delete(w.told, t)
		}
	}
	calm = true
	for _, t := range found.Models {
		if old := w.told[t]; old != nil && old.loaded && !all && !old.outdated() {
			continue
		}
		if calm = w.exploreModel(ctx, t); !calm || ctx.Err() != nil {
			break
		}
	}
	if !calm {
		w.ear.New = w.ear.New || all
	}
	w.listen()
	w.tell(found.Models)
	return calm, nil
}

// contents returns the text of a file, "" if it cannot be read.
func contents(name string) string {
	text, err := regular.Read(name, 1<<24)
	if err != nil {
		return ""
	}
	return string(text)
}

// outdated reports whether a file has another text now than when the model was made from it.
func (t *watched) outdated() bool {
	for name, text := range t.files {
		if contents(name) != text {
			return true
		}
	}
	return false
}

// exploreModel explores one model. It reports false, and forgets about it, if a file changes meanwhile.
func (w *watcher) exploreModel(ctx context.Context, t model.Target) bool {
	w.logf("exploring %s", visible.Line(string(t)))
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	listening, done := context.WithCancel(ctx)
	ended := make(chan bool)
	guard.Go("watch", func() {
		changed := w.ear.Next(listening)
		if changed {
			cancel(errors.New("a file has changed"))
		}
		ended <- changed
	})
	now := w.look(inner, t)
	done()
	if <-ended {
		if old := w.told[t]; old != nil {
			old.loaded = false // it is explored again
		}
		return false
	}
	if old := w.told[t]; old != nil && verdictWord(old.verdict) != verdictWord(now.verdict) {
		now.was = old.verdict
	}
	w.told[t] = now
	return true
}

// look explores one model, and returns what came of it.
func (w *watcher) look(ctx context.Context, t model.Target) *watched {
	var printed bytes.Buffer
	one := *w.app
	one.code, one.out = exitVerified, bufio.NewWriter(&printed)
	now := &watched{files: map[string]string{changes.Absolute(string(t)): contents(string(t))}, fresh: true}
	one.loaded = func(m *model.Model) {
		now.loaded = true
		for _, s := range m.Program.Sources {
			now.files[changes.Absolute(s.Name)] = s.Text
		}
	}
	one.guard(func() error {
		return one.annotated(w.flags, t, one.exploreOne(ctx, w.flags, t, &files{}, map[explore.Verdict]int{}))
	})
	one.out.Flush()
	now.code, now.report = one.code, printed.String()
	lines := strings.Split(strings.TrimRight(now.report, "\n"), "\n")
	if now.verdict = lines[len(lines)-1]; !now.loaded {
		now.verdict = visible.Line(string(t)) + ": not explored"
	}
	return now
}

// verdictWord is what of a verdict counts as the same: not how many states there were.
func verdictWord(verdict string) string {
	word, _, _ := strings.Cut(verdict, "(complete")
	word, _, _ = strings.Cut(word, " (sizes")
	return word
}

// tell prints what came of the models that were explored, first of those that have another verdict than before.
func (w *watcher) tell(order []model.Target) {
	w.code = exitVerified
	var fresh []*watched
	for _, t := range order {
		if now := w.told[t]; now != nil {
			w.code = worse(w.code, now.code)
			if now.fresh {
				fresh = append(fresh, now)
			}
		}
	}
	slices.SortStableFunc(fresh, func(t, u *watched) int { return strings.Compare(u.was, t.was) })
	for _, t := range fresh {
		if t.was != "" {
			fmt.Fprintf(w.out, "%s\n  before: %s\n", t.verdict, t.was)
		}
		fmt.Fprint(w.out, t.report)
	}
}
