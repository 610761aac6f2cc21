package optimise

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Config is one way to load a model, in which it has to verify.
type Config struct {
	Name    string // as the user wrote it; "" for the only one
	Options model.Options
	// Promises is the bound on promises, as in explore.Options.
	Promises int
}

// launch is a model as one configuration loads it.
type launch struct {
	*Config
	number int // from 0
	m      *model.Model
	onHost []bool // by function
	uses   ir.Uses
	points []*ir.PointsTo
	cast   []toucher // the units of devices,
	whole  bool      // of which these are all
	beside bool      // several kernels may be under way at a time
}

// site is a site in all configurations.
type site struct {
	ir.Site
	call   *mend.Call
	also   []ir.SiteID // other uses of the macro that the call is in
	weight int64
	kept   string // why it stays as it is; "" if it is free
	free   freedom
	scope  int            // the dimension of its class, or -1
	order  int            // likewise, of its own
	fail   int            // likewise
	flags  int            // likewise
	needs  memmodel.Flags // of a fence: the kinds of memory that its function uses
	added  bool           // a fence that is not in the source
	// removable: of a barrier, the call is a statement of its own.
	removable bool
	wide      memmodel.Scope // of a barrier: the scope that it has where its flags have global memory
}

// freedom says what of a site may change.
type freedom struct{ order, scope, flags bool }

// at is where a site is, for messages.
func (s *site) at() string { return fmt.Sprintf("%s:%d:%d", s.ID.File, s.ID.Line, s.ID.Col) }

// problem is a model with what may change of it.
type problem struct {
	opt      *Options
	target   model.Target
	launches []*launch
	texts    map[string]string
	original map[string]string // as they were read: texts differ where they have been modernised
	sites    []*site           // those that may change
	kept     []*site           // those that stay as they are
	dims     []dim
	source   assignment // the source as it is written, as far as the dimensions can say it
	same     bool       // they can say all of it
	added    map[string][]int32
}

// newProblem loads a model in all configurations, and finds its sites.
// Where there is no time for that, the problem is empty, and the error says so.
func newProblem(ctx context.Context, t model.Target, opt *Options) (*problem, error) {
	if ctx.Err() != nil {
		return &problem{opt: opt, target: t}, guard.Left(ctx)
	}
	var all []*model.Model
	for i := range opt.Configs {
		m, err := guard.Read(ctx, "load", func() (*model.Model, error) { return t.Load(opt.Configs[i].Options) })
		if err != nil {
			return &problem{opt: opt, target: t}, fmt.Errorf("%s%w", opt.Configs[i].prefix(), err)
		}
		if len(m.Known) > 0 {
			return nil, fmt.Errorf("%s: it has //clmc:known lines, and what goes wrong in a known way is not verified: take them out first", t)
		}
		all = append(all, m)
	}
	p, err := problemOf(ctx, t, opt, all, nil)
	if err != nil {
		return p, err
	}
	return p.modernised(ctx)
}

// problemOf makes the problem of a model that each configuration has loaded. added are the lines of fences that are not in the source, by file.
func problemOf(ctx context.Context, t model.Target, opt *Options, all []*model.Model, added map[string][]int32) (*problem, error) {
	p := &problem{opt: opt, target: t, texts: map[string]string{}, added: added}
	for i, m := range all {
		l, err := newLaunch(ctx, &opt.Configs[i], i, m)
		if err != nil {
			return &problem{opt: opt, target: t}, fmt.Errorf("%sit was not analysed: %w", opt.Configs[i].prefix(), err)
		}
		p.launches = append(p.launches, l)
		for _, s := range m.Program.Sources {
			if was, ok := p.texts[s.Name]; ok && was != s.Text {
				return nil, fmt.Errorf("%s has changed while it was read", s.Name)
			}
			p.texts[s.Name] = s.Text
		}
	}
	p.original = p.texts
	if err := p.findSites(ctx); err != nil {
		return nil, err
	}
	p.makeDims()
	return p, nil
}

// newLaunch analyses a model, which takes no longer than ctx allows.
func newLaunch(ctx context.Context, c *Config, number int, m *model.Model) (*launch, error) {
	return guard.Analyse(ctx, "analyse", func(spent func() bool) (*launch, error) {
		f := facts.Unless(spent, m.Program, memmodel.Specs[0])
		l := &launch{Config: c, number: number, m: m, uses: m.Program.Uses(), onHost: f.OnHost, beside: f.Concurrent || f.DeviceQueue}
		for fn := range m.Program.Funcs {
			if spent() {
				break
			}
			l.points = append(l.points, m.Program.PointsTo(fn))
		}
		l.findUnits(f, spent)
		return l, nil
	})
}

func (c *Config) prefix() string {
	if c.Name == "" {
		return ""
	}
	return fmt.Sprintf("configuration %q: ", c.Name)
}

// findSites joins the sites of all configurations.
func (p *problem) findSites(ctx context.Context) error {
	byID := map[ir.SiteID]*site{}
	var all []*site
	for _, l := range p.launches {
		for _, s := range l.m.Program.Sites() {
			old := byID[s.ID]
			if old == nil {
				old = &site{Site: *s, weight: 1, scope: -1, order: -1, fail: -1, flags: -1, wide: s.Scope}
				byID[s.ID], all = old, append(all, old)
			}
			old.Mixed = old.Mixed || s.Mixed || old.Strength != s.Strength
			old.Legacy = old.Legacy || s.Legacy
			for _, at := range s.At {
				if l.onHost[at.Func] {
					old.kept = "the host executes it"
				}
			}
			if s.ID.Kind == ir.FenceSite && old.kept == "" {
				old.needs |= l.fenced(s)
			}
		}
	}
	slices.SortFunc(all, func(a, b *site) int { return a.before(b) })
	for _, s := range all {
		if err := p.bind(s); err != nil {
			return err
		}
	}
	for _, s := range p.merged(all) {
		if s.kept == "" && s.call.Odd() {
			p.tryOut(ctx, s)
		}
		if s.kept != "" {
			p.kept = append(p.kept, s)
		} else {
			p.sites = append(p.sites, s)
		}
	}
	return nil
}

// merged joins the uses of one macro: its text is one, so that they change together, if they all may.
func (p *problem) merged(all []*site) (out []*site) {
	type place struct {
		file string
		at   int
		kind ir.SiteKind
	}
	first := map[place]*site{}
	for _, s := range all {
		if s.call == nil || s.call.Macro == "" {
			out = append(out, s)
			continue
		}
		at := place{s.ID.File, s.call.Place(), s.ID.Kind}
		f := first[at]
		if f == nil {
			first[at], out = s, append(out, s)
			continue
		}
		f.also, f.needs, f.weight = append(f.also, s.ID), f.needs|s.needs, f.weight+s.weight
		f.free = freedom{f.free.order && s.free.order, f.free.scope && s.free.scope, f.free.flags && s.free.flags}
		f.removable = f.removable && s.removable
		switch {
		case f.kept != "":
		case s.kept != "":
			f.kept = s.kept + " in line " + strconv.Itoa(int(s.ID.Line))
		case s.Strength != f.Strength:
			f.kept = "the uses of the macro differ, in line " + strconv.Itoa(int(s.ID.Line))
		}
	}
	return out
}

// ids are the sites that a site stands for: its own, and other uses of its macro.
func (s *site) ids() []ir.SiteID { return append([]ir.SiteID{s.ID}, s.also...) }

// tryOut keeps a site that cannot be written as a function with an order.
func (p *problem) tryOut(ctx context.Context, s *site) {
	now := s.other()
	strengths := map[ir.SiteID]ir.Strength{}
	for _, id := range s.ids() {
		strengths[id] = now
	}
	texts := maps.Clone(p.texts)
	texts[s.ID.File] = mend.Edits(texts[s.ID.File], s.call.Set(texts[s.ID.File], now))
	for _, l := range p.launches {
		m, err := p.reload(ctx, l, texts)
		if err != nil {
			s.kept = "it cannot be rewritten: " + firstLine(err.Error())
			return
		}
		if synchronising(m.Program) != synchronising(l.m.Program.With(strengths)) {
			s.kept = "rewritten, it would not be what it is"
			return
		}
	}
}

// other is another strength, which differs in all that may change.
func (s *site) other() ir.Strength {
	now := s.Strength
	if s.ID.Kind == ir.BarrierSite {
		now.Flags ^= memmodel.LocalFence
		return now
	}
	if s.free.order {
		if now.Order = memmodel.SeqCst; s.Order == now.Order {
			now.Order = map[bool]memmodel.Order{true: memmodel.AcqRel, false: memmodel.Relaxed}[s.ID.Kind == ir.FenceSite]
		}
		now.Fail = failure(now.Fail, now.Order)
	}
	if s.free.scope {
		if now.Scope = memmodel.ScopeDevice; s.Scope == now.Scope {
			now.Scope = memmodel.ScopeWorkGroup
		}
	}
	return now
}

// synchronising tells how all operations of a program synchronise, in the order of its code.
func synchronising(p *ir.Program) string {
	var b strings.Builder
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op == ir.OpFence || in.Op == ir.OpBarrier || in.Op.Access() && in.Order != memmodel.NonAtomic {
				fmt.Fprintln(&b, fn, in.Op, in.Order, in.FailOrder, in.Scope, in.Flags)
			}
		}
	}
	return b.String()
}

func (s *site) before(o *site) int {
	if s.ID.File != o.ID.File {
		return strings.Compare(s.ID.File, o.ID.File)
	}
	if s.ID.Line != o.ID.Line {
		return int(s.ID.Line - o.ID.Line)
	}
	return int(s.ID.Col - o.ID.Col)
}

// bind finds a site in the text, and what its line says of it.
func (p *problem) bind(s *site) error {
	line := lineOf(p.texts[s.ID.File], s.ID.Line)
	if err := s.read(line); err != nil {
		return err
	}
	switch {
	case s.kept != "":
		if c, err := mend.FindCall(p.texts[s.ID.File], filepath.Ext(s.ID.File) == ".go", &s.Site); err == nil && c.Macro != "" {
			s.call = c // other uses of the macro are kept with it
		}
	case s.Legacy:
		s.kept = "a function of OpenCL 1.x has no order"
	case s.Mixed:
		s.kept = "it has several orders, scopes or flags, by configuration or by caller"
	case !p.own(s.ID.File):
		s.kept = "it is in a file that others may use, too"
	default:
		call, err := mend.FindCall(p.texts[s.ID.File], filepath.Ext(s.ID.File) == ".go", &s.Site)
		if err != nil {
			s.kept = err.Error()
			return nil
		}
		s.call = call
		s.passed()
		if p.isAdded(&s.Site) {
			s.added, s.Order, s.Flags = true, memmodel.Relaxed, s.needs
			if s.needs == 0 {
				s.Flags = memmodel.GlobalFence
			}
		}
		s.removable = call.Statement(p.texts[s.ID.File])
		if scope, ok := call.Scope(p.texts[s.ID.File]); ok && s.ID.Kind == ir.BarrierSite {
			s.wide = scope
		}
	}
	return nil
}

// passed keeps what a macro says of a call to which the rest is passed where the macro is used.
func (s *site) passed() {
	order, scope, flags := s.call.Free()
	s.free = freedom{s.free.order && order, s.free.scope && scope, s.free.flags && flags}
}

// own reports whether a file is the model's own: what is included, or is of another package, others may use.
func (p *problem) own(file string) bool {
	main := p.launches[0].m.Program.Sources[0].Name
	if ext := filepath.Ext(main); ext != ".go" {
		return file == main || ext == ".sim" && file == p.launches[0].m.Program.Sources[1].Name
	}
	return filepath.Dir(file) == filepath.Dir(main) && (filepath.Ext(file) == ".go" || filepath.Ext(file) == ".cl")
}

func lineOf(text string, n int32) string {
	lines := strings.SplitN(text, "\n", int(n)+1)
	if int(n) > len(lines) {
		return ""
	}
	return lines[n-1]
}

var siteComment = regexp.MustCompile(`//clmc:(fixed|free|weight)\b([^/]*)`)

// read reads the comments of a site's line.
func (s *site) read(line string) error {
	s.free = freedom{true, true, true}
	for _, m := range siteComment.FindAllStringSubmatch(line, -1) {
		words := strings.FieldsFunc(m[2], func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\r' })
		switch m[1] {
		case "fixed":
			s.kept = "//clmc:fixed"
		case "weight":
			n := int64(0)
			if len(words) > 0 {
				n, _ = strconv.ParseInt(words[0], 10, 64)
			}
			if n < 1 || n > 1e6 || len(words) != 1 {
				return fmt.Errorf("%s: //clmc:weight %s: want a number from 1 to 1000000", s.at(), strings.Join(words, " "))
			}
			s.weight = n
		case "free":
			s.free = freedom{}
			if len(words) == 0 {
				return fmt.Errorf("%s: //clmc:free: want order, scope or flags, with commas between them", s.at())
			}
			for _, w := range words {
				switch w {
				case "order":
					s.free.order = true
				case "scope":
					s.free.scope = true
				case "flags":
					s.free.flags = true
				default:
					return fmt.Errorf("%s: //clmc:free %s: want order, scope or flags, with commas between them", s.at(), w)
				}
			}
		}
	}
	return nil
}

// fenced returns the flags of the kinds of memory that the function of a fence uses, or if it uses none, those that its caller does: a fence that does
// not name them orders them all the same by some readings, and on no device.
func (l *launch) fenced(s *ir.Site) (all memmodel.Flags) {
	for _, at := range s.At {
		for _, a := range l.near(at) {
			all |= a.flags
		}
	}
	return all
}

// nearby is an access in the function of an instruction.
type nearby struct {
	in      *ir.Instr
	objects ir.ObjectSet
	flags   memmodel.Flags
}

// near returns the accesses of shared memory in the function of an instruction and in what it calls, or if there are none, in its caller.
func (l *launch) near(at ir.Place) (all []nearby) {
	p := l.m.Program
	f := p.Funcs[at.Func]
	for call := p.Positions[f.Code[at.PC].Pos].Call; ; call = p.Positions[p.Calls[call].Pos].Call {
		for pc := range f.Code {
			in := &f.Code[pc]
			if !in.Op.Access() || !within(p, p.Positions[in.Pos].Call, call) {
				continue
			}
			if a := l.accessed(at.Func, in); a.flags != 0 {
				all = append(all, a)
			}
		}
		if len(all) > 0 || call == 0 {
			return all
		}
	}
}

// within reports whether a call is another one, or is made in it.
func within(p *ir.Program, call, outer int32) bool {
	for call != outer {
		if call == 0 {
			return false
		}
		call = p.Positions[p.Calls[call].Pos].Call
	}
	return true
}

// accessed says what memory an instruction accesses.
func (l *launch) accessed(fn int, in *ir.Instr) nearby {
	a := nearby{in: in}
	if in.A < 0 && l.m.Program.Funcs[fn].Consts[^in.A]&ir.SegMask == ir.SegPrivate {
		return a
	}
	a.objects, _, _ = l.points[fn].Address(in)
	for i := range l.m.Program.Objects {
		if !a.objects.Has(i) {
			continue
		}
		switch l.m.Program.Objects[i].Region {
		case memmodel.Local:
			a.flags |= memmodel.LocalFence
		case memmodel.Global:
			a.flags |= memmodel.GlobalFence
		}
	}
	return a
}

// where says in how much a result verifies.
func (p *problem) where() string {
	text := "under " + strings.Join(p.specNames(), ", ")
	if n := len(p.launches); n > 1 {
		text += fmt.Sprintf(" in %d configurations", n)
	}
	return text
}

// specNames are the readings under which the model must verify.
func (p *problem) specNames() []string {
	names := []string{}
	for _, s := range p.opt.Specs {
		names = append(names, s.Name)
	}
	return names
}

// launchNames are the configurations in which it must.
func (p *problem) launchNames() []string {
	names := []string{}
	for _, l := range p.launches {
		names = append(names, l.Name)
	}
	return names
}

// changed lists the files that texts change.
func (p *problem) changed(texts map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if texts[name] != p.original[name] {
			names = append(names, name)
		}
	}
	return names
}
