package html

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	unescape "html"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

// explored is the report on a model of package report's testdata.
func explored(t testing.TB, name string, opt explore.Options) *report.Report {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "testdata", name+".go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return reported(t, name+".go", string(src), opt)
}

// reported is the report on a model.
func reported(t testing.TB, name, src string, opt explore.Options) *report.Report {
	t.Helper()
	p, err := load.Source(name, []byte(src), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := report.New(name, p, explore.Run(context.Background(), p, opt))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// written is a page as it comes into a file.
func written(t testing.TB, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	w := visible.NewWriter(&b)
	if err := Write(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataOf returns the data of a page.
func dataOf(t testing.TB, page string) *document {
	t.Helper()
	_, text, ok := strings.Cut(page, `<script id="data" type="application/json">`)
	text, _, end := strings.Cut(text, "</script>")
	if !ok || !end {
		t.Fatal("the page has no data")
	}
	d := &document{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestModules checks that the modules are whole, in order, and fit together as one.
func TestModules(t *testing.T) {
	names, err := files.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range names {
		if name, ok := strings.CutSuffix(f.Name(), ".js"); ok {
			found = append(found, name)
		}
	}
	sorted := slices.Clone(modules)
	slices.Sort(sorted)
	if !slices.Equal(found, sorted) {
		t.Errorf("the modules are %v, and %v are listed", found, sorted)
	}
	from := regexp.MustCompile(`from "\./(\w+)\.js"`)
	declared := regexp.MustCompile(`(?m)^(?:export )?(?:class|const|let|function) (\w+)`)
	module := map[string]string{}
	for i, name := range modules {
		text := read(name + ".js")
		for _, m := range from.FindAllStringSubmatch(text, -1) {
			if at := slices.Index(modules, m[1]); at < 0 || at >= i {
				t.Errorf("%s imports %s, which is not above it", name, m[1])
			}
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			if other := module[m[1]]; other != "" {
				t.Errorf("%s and %s both declare %s", other, name, m[1])
			}
			module[m[1]] = name
		}
	}
	if left := regexp.MustCompile(`(?m)^(import|export)\b.*`).FindString(bundled().script); left != "" {
		t.Errorf("left in the script: %s", left)
	}
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser", "createContextualFragment", "srcdoc"} {
		if strings.Contains(bundled().script, word) {
			t.Errorf("the script has %s, which can make markup or code of text", word)
		}
	}
}

// TestPolicy checks that the policy is for what is in the page, which loads nothing.
func TestPolicy(t *testing.T) {
	page := written(t, explored(t, "race", explore.Options{}))
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 1 || len(styles) != 1 {
		t.Fatalf("%d scripts and %d styles, want one of each", len(scripts), len(styles))
	}
	head, _, _ := strings.Cut(page, "<style>")
	head = unescape.UnescapeString(head)
	for _, text := range []string{scripts[0][1], styles[0][1]} {
		if !strings.Contains(head, digest(text)) {
			t.Error("the policy is not of what is in the page")
		}
	}
	if !strings.Contains(head, "default-src 'none'") {
		t.Errorf("no policy in %s", head)
	}
	if found := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:|//|data:|javascript:)|url\([^#]|@import`).FindString(page); found != "" {
		t.Errorf("the page names something to load: %s", found)
	}
}

// TestFirstScreen checks that the page says what is wrong, where and why without its code, and how
// such a thing is repaired, for each kind of violation that the models of package report show.
func TestFirstScreen(t *testing.T) {
	for _, name := range []string{"race", "barrier", "buffering", "assertion", "consequence", "divergence", "deadlock", "unreachable", "values", "divisor", "wide"} {
		t.Run(name, func(t *testing.T) {
			rep := explored(t, name, explore.Options{})
			p := newPage(rep)
			if len(p.Findings) != 1 {
				t.Fatalf("%d findings", len(p.Findings))
			}
			f, tr := p.Findings[0], rep.Traces[0]
			said := regexp.MustCompile(`\W+`).ReplaceAllString(strings.ToLower(f.Title+" "+f.Lead), "")
			if want := regexp.MustCompile(`\W+`).ReplaceAllString(strings.ToLower(tr.Message), ""); !strings.Contains(said, want) {
				t.Errorf("the page says %q, and the trace %q", f.Title+" "+f.Lead, tr.Message)
			}
			if len(f.Places) == 0 {
				t.Error("no place is shown")
			}
			for _, q := range f.Places {
				if !slices.ContainsFunc(q.Lines, func(l codeLine) bool { return l.Here }) {
					t.Errorf("no line of %s is shown", q.At)
				}
			}
			if len(f.Mend) == 0 || len(f.Why) > 0 && len(f.Repairs) == 0 {
				t.Errorf("no repair: %+v", f)
			}
			if name == "race" {
				tr.Why[0].Idea = "go about it otherwise"
				if f := newPage(rep).Findings[0]; !slices.Contains(f.Repairs, "Idea: go about it otherwise") {
					t.Errorf("no idea: %+v", f)
				}
			}
			page := written(t, rep)
			if body, _, _ := strings.Cut(page, `<script id="data"`); !strings.Contains(body, ">Repair<") || !strings.Contains(body, f.ID) {
				t.Error("the page's first part lacks the repair or the id")
			}
		})
	}
}

// TestAfterRace checks that what comes after a data race is marked as such.
func TestAfterRace(t *testing.T) {
	rep := explored(t, "race", explore.Options{})
	rep.Result.After = true
	tr := rep.Traces[0]
	tr.After, tr.Depends, tr.Races = true, true, [][2]int{{tr.Accesses[0], tr.Accesses[1]}}
	page := written(t, rep)
	for _, want := range []string{"after undefined behaviour: steps", "repair the race first", "this list may be incomplete"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestData checks that the data say what the trace does.
// UnmarshalJSON implements json.Unmarshaler.
func (s *sights) UnmarshalJSON(data []byte) error {
	var flat []int32
	err := json.Unmarshal(data, &flat)
	for i := 0; i+1 < len(flat); i += 2 {
		*s = append(*s, trace.Sight{Location: flat[i], Step: flat[i+1]})
	}
	return err
}

func TestData(t *testing.T) {
	for _, name := range []string{"race", "barrier", "buffering", "values", "wide"} {
		rep := explored(t, name, explore.Options{})
		d, tr := dataOf(t, written(t, rep)), rep.Traces[0]
		g := d.Executions[0]
		if len(g.Steps.Lane) != len(tr.Steps) || len(g.Lanes) != len(tr.Lanes) || len(g.Memory) != len(tr.Memory) {
			t.Fatalf("%s: sizes differ", name)
		}
		for i := range tr.Steps {
			s, c := &tr.Steps[i], &g.Steps
			if g.Strings[c.Brief[i]] != s.Brief || int(c.Line[i]) != s.Line || int(c.Lane[i]) != s.Lane || int(c.Loc[i]) != s.LocationIndex() {
				t.Errorf("%s: step %d differs", name, s.ID)
			}
			if s.LocationIndex() >= 0 && g.Memory[c.Loc[i]].Name != s.Location {
				t.Errorf("%s: step %d is at %s", name, s.ID, g.Memory[c.Loc[i]].Name)
			}
			if s.Wrote != nil && g.Strings[c.Wrote[i]] != tr.ValueAt(s.LocationIndex(), *s.Wrote) {
				t.Errorf("%s: step %d writes %s", name, s.ID, g.Strings[c.Wrote[i]])
			}
			if f := c.File[i]; f < 0 || strings.TrimSpace(strings.Split(d.Files[f].Text, "\n")[s.Line-1]) != s.Source {
				t.Errorf("%s: the source of step %d differs", name, s.ID)
			}
		}
	}
}

// TestUnsteppable checks that a page is whole where there is nothing to step through.
func TestUnsteppable(t *testing.T) {
	for _, name := range []string{"verified", "unreachable"} {
		page := written(t, explored(t, name, explore.Options{}))
		if d := dataOf(t, page); len(d.Executions) > 1 || !strings.Contains(page, "<h1") || !strings.HasSuffix(page, "</html>\n") {
			t.Errorf("%s: not a whole page", name)
		}
	}
}

// hostileText is text that a page, a drawing or a terminal may obey.
const hostileText = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\" onmouseover=\"window.hacked=1' &lt; {{.}} ${1} \u202e \x1b[31m \u2028 ]]> --> `"

// hostileTrace is a trace all of whose texts are hostile.
func hostileTrace() *trace.Trace {
	h, v, zero := hostileText, int64(1), 0
	at := trace.Pos{File: h, Line: 1, Col: 1, Source: h, Via: h}
	step := func(id, lane int) trace.Step {
		return trace.Step{ID: id, Lane: lane, Pos: &at, Kind: trace.Kind(h), Op: h, Brief: h, Location: h, Region: h, Order: h, Scope: h, Flags: h, Read: &v, ReadsFrom: &zero, Wrote: &v,
			Outcome: h, Sync: []trace.Sync{{From: 1, Global: true}}}
	}
	return &trace.Trace{ID: h, Kind: h, Message: h + ": " + h, At: at, Location: h, Accesses: []int{1, 2},
		Why:         []trace.Reason{{Kind: h, Text: h + ". Use " + h, Rule: h, Steps: []int{1, 2}}},
		Waits:       []trace.Wait{{Lane: 0, Pos: at, Text: h}},
		Consequence: &trace.Consequence{ID: h, Kind: h, Message: h, At: at}, Unsettled: true,
		Lanes: []trace.Lane{{Name: h}, {Name: h, Host: true}}, Steps: []trace.Step{step(1, 0), step(2, 1)},
		Memory:   []trace.Location{{Name: h, Region: h, Kind: h, Order: []int{0, 1, 2}}},
		Barriers: []trace.Barrier{{Arrivals: []int{1}, Departures: []int{2}, Function: h, Flags: h, Global: true}},
		Early:    []trace.Overtaking{{Visible: 1, Performed: 2, Text: h}},
		Private:  []trace.Value{{Name: h, Value: h, Step: 1}},
		Edges:    []trace.Edge{{Relation: trace.SynchronisesWith, From: 1, To: 2, Global: true, Location: h}},
	}
}

func hostileReport() *report.Report {
	return &report.Report{Model: hostileText, Traces: []*trace.Trace{hostileTrace(), hostileTrace()}, Notes: []string{hostileText}, Width: 100,
		Condition: &report.Condition{Text: hostileText, Verdict: hostileText},
		Result: &explore.Result{Verdict: explore.Violated, Spec: memmodel.Specs[0], Incomplete: []string{hostileText},
			Outcomes: []map[string]int64{{hostileText: 1}, {hostileText: 2}}}}
}

// TestHostile checks that no text of a model becomes markup: of the tags and attributes in the page
// none is of a text, and the data end where they should. The browser looks at the same page.
func TestHostile(t *testing.T) {
	page := written(t, hostileReport())
	calm := hostileReport()
	calm.Model, calm.Notes, calm.Condition = "m", []string{"n"}, &report.Condition{Text: "c", Verdict: "v"}
	calm.Result.Incomplete, calm.Result.Outcomes = []string{"i"}, []map[string]int64{{"o": 1}, {"o": 2}}
	tags := func(page string) (tags []string) {
		before, _, _ := strings.Cut(page, `<script id="data"`)
		return append(tags, regexp.MustCompile(`</?[a-zA-Z!][\w-]*`).FindAllString(before, -1)...)
	}
	shown, _, _ := strings.Cut(page, `<script id="data"`)
	if strings.Contains(page, "<img") || strings.Contains(page, "<script>window") || strings.Contains(shown, `" onmouseover=`) {
		t.Error("a text has become markup")
	}
	if a, b := tags(page), tags(written(t, calm)); len(a) != len(b) {
		t.Errorf("%d tags, and %d with harmless names", len(a), len(b))
	}
	_, text, _ := strings.Cut(page, `<script id="data" type="application/json">`)
	text, _, _ = strings.Cut(text, "</script>")
	if strings.ContainsAny(text, "<>") {
		t.Error("the data hold < or >")
	}
	if d := dataOf(t, page); len(d.Executions) != 2 || !strings.Contains(d.Executions[0].Lanes[0].Name, "<img src=x") {
		t.Error("the data lack what the names are")
	}
	if strings.ContainsAny(page, "\x1b\u202e\u2028") {
		t.Error("the page holds control characters")
	}
}

// enormous is a report on an execution of many steps of many work-items, with names as long as can be.
func enormous(steps, lanes, name int) *report.Report {
	t := &trace.Trace{ID: "CL1001", Kind: "data race", Message: "Data race on " + strings.Repeat("m", name) + ": all of it.", Accesses: []int{steps - 1, steps}}
	for i := range lanes {
		t.Lanes = append(t.Lanes, trace.Lane{Name: fmt.Sprintf("%s(%d)", strings.Repeat("k", name), i)})
	}
	t.Memory = []trace.Location{{Name: strings.Repeat("x", name), Region: "global", Order: []int{}}}
	zero, v := 0, int64(7)
	for i := range steps {
		s := trace.Step{ID: i + 1, Lane: i % lanes, Kind: trace.Load, Op: strings.Repeat("o", name) + fmt.Sprint(i), Brief: strings.Repeat("b", name) + fmt.Sprint(i), Read: &v, ReadsFrom: &zero,
			Location: t.Memory[0].Name, Pos: &trace.Pos{File: "f", Line: i}}
		t.Steps = append(t.Steps, s)
	}
	return &report.Report{Model: "m", Traces: []*trace.Trace{t}, Width: 100, Result: &explore.Result{Verdict: explore.Violated, Spec: memmodel.Specs[0]}}
}

// TestBounds checks that a page of a hundred thousand steps, a thousand work-items and names of ten thousand characters is
// made in little memory, and of a size that browsers take.
func TestBounds(t *testing.T) {
	rep := enormous(1000, 1000, 10_000)
	page := written(t, rep)
	if len(page) > 4<<20 {
		t.Errorf("a page of %d bytes", len(page))
	}
	rep = enormous(100_000, 1000, 40)
	var least uint64 = 1 << 62
	for range 3 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := Write(io.Discard, rep); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 200<<20 {
		t.Errorf("it takes %d MB", least>>20)
	}
}

// TestBrowserIsForTests checks that what drives a browser is imported by tests only.
func TestBrowserIsForTests(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "\"github.com/chromedp/") {
			if seen++; !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s imports what drives a browser", path)
			}
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files looked at: %v", seen, err)
	}
}

// TestContrast checks that text can be told from what it stands on, light and dark (WCAG 2.1, 1.4.3: 4.5 to 1).
func TestContrast(t *testing.T) {
	style := read("page.css")
	light, dark, ok := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("no dark colours")
	}
	dark, _, _ = strings.Cut(dark, "* {")
	for name, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, fg := range []string{"text", "muted", "accent", "danger", "good", "warn", "rf", "mo", "sw", "sw-local", "early", "keyword", "type", "number", "string", "comment"} {
			for _, bg := range []string{"bg", "surface", "raised", "accent-soft", "danger-soft", "good-soft", "warn-soft"} {
				if soft, other, ok := strings.Cut(bg, "-"); ok && other == "soft" && fg != soft && fg != "text" && fg != "muted" && fg != "accent" {
					continue // never together
				}
				a, b := max(colours[fg], colours[bg])+0.05, min(colours[fg], colours[bg])+0.05
				if a/b < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", name, fg, bg, a/b)
				}
			}
		}
	}
}

// luminance of a colour, after WCAG.
func luminance(t *testing.T, colour string) float64 {
	var c [3]uint8
	if _, err := fmt.Sscanf(colour, "%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(c[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// TestLoops has the page say which steps are repeated for ever, and its code know them.
func TestLoops(t *testing.T) {
	ask, err := explore.ParseLiveness("fair", "")
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, explored(t, "polite", explore.Options{Liveness: ask}))
	for _, want := range []string{"From here steps 5 to 10 repeat for ever.", `"loop":[5,10]`, "again and again"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if page := written(t, explored(t, "race", explore.Options{})); strings.Contains(page, "repeat for ever.") || !strings.Contains(page, `"loop":null`) {
		t.Error("what is repeated nowhere is said to be")
	}
}
