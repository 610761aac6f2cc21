package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/clc"
)

// Written is what came of a log.
type Written struct {
	Launches []File   // kernel files with a launch line
	Said     []string // what could not be seen, or was left out
}

// File is a kernel file that was written.
type File struct {
	Name string // with its folder
	What string // the kernel, and how it is launched
	Next string // the command that explores it
	read clc.Options
}

// All is the command that explores all launches of a folder; "" if they are not read in the same way.
func (w *Written) All(dir string) string {
	for _, f := range w.Launches {
		if !slices.Equal(f.read.Flags(), w.Launches[0].read.Flags()) {
			return ""
		}
	}
	return command(&w.Launches[0].read, dir)
}

// command is the one that explores a file or folder.
func command(opt *clc.Options, path string) string {
	return shell.Command(slices.Concat([]string{"clmc", "explore"}, opt.Flags(), []string{path})...)
}

// most bounds the elements of a buffer in a launch line.
const most = 1 << 20

// build is how a program was built.
type build struct {
	defines []string // lines
	include []string
	std     string
}

// writer writes the files of a log.
type writer struct {
	log   *Log
	dir   string
	scale int
	out   *Written
}

// Write writes a log into a folder that is new or empty: the text of each program, and for each launch a file that includes it. With a scale above 1 sizes are
// that much smaller.
func Write(l *Log, dir string, scale int) (*Written, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, regular.Fault(dir, err)
	}
	w := &writer{log: l, dir: dir, scale: scale, out: &Written{}}
	for i, k := range l.launches {
		if err := w.launch(k, i+1); err != nil {
			return nil, regular.Fault(dir, err)
		}
	}
	if len(l.queues) > 1 || l.disorder {
		w.say("the application uses several queues, or one out of order: each launch is a file of its own, and what launches do to each other is not explored")
	}
	for _, what := range l.limits {
		w.say("%s", what)
	}
	return w.out, nil
}

func (w *writer) say(format string, args ...any) {
	if what := visible.Line(fmt.Sprintf(format, args...)); !slices.Contains(w.out.Said, what) {
		w.out.Said = append(w.out.Said, what)
	}
}

// sources writes the texts of a program, and returns their names in the folder; nil if they are not known, which is said.
func (w *writer) sources(p *program, kernel string) (names []string, err error) {
	if p.Made == "linked" {
		for _, n := range p.Inputs {
			in := w.log.program(p.process, n)
			if in == nil {
				continue
			}
			part, err := w.sources(in, kernel)
			if err != nil || part == nil {
				return nil, err
			}
			names = append(names, part...)
		}
		return names, nil
	}
	origin := map[string]string{"binary": "a binary", "il": "SPIR-V or another intermediate language", "builtin": "built-in kernels"}[p.Made]
	switch {
	case origin != "":
		w.say("%s is of a program made from %s: its source is not known, and nothing is written for it", kernel, origin)
		return nil, nil
	case p.Cut:
		w.say("%s is of a program whose text is too long: nothing is written for it", kernel)
		return nil, nil
	}
	if p.file == "" {
		p.file = w.name("program", p)
		if err := os.WriteFile(filepath.Join(w.dir, p.file), []byte(p.Text), 0o666); err != nil {
			return nil, err
		}
	}
	return []string{p.file}, nil
}

// name is that of the file of a program: others with the same text share it.
func (w *writer) name(prefix string, p *program) string {
	n := 1
	for _, q := range w.log.programs {
		if q.file != "" && q.Text == p.Text {
			return q.file
		}
		if q.file != "" {
			n++
		}
	}
	return fmt.Sprintf("%s%d%s", prefix, n, clc.Ext)
}

var integer = regexp.MustCompile(`^-?[0-9]+$`)

// built reads the options of a build. Headers that the application has given are written into a folder.
func (w *writer) built(p *program, sources []string) (*build, error) {
	b := &build{}
	all := []*program{p}
	for _, n := range p.Inputs {
		if in := w.log.program(p.process, n); in != nil {
			all = append(all, in)
		}
	}
	for _, p := range all {
		b.read(p)
		for _, h := range p.Headers {
			text := w.log.program(p.process, h.N)
			name := filepath.FromSlash(string(h.Name))
			if text == nil || !filepath.IsLocal(name) {
				w.say("the header %q of a program is not written", string(h.Name))
				continue
			}
			dir := strings.TrimSuffix(sources[0], clc.Ext) + "_headers"
			path := filepath.Join(w.dir, dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			if err := os.WriteFile(path, []byte(text.Text), 0o666); err != nil {
				return nil, err
			}
			if dir = filepath.Join(w.dir, dir); !slices.Contains(b.include, dir) {
				b.include = append([]string{dir}, b.include...)
			}
		}
		if strings.Contains(string(p.Text), "#include") && !slices.Contains(b.include, p.cwd) {
			b.include = append(b.include, p.cwd)
		}
	}
	return b, nil
}

func (b *build) read(p *program) {
	words := splitOptions(string(p.Options))
	for i := 0; i < len(words); i++ {
		value := func(prefix string) string {
			if rest := strings.TrimPrefix(words[i], prefix); rest != "" || i+1 == len(words) {
				return rest
			}
			i++
			return words[i]
		}
		switch word := words[i]; {
		case strings.HasPrefix(word, "-D"):
			name, text, given := strings.Cut(value("-D"), "=")
			if !given {
				text = "1"
			}
			if line := "#define " + name + " " + text; name != "" && !slices.Contains(b.defines, line) && !strings.Contains(line, "\n") {
				b.defines = append(b.defines, line)
			}
		case strings.HasPrefix(word, "-I"):
			dir := value("-I")
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(p.cwd, dir)
			}
			b.include = append(b.include, dir)
		case strings.HasPrefix(word, "-cl-std="):
			b.std = strings.TrimPrefix(word, "-cl-std=")
		}
	}
}

// launch writes the file of a launch.
func (w *writer) launch(k *launch, number int) error {
	p := w.log.program(k.process, k.Program)
	if p == nil {
		w.say("%s is of a program that was not noted", string(k.Kernel))
		return nil
	}
	sources, err := w.sources(p, string(k.Kernel))
	if err != nil || len(sources) == 0 {
		return err
	}
	b, err := w.built(p, sources)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%02d_%s%s", number, k.Kernel, clc.Ext)
	path := filepath.Join(w.dir, name)
	opt := clc.Options{Include: b.include, Std: b.std}
	if err := os.WriteFile(path, []byte(b.text(sources, nil)), 0o666); err != nil {
		return err
	}
	list, err := clc.Signatures(path, opt)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		w.say("%s is not written: %s", string(k.Kernel), first)
		return os.Remove(path)
	}
	i := slices.IndexFunc(list, func(s clc.Signature) bool { return s.Kernel == string(k.Kernel) })
	if i < 0 {
		w.say("%s is not written: there is no such kernel in the source", string(k.Kernel))
		return os.Remove(path)
	}
	l := &line{kernel: k, sign: &list[i], shrink: newShrink(k, w.scale), w: w}
	head := l.head(b)
	if err := os.WriteFile(path, []byte(b.text(sources, head)), 0o666); err != nil {
		return err
	}
	w.out.Launches = append(w.out.Launches, File{path, l.what(), command(&opt, path), opt})
	return nil
}

// text is that of a file of a launch.
func (b *build) text(sources, head []string) string {
	lines := append(slices.Clone(head), b.defines...)
	for _, s := range sources {
		lines = append(lines, `#include "`+s+`"`)
	}
	return strings.Join(lines, "\n") + "\n"
}

// line makes the launch line of a launch.
type line struct {
	kernel *launch
	sign   *clc.Signature
	shrink *shrink
	w      *writer
	notes  []string // comments
}

// head returns the comments, and the launch line. What depends on sizes in the macros of the build is made smaller with them.
func (l *line) head(b *build) []string {
	k := l.kernel
	l.note("%s as an application launched it, noted by clmc capture.", k.Kernel)
	words := []string{"//clmc:launch", string(k.Kernel), "global=" + sizes(l.shrink.global)}
	switch {
	case l.sign.Fixed:
	case k.Local != nil:
		words = append(words, "local="+sizes(k.Local))
	default:
		l.note("The application leaves the local size to OpenCL: a few are tried.")
		words = append(words, "local="+localChoices(l.shrink.global))
	}
	if slices.ContainsFunc(k.Offset, func(n int) bool { return n != 0 }) {
		words = append(words, "offset="+sizes(k.Offset))
	}
	for i := range l.sign.Params {
		p := &l.sign.Params[i]
		if i >= len(k.Args) || k.Args[i].Unset {
			l.note("%s was not set.", p.Name)
			continue
		}
		if a := l.arg(i, p, &k.Args[i]); a != "" {
			words = append(words, quotedArg(p.Name, a))
		}
	}
	for i, d := range b.defines {
		b.defines[i] = l.define(d)
	}
	if said := l.shrink.said; len(said) > 0 {
		l.note("Scaled by %d, where numbers are equal to sizes or multiples of them: %s.", l.shrink.by, strings.Join(said, ", "))
	}
	return append(l.notes, strings.Join(words, " "))
}

// The local sizes that are tried where OpenCL chooses: one work-item, up to so many in a dimension, and up to so many in all.
const (
	someLocal = 4
	mostLocal = 64
)

// localChoices lists local sizes that divide a global size.
func localChoices(global []int) string {
	var words []string
	for _, most := range []int{1, someLocal, mostLocal} {
		var local []int
		room := most
		if most == someLocal {
			room = mostLocal
		}
		for _, n := range global {
			d := min(n, most, max(room, 1))
			for d > 1 && n%d != 0 {
				d--
			}
			d = max(d, 1)
			local = append(local, d)
			room /= d
		}
		if word := sizes(local); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, "|")
}

// quotedArg is an argument in a launch line, where a few names are sizes.
func quotedArg(name, value string) string {
	if slices.Contains([]string{"global", "local", "offset", "sub_group"}, name) {
		return "--arg " + name + "=" + value
	}
	return name + "=" + value
}

func (l *line) note(format string, args ...any) {
	l.notes = append(l.notes, "// "+visible.Line(fmt.Sprintf(format, args...)))
}

// what says what a file launches.
func (l *line) what() string {
	text := string(l.kernel.Kernel) + ", global " + sizes(l.shrink.global)
	if l.kernel.Local != nil {
		text += ", local " + sizes(l.kernel.Local)
	}
	return text
}

func sizes(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// define makes a macro smaller that is a size.
func (l *line) define(d string) string {
	words := strings.SplitN(d, " ", 3)
	if len(words) < 3 || !integer.MatchString(words[2]) {
		return d
	}
	n, err := strconv.Atoi(words[2])
	if err != nil {
		return d
	}
	return strings.Join(append(words[:2], strconv.Itoa(l.shrink.exactly("the macro "+words[1], n))), " ")
}

// arg writes an argument; "" leaves it out.
func (l *line) arg(i int, p *clc.SignatureParam, a *arg) string {
	switch p.Class {
	case clc.ToLocal:
		return fmt.Sprintf("local[%d]", max(a.Size/max(p.Size, 1), 1))
	case clc.ToMemory:
		return l.buffer(i, p, a)
	case clc.OfImage:
		return l.image(p, a)
	case clc.OfSampler:
		return sampler(a.Sampler)
	case clc.OfPipe:
		return fmt.Sprintf("pipe[%d]", max(a.Bytes, 1))
	case clc.ByValue:
		text, ok := p.Value(a.Value)
		if !ok {
			l.note("The value of %s has no words here; say it.", p.Name)
			l.w.say("%s: the value of %s has no words in a launch line", l.kernel.Kernel, p.Name)
			return ""
		}
		if n, err := strconv.Atoi(text); err == nil {
			text = strconv.Itoa(l.shrink.number(p.Name, n))
		}
		return text
	}
	return ""
}

// buffer writes the memory of an argument.
func (l *line) buffer(i int, p *clc.SignatureParam, a *arg) string {
	if a.Null || a.Mem == 0 && !a.SVM {
		return "null"
	}
	if same := l.shares(i, p, a); same != "" {
		return same
	}
	if a.SVM {
		l.note("%s is shared virtual memory: its content is not seen.", p.Name)
		l.w.say("the contents of shared virtual memory are not seen")
	}
	n := max(a.Bytes/max(p.Size, 1), 1)
	if !l.indexed() {
		n = l.shrink.length(p.Name, n)
	}
	if n > most {
		l.note("%s has %d elements; here it has %d, the most that a launch line can say.", p.Name, n, most)
		n = most
	}
	if a.Content == nil {
		return fmt.Sprintf("zero[%d]", n)
	}
	text, ok := p.Content(n, *a.Content)
	switch {
	case !ok:
		l.note("The content of %s has no words here: it holds zeros.", p.Name)
		return fmt.Sprintf("zero[%d]", n)
	case len(*a.Content) < n*p.Size:
		l.note("The first %d of the %d bytes of %s are known; the others are zero here.", len(*a.Content), n*p.Size, p.Name)
	}
	if a.Writer != "" {
		l.note("%s holds what the host wrote last; %s may have changed it since.", p.Name, a.Writer)
	}
	return text
}

// indexed reports whether numbers that the host wrote may be indices: then no buffer is made shorter.
func (l *line) indexed() bool {
	for i, a := range l.kernel.Args {
		if i < len(l.sign.Params) && a.Content != nil && l.sign.Params[i].Integers() {
			return true
		}
	}
	return false
}

// shares returns the argument whose memory an argument has, too, if it is the same memory from end to end. What cannot be said is noted.
func (l *line) shares(i int, p *clc.SignatureParam, a *arg) string {
	for j := range i {
		if j >= len(l.sign.Params) || j >= len(l.kernel.Args) {
			break
		}
		b, q := &l.kernel.Args[j], &l.sign.Params[j]
		if q.Class != clc.ToMemory || b.Mem == 0 || b.Mem != a.Mem || b.SVM != a.SVM {
			continue
		}
		from, to := max(a.Origin, b.Origin), min(a.Origin+a.Bytes, b.Origin+b.Bytes)
		switch {
		case a.Origin == b.Origin && a.Bytes == b.Bytes && p.Size == q.Size:
			return q.Name
		case from < to:
			l.note("%s and %s share %d bytes of one buffer: a launch line cannot say that, and here each has memory of its own.", q.Name, p.Name, to-from)
			l.w.say("%s: %s and %s share part of a buffer, which a launch line cannot say", l.kernel.Kernel, q.Name, p.Name)
		}
	}
	return ""
}

// image writes an image.
func (l *line) image(p *clc.SignatureParam, a *arg) string {
	if len(a.Image) < 4 {
		return ""
	}
	var dims []int
	for _, n := range a.Image[1:4] {
		if len(dims) < p.Image {
			dims = append(dims, min(max(n, 1), 64))
		}
	}
	if !slices.Equal(dims, a.Image[1:1+len(dims)]) {
		l.note("%s is smaller here than it was.", p.Name)
	}
	l.note("The content of the image %s is not seen.", p.Name)
	return "image[" + sizes(dims) + "]"
}

// sampler writes a sampler, of its normalised coordinates, addressing and filter.
func sampler(s []int) string {
	if len(s) < 3 {
		return ""
	}
	words := []string{map[int]string{0x1130: "none", 0x1131: "clamp_to_edge", 0x1132: "clamp", 0x1133: "repeat", 0x1134: "mirrored_repeat"}[s[1]]}
	if words[0] == "" {
		words[0] = "none"
	}
	words = append(words, map[bool]string{true: "linear", false: "nearest"}[s[2] == 0x1141])
	if s[0] != 0 {
		words = append(words, "normalized")
	}
	return strings.Join(words, "|")
}
