package optimise

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// log is what a folder keeps of the checks of one search: a line each. Whoever searches the same goes on from there, whenever the process that wrote it has
// ended: a line that was not written whole counts for nothing.
type log struct {
	path  string
	file  *os.File
	lines map[string]*line
	err   error // why no more is kept
	short bool  // something was not written whole
}

// line is what is kept of a check.
type line struct {
	Key      string       `json:"key"` // of the assignment
	Changes  []string     `json:"changes"`
	Verdict  string       `json:"verdict"`
	Spec     string       `json:"spec,omitempty"` // under which it goes wrong
	Config   string       `json:"configuration,omitempty"`
	Number   int          `json:"number,omitempty"` // of the configuration
	Kind     string       `json:"kind,omitempty"`
	Text     string       `json:"text,omitempty"`
	Schedule []trace.Move `json:"schedule,omitempty"` // of the program with these strengths
}

// head is the first line.
type head struct {
	Schema  string `json:"schema"`
	Digest  string `json:"digest"`
	Model   string `json:"model"`
	Version string `json:"clmc"`
}

const storeSchema = "clmc.optimise.store/1"

// maxStore bounds what is read of a store.
const maxStore = 1 << 28

// digest tells searches apart: models, configurations, readings, what may change and what it costs, and the clmc that searches.
func (p *problem) digest() string {
	h := sha256.New()
	o := p.opt
	for _, name := range slices.Sorted(maps.Keys(p.texts)) {
		fmt.Fprintf(h, "%q %q\n", name, p.texts[name])
	}
	for i := range o.Configs {
		c := &o.Configs[i]
		fmt.Fprintf(h, "%q %v %v %q %d\n", c.Name, c.Options.Defines, c.Options.LegacyWorkGroup, c.Options.Kernels.Flags(), c.Promises)
	}
	live, fair := o.Liveness.Words()
	fmt.Fprintf(h, "%q %v %v %v %v %v %v %v %d %v %q %q %d\n", p.specNames(), o.Strongest, o.Fast, o.RemoveBarriers, o.up, o.anyScope, o.anyFlags, o.Modernise, o.Mem, o.Slice, live, fair, explore.Semantics)
	fmt.Fprintf(h, "%v %q %q\n", *o.Cost, p.target, o.Version)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// openLog opens what a folder keeps of a search; nil if no folder is named.
func openLog(p *problem) (*log, error) {
	if p.opt.Store == "" {
		return nil, nil
	}
	digest := p.digest()
	if err := os.MkdirAll(p.opt.Store, 0o777); err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	l := &log{path: filepath.Join(p.opt.Store, "optimise-"+digest+".jsonl"), lines: map[string]*line{}}
	if err := l.read(digest); err != nil {
		return nil, err
	}
	var err error
	if l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	if info, err := l.file.Stat(); err == nil && info.Size() == 0 {
		l.write(head{storeSchema, digest, string(p.target), p.opt.Version})
	} else if l.short {
		l.put([]byte("\n")) // what was not written whole ends here
	}
	return l, nil
}

// read reads what is there.
func (l *log) read(digest string) error {
	text, err := regular.Read(l.path, maxStore)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--store %w", regular.Fault(l.path, err))
	}
	for first := true; ; first = false { // a row at a time: a list of them may take much more than the text
		row, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			l.short = len(row) > 0
			return nil
		}
		text = rest
		if first {
			var h head
			if err := json.Unmarshal(row, &h); err == nil && (h.Schema != storeSchema || h.Digest != digest) {
				return fmt.Errorf("--store: %s is of another search: remove it", l.path)
			}
			continue
		}
		var n line
		if json.Unmarshal(row, &n) == nil && n.Key != "" { // else it is a line that was not written whole
			l.lines[n.Key] = &n
		}
	}
}

// close ends the log.
func (l *log) close() {
	if l != nil {
		l.file.Close()
	}
}

func (l *log) write(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	l.put(append(text, '\n'))
}

// put writes in one piece. When that fails no more is kept, and the search goes on.
func (l *log) put(text []byte) {
	if l.err != nil {
		return
	}
	if n, err := l.file.Write(text); err != nil || n < len(text) {
		l.err = cmp.Or(err, io.ErrShortWrite)
	}
}

// keyOf names an assignment by what it makes of the source.
func keyOf(strengths map[ir.SiteID]ir.Strength) (key string, changes []string) {
	changes = []string{}
	for id, s := range strengths {
		changes = append(changes, fmt.Sprintf("%s:%d:%d %v %v %v %v %v %v", id.File, id.Line, id.Col, id.Kind, s.Order, s.Fail, s.Scope, s.Flags, s.Gone))
	}
	slices.Sort(changes)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", changes))
	return hex.EncodeToString(sum[:12]), changes
}

// add keeps the answer to a check.
func (l *log) add(strengths map[ir.SiteID]ir.Strength, questions []question, a *answer) {
	if l == nil {
		return
	}
	key, changes := keyOf(strengths)
	n := line{Key: key, Changes: changes, Verdict: verdictWords[a.verdict]}
	if f := a.bad; f != nil {
		q := f.q
		n.Spec, n.Config, n.Number, n.Kind, n.Text = q.spec.Name, q.launch.Name, q.launch.number, f.kind.ID(), f.text
		if f.moves != nil {
			n.Schedule = trace.Stored(f.v.Schedule)
		}
	}
	l.lines[key] = &n
	l.write(&n)
}

// verdictWords are the verdicts of lines.
var verdictWords = map[verdict]string{undecided: "inconclusive", violated: "violated", verified: "verified"}

// look returns the answer that was kept.
func (l *log) look(c *checker, strengths map[ir.SiteID]ir.Strength) (answer, bool) {
	if l == nil {
		return answer{}, false
	}
	key, _ := keyOf(strengths)
	n := l.lines[key]
	if n == nil {
		return answer{}, false
	}
	switch n.Verdict {
	case verdictWords[verified]:
		return answer{verified, nil, -1}, true
	case verdictWords[undecided]:
		return answer{undecided, nil, -1}, true
	}
	for i, q := range c.questions {
		if q.spec.Name == n.Spec && q.launch.number == n.Number {
			f := &failing{q: q, text: n.Text}
			for _, k := range state.Kinds() {
				if k.ID() == n.Kind {
					f.kind = k
				}
			}
			f.v.Kind, f.v.Schedule = f.kind, trace.Moves(n.Schedule)
			if n.Schedule != nil {
				f.tell(q.launch.m.Program.WithAt(q.launch.uses, strengths))
			}
			return answer{violated, f, i}, true
		}
	}
	return answer{}, false
}
