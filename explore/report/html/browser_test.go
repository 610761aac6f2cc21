package html

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/guard"
)

// needBrowser makes the tests in a browser fail where there is none; else they are skipped.
var needBrowser = flag.Bool("browser", false, "fail if there is no browser to try the page in")

// shots is where to keep pictures of the pages, for those who want to look.
var shots = flag.String("shots", "", "keep screenshots in this folder")

// chromium returns the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const why = "no Chromium in the path: install one (Debian: apt-get install chromium) to try the page in a browser"
	if *needBrowser {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// running is the browser that all tests use, once one of them has started it.
var running struct {
	sync.Mutex
	ctx  context.Context
	stop func()
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if running.stop != nil {
		running.stop()
	}
	os.Exit(code)
}

// browser returns the browser.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := chromium(t)
	running.Lock()
	defer running.Unlock()
	if running.ctx != nil {
		return running.ctx
	}
	profile, err := os.MkdirTemp("", "clmc-browser")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocated)
	if err := chromedp.Do(ctx); err != nil { // it starts here, and not with the first page, whose end would end it
		t.Fatal(err)
	}
	running.ctx = ctx
	running.stop = func() {
		end()
		stop()
		os.RemoveAll(profile)
	}
	return ctx
}

// tab is a page in a browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	path string
	lock sync.Mutex
	bad  []string // what the browser has complained of
}

// open opens a page in a window of its own. Whatever the page's code throws, and whatever the
// policy forbids, fails the test.
func open(t *testing.T, page, hash string, width, height int64) *tab {
	t.Helper()
	v := &tab{t: t, path: filepath.Join(t.TempDir(), "page.html")}
	if err := os.WriteFile(v.path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(browser(t))
	t.Cleanup(end)
	ctx, late := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(late)
	v.ctx = ctx
	messages := chromedp.Console(ctx)
	guard.Go("console", func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			v.lock.Lock()
			v.bad = append(v.bad, m.String())
			v.lock.Unlock()
		}
	})
	t.Cleanup(func() {
		v.lock.Lock()
		defer v.lock.Unlock()
		if len(v.bad) > 0 {
			t.Errorf("the browser complains: %s", strings.Join(v.bad, "; "))
		}
	})
	v.do(chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+v.path+hash))
	return v
}

func (v *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// ask returns what an expression is in the page, when it is known.
func ask[T any](v *tab, expression string) T {
	v.t.Helper()
	out, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// text is ask for a text.
func (v *tab) text(expression string) string {
	v.t.Helper()
	return ask[string](v, "String("+expression+")")
}

// tell has the page perform something.
func (v *tab) tell(statement string) {
	v.t.Helper()
	ask[bool](v, "(() => { "+statement+"; return true; })()")
}

// want checks what an expression is.
func (v *tab) want(expression, want string) {
	v.t.Helper()
	if got := v.text(expression); got != want {
		v.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// where is the step that the page shows, in its own words.
const where = `document.getElementById("where").textContent`

func (v *tab) key(keys ...string) {
	v.t.Helper()
	for _, k := range keys {
		v.do(chromedp.KeyEvent(k))
	}
}

// frame waits until the page has drawn what it was told to.
func (v *tab) frame() {
	v.t.Helper()
	ask[bool](v, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

func (v *tab) click(selector string) {
	v.t.Helper()
	v.tell(`document.querySelector(` + quoted(selector) + `).scrollIntoView({ block: "center" })`)
	v.frame() // lists draw what has come into sight
	v.do(chromedp.Click(selector))
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a string always marshals
	return string(text)
}

// barrierModel has a barrier that orders the wrong memory.
const barrierModel = `package main

import "github.com/clmc/clmc/models/cl"

var a, b [2]int32

func k() {
	tile := cl.Local[[2]int32]()
	i := cl.GetLocalID(0)
	tile[i] = int32(i) + 5
	sum := int32(i)
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	sum += tile[1-i]
	a[0] = sum
	b[0] = sum
}

func main() {
	a[1] = 9
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// TestBrowserKeys steps through an execution by keys.
func TestBrowserKeys(t *testing.T) {
	rep := explored(t, "race", explore.Options{})
	n := len(rep.Traces[0].Steps)
	at := func(step int) string { return fmt.Sprintf("step %d of %d", step, n) }
	v := open(t, written(t, rep), "", 1400, 900)
	v.want(where, at(n))
	v.key(kb.ArrowLeft)
	v.want(where, at(n-1))
	v.want("location.hash", fmt.Sprintf("#step=%d", n-1))
	v.key(kb.Home)
	v.want(where, at(0))
	v.key(kb.ArrowLeft)
	v.want(where, at(0))
	v.key(kb.ArrowRight, "j")
	v.want(where, at(2))
	v.key("k")
	v.want(where, at(1))
	v.key(kb.End)
	v.want(where, at(n))
	v.key(kb.ArrowRight)
	v.want(where, at(n))
	v.key("f")
	v.want(where, at(rep.Traces[0].Accesses[0]))
	v.key("f")
	v.want(where, at(rep.Traces[0].Accesses[1]))
	v.do(chromedp.Focus("#lanes-view"))
	v.key(kb.ArrowUp)
	v.want(where, at(n-1))
	v.want(`document.getElementById(document.getElementById("lanes-view").getAttribute("aria-activedescendant")).getAttribute("aria-selected")`, "true")
	v.key("?")
	v.want(`document.getElementById("keys").open`, "true")
	v.key(kb.Escape)
	v.want(`document.getElementById("keys").open`, "false")
	v.key(kb.Home)
	v.want(`document.getElementById("said").textContent`, "Before the first step")
}

// TestBrowserLoops steps around what is repeated for ever.
func TestBrowserLoops(t *testing.T) {
	ask, err := explore.ParseLiveness("fair", "")
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, written(t, explored(t, "polite", explore.Options{Liveness: ask})), "", 1400, 900)
	v.click("#first")
	v.want(where, "step 0 of 10")
	v.click("#last")
	v.want(where, "step 10 of 10, again and again")
	v.click("#forward")
	v.want(where, "step 5 of 10, again and again")
	v.key("j")
	v.want(where, "step 6 of 10, again and again")
	v.click("#back")
	v.click("#back")
	v.want(where, "step 4 of 10")
}

// TestBrowserClicks uses what can be clicked.
func TestBrowserClicks(t *testing.T) {
	rep := explored(t, "race", explore.Options{})
	tr := rep.Traces[0]
	n := len(tr.Steps)
	v := open(t, written(t, rep), "", 1400, 900)
	v.click("#first")
	v.want(where, fmt.Sprintf("step 0 of %d", n))
	v.click("#forward")
	v.want(where, fmt.Sprintf("step 1 of %d", n))
	v.click("#last")
	v.click("#back")
	v.want(where, fmt.Sprintf("step %d of %d", n-1, n))
	v.click(".place .jump")
	v.want(where, fmt.Sprintf("step %d of %d", tr.Accesses[0], n))
	v.frame()
	v.click(fmt.Sprintf("#s%d", tr.Accesses[1]))
	v.want(where, fmt.Sprintf("step %d of %d", tr.Accesses[1], n))
	const arrows = `document.querySelectorAll("path.arrow.rf").length`
	before := v.text(arrows)
	if before == "0" {
		t.Error("no arrow is drawn")
	}
	v.click("[data-relation=rf]")
	v.want(arrows, "0")
	v.want(`document.querySelector("[data-relation=rf]:not(path)").getAttribute("aria-pressed")`, "false")
	v.key("r")
	v.want(arrows, before)
	high := v.text(`document.querySelector(".chip").offsetHeight`)
	v.click("#larger")
	v.frame()
	if v.text(`document.querySelector(".chip").offsetHeight`) <= high {
		t.Error("larger is not larger")
	}
	v.key("0")
	v.frame()
	v.want(`document.querySelector(".chip").offsetHeight`, high)
	line := tr.Steps[tr.Accesses[0]-1].Line
	v.click(fmt.Sprintf(".src:has(.no):nth-of-type(%d)", line))
	v.want(`document.querySelectorAll(".src.here").length`, "1")
}

// TestBrowserRegions switches the relations of one memory off.
func TestBrowserRegions(t *testing.T) {
	rep := reported(t, "regions.go", regionsModel, explore.Options{})
	v := open(t, written(t, rep), "", 1400, 900)
	const both = `["global", "local"].map((r) => document.querySelectorAll("path.arrow.rf." + r).length > 0)`
	v.want(both, "true,true")
	v.click("[data-region=local]")
	v.want(both, "true,false")
	v.want(`[...document.querySelectorAll("tr[data-location]")].some((r) => r.querySelector(".tag.local"))`, "false")
	v.key("l", "g")
	v.want(both, "false,true")
}

// regionsModel hands values over in global and in local memory, and fails.
const regionsModel = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func k() {
	y := cl.Local[cl.AtomicInt]()
	first := cl.GetLocalID(0) == 0
	if first {
		cl.AtomicStoreExplicit(y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if first {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		q := cl.AtomicLoadExplicit(y, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
		r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Assert(r+q < 2, "not both")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// severalModel fails in two ways.
const severalModel = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else if r := cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice); r == 0 {
		cl.Assert(r == 1, "late")
	} else {
		cl.Assert(r == 0, "early")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestBrowserLinks follows links into the page, to steps and to other violations.
func TestBrowserLinks(t *testing.T) {
	rep := reported(t, "several.go", severalModel, explore.Options{All: true})
	if len(rep.Traces) < 2 {
		t.Fatalf("%d violations, want several", len(rep.Traces))
	}
	v := open(t, written(t, rep), "#step=3", 1400, 900)
	v.want(where, fmt.Sprintf("step 3 of %d", len(rep.Traces[0].Steps)))
	v.want(`document.getElementById("finding-2").hidden`, "true")
	v.tell(`location.hash = "#violation=2&step=2"`)
	v.frame()
	v.want(where, fmt.Sprintf("step 2 of %d", len(rep.Traces[1].Steps)))
	v.want(`[document.getElementById("finding-1").hidden, document.getElementById("finding-2").hidden]`, "true,false")
	v.key("p")
	v.want(`document.getElementById("finding-1").hidden`, "false")
	v.click("[data-violation='2']")
	v.frame()
	v.want(`document.getElementById("finding-2").hidden`, "false")
	for _, wild := range []string{"#step=999999", "#step=-1", "#violation=77", "#step=x", "#<img src=x>"} {
		v.tell("location.hash = " + quoted(wild))
		v.frame()
		if !strings.HasPrefix(v.text(where), "step ") {
			t.Errorf("%s: the page shows %q", wild, v.text(where))
		}
	}
}

// seen is what the page's code knows after each step.
type seen struct {
	Latest [][]int    // by step and location: the step that wrote last, -1 for none
	Order  [][][]int  // by step and location
	Views  [][][2]int // by step and location, of the lane of the step: what it must see, and how many are behind
}

const history = `(() => {
	const e = new Execution(data.executions[0]);
	const out = { Latest: [], Order: [], Views: [] };
	for (let id = 0; id <= e.size; id++) {
		const all = e.memory.map((_, loc) => loc);
		out.Latest.push(all.map((loc) => e.latest(loc, id) ?? -1));
		out.Order.push(all.map((loc) => e.order(loc, id)));
		out.Views.push(id === 0 ? [] : all.map((loc) => { const s = e.seen(e.laneOf(id), loc, id); return s ? [s.of ?? -1, s.behind] : [-1, -1]; }));
	}
	return out;
})()`

// TestBrowserMemory compares memory and views as of each step with the trace, played step by step.
func TestBrowserMemory(t *testing.T) {
	for _, name := range []string{"buffering", "race", "barrier", "consequence", "values", "deadlock"} {
		t.Run(name, func(t *testing.T) {
			rep := explored(t, name, explore.Options{})
			v := open(t, written(t, rep), "", 1400, 900)
			got := ask[seen](v, history)
			comparePast(t, rep.Traces[0], &got)
			if rep.Traces[0].Location != "" { // what the violation is about comes first
				v.want(`document.querySelector("tr[data-location]").dataset.location`, rep.Traces[0].Location)
			}
		})
	}
}

// comparePast plays a trace: each write goes where the step says, at the end of modification order or
// before another one's.
func comparePast(t *testing.T, tr *trace.Trace, got *seen) {
	order := make([][]int, len(tr.Memory))
	for i := range tr.Memory {
		if o := tr.Memory[i].Order; len(o) > 0 && o[0] == 0 {
			order[i] = []int{0}
		}
	}
	for id := 0; id <= len(tr.Steps); id++ {
		if s := tr.Step(id); s != nil && s.Wrote != nil && s.Early == 0 {
			o := order[s.LocationIndex()]
			at := len(o)
			for k := range o {
				if s.Before > 0 && o[k] == s.Before {
					at = k
				}
			}
			order[s.LocationIndex()] = append(append(append([]int{}, o[:at]...), id), o[at:]...)
		}
		for loc, o := range order {
			last := -1
			if len(o) > 0 {
				last = o[len(o)-1]
			}
			if got.Latest[id][loc] != last || fmt.Sprint(got.Order[id][loc]) != fmt.Sprint(o) {
				t.Errorf("after step %d, %s has the order %v and ends in %d, want %v", id, tr.Memory[loc].Name, got.Order[id][loc], got.Latest[id][loc], o)
			}
			if s := tr.Step(id); s != nil && loc == s.LocationIndex() && (s.Wrote != nil || s.ReadsFrom != nil) && s.Kind != trace.Early {
				must := s.ID
				switch {
				case s.Early > 0:
					must = s.Early
				case s.Wrote == nil:
					must = *s.ReadsFrom
				}
				if has := got.Views[id][loc]; indexOf(o, has[0]) < indexOf(o, must) {
					t.Errorf("step %d accesses %s, and its lane need not see that: %v", id, tr.Memory[loc].Name, has)
				}
			}
		}
	}
}

func indexOf(list []int, n int) int {
	for i, m := range list {
		if m == n {
			return i
		}
	}
	return -1
}

// TestBrowserViews checks views where they can be told by hand: a release and an acquire hand over what came
// before, relaxed operations do not.
func TestBrowserViews(t *testing.T) {
	for _, test := range []struct {
		order, acquire string
		behind         int // of data, when the flag has been read
	}{{"Release", "Acquire", 0}, {"Relaxed", "Relaxed", 1}} {
		rep := reported(t, "mp.go", strings.NewReplacer("RELEASE", test.order, "ACQUIRE", test.acquire).Replace(handOver), explore.Options{})
		v := open(t, written(t, rep), "", 1400, 900)
		tr := rep.Traces[0]
		got := ask[seen](v, history)
		read, data := 0, 0
		for i := range tr.Steps {
			if s := &tr.Steps[i]; s.Kind == trace.Load && s.Location == "flag" && s.Read != nil && *s.Read == 1 {
				read = s.ID
			}
		}
		for i := range tr.Memory {
			if tr.Memory[i].Name == "data" {
				data = i
			}
		}
		if read == 0 {
			t.Fatal("nobody reads the flag")
		}
		if b := got.Views[read][data][1]; b != test.behind {
			t.Errorf("%s: when the flag has been read its reader is %d behind in data, want %d", test.order, b, test.behind)
		}
	}
}

// handOver fails whenever the flag is read, so that the trace shows that.
const handOver = `package main

import "github.com/clmc/clmc/models/cl"

var data, flag cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&data, 7, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRELEASE, cl.MemoryScopeDevice)
	} else {
		r := cl.AtomicLoadExplicit(&flag, cl.MemoryOrderACQUIRE, cl.MemoryScopeDevice)
		cl.Assert(r == 0, "not yet")
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestBrowserPrivate looks at private variables as of a step.
func TestBrowserPrivate(t *testing.T) {
	rep := reported(t, "sum.go", barrierModel, explore.Options{})
	v := open(t, written(t, rep), "", 1400, 900)
	tr := rep.Traces[0]
	for _, s := range tr.Steps {
		if s.Kind != trace.Depart {
			continue
		}
		v.tell(fmt.Sprintf(`location.hash = "#step=%d"`, tr.Barriers[0].Departures[len(tr.Barriers[0].Departures)-1]))
		v.frame()
		v.want(`[...document.querySelectorAll("table.private tr")].map((r) => r.querySelector("code").textContent).includes("sum")`, "true")
		return
	}
	t.Fatal("nobody passes the barrier")
}

// TestBrowserOutcomes shows executions that end in the outcomes of a program in which nothing goes wrong.
func TestBrowserOutcomes(t *testing.T) {
	rep := reported(t, "sb.go", storeBuffering, explore.Options{Witnesses: 10})
	if n := len(rep.Result.Outcomes); n != 4 { // each load reads 0 or 1, all four ways
		t.Fatalf("%d outcomes, want 4", n)
	}
	v := open(t, written(t, rep), "", 1400, 900)
	v.want(`document.querySelectorAll("[data-outcome]").length`, "4")
	v.click("[data-outcome='3']")
	v.want(`document.getElementById("explorer-title").textContent`, "Execution, outcome 3")
	v.want(`location.hash.startsWith("#outcome=3&step=")`, "true")
	v.tell(`location.hash = "#outcome=1&step=2"`)
	v.frame()
	v.want(`document.querySelector("[data-outcome='1']").getAttribute("aria-pressed")`, "true")
	for i, w := range rep.Witnesses {
		read := map[string]int64{}
		for _, s := range w.Steps {
			if s.Read != nil && s.Kind == trace.Load {
				read["saw_"+s.Location] = *s.Read
			}
		}
		for name, want := range rep.Result.Outcomes[i] { // "0:saw_y": of work-item 0
			if _, name, _ := strings.Cut(name, ":"); read[name] != want {
				t.Errorf("the execution with %v reads %v", rep.Result.Outcomes[i], read)
			}
		}
	}
}

// storeBuffering has four outcomes.
const storeBuffering = `package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Observe("saw_y", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	} else {
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.Observe("saw_x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestBrowserSlice shows at first what the violation depends on, and all steps when asked to.
func TestBrowserSlice(t *testing.T) {
	rep := reported(t, "sum.go", barrierModel, explore.Options{})
	tr := rep.Traces[0]
	if len(tr.Slice) == 0 || len(tr.Slice) == len(tr.Steps) {
		t.Fatalf("a slice of %d of %d steps", len(tr.Slice), len(tr.Steps))
	}
	v := open(t, written(t, rep), "", 1400, 1400)
	const folds, chips = `document.querySelectorAll(".fold").length > 0`, `[...document.querySelectorAll(".chip")].every((c) => app.slice.has(Number(c.dataset.to)))`
	v.want(folds, "true")
	v.want(chips, "true")
	v.key("x")
	v.want(folds, "false")
	v.want(`document.getElementById("slice").getAttribute("aria-pressed")`, "false")
	v.click("#slice")
	v.want(folds, "true")
	v.tell(`document.querySelector(".fold").click()`)
	v.want(folds, "false")
	rep.Full = true
	w := open(t, written(t, rep), "", 1400, 1400)
	w.want(folds, "false")
}

// TestBrowserHostile checks that hostile names are text: no element comes of them, and no code runs.
func TestBrowserHostile(t *testing.T) {
	v := open(t, written(t, hostileReport()), "", 1400, 900)
	v.key(kb.Home, kb.ArrowRight, kb.ArrowRight, "a", "n")
	v.tell(`document.querySelectorAll("button.location").forEach((b) => b.click())`)
	v.frame()
	v.want("typeof window.hacked", "undefined")
	v.want(`document.querySelectorAll("img").length`, "0")
	v.want(`document.querySelectorAll("script").length`, "2")
	v.want(`[...document.querySelectorAll("*")].some((e) => e.hasAttribute("onmouseover"))`, "false")
	if s := v.text(`document.querySelector(".lane-head b").textContent`); !strings.Contains(s, "<img src=x onerror=window.hacked=1>") {
		t.Errorf("the lane is called %q", s)
	}
}

// TestBrowserLarge checks that a page of many steps opens soon, and shows a step far down at once.
func TestBrowserLarge(t *testing.T) {
	for _, test := range []struct {
		steps, lanes, name int
		within             float64 // milliseconds
	}{{10_000, 8, 12, 1000}, {100_000, 1000, 40, 2000}, {2_000, 1000, 10_000, 2000}} {
		t.Run(fmt.Sprint(test.steps, " steps"), func(t *testing.T) {
			page := written(t, enormous(test.steps, test.lanes, test.name))
			best := 1e9
			for range 3 {
				v := open(t, page, "", 1400, 900)
				v.want(where, fmt.Sprintf("step %d of %d", test.steps, test.steps))
				took := ask[float64](v, `performance.timing.loadEventEnd - performance.timing.navigationStart`)
				v.tell(fmt.Sprintf(`location.hash = "#step=%d"`, test.steps/2))
				v.frame()
				v.want(where, fmt.Sprintf("step %d of %d", test.steps/2, test.steps))
				v.want(`document.querySelectorAll(".chip, .fold").length > 0 && document.querySelectorAll("*").length < 4000`, "true")
				if best = min(best, took); best <= test.within {
					break
				}
			}
			t.Logf("%d bytes, opened in %.0f ms", len(page), best)
			if best > test.within {
				t.Errorf("it takes %.0f ms to open, want %.0f", best, test.within)
			}
		})
	}
}

// TestBrowserLook checks what looks can be checked by: nothing sticks out, and all that can be pressed has a name. With -shots
// it keeps pictures.
func TestBrowserLook(t *testing.T) {
	for name, rep := range map[string]*report.Report{
		"race": explored(t, "race", explore.Options{}), "barrier": explored(t, "barrier", explore.Options{}), "deadlock": explored(t, "deadlock", explore.Options{}),
		"wide": explored(t, "wide", explore.Options{}), "buffering": explored(t, "buffering", explore.Options{}), "verified": explored(t, "verified", explore.Options{}),
		"several": reported(t, "several.go", severalModel, explore.Options{All: true}), "hostile": hostileReport(),
	} {
		for _, width := range []int64{1400, 1280, 700, 400} {
			t.Run(fmt.Sprint(name, " ", width), func(t *testing.T) {
				v := open(t, written(t, rep), "", width, 1000)
				v.frame()
				v.want("document.scrollingElement.scrollWidth <= innerWidth", "true")
				v.want(`[...document.querySelectorAll("button, select, input, a")].filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label"))).length`, "0")
				v.want(`[...document.querySelectorAll("[id]")].length === new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size`, "true")
				if *shots == "" {
					return
				}
				for _, scheme := range []string{"light", "dark"} {
					features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
					v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
						_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
						return err
					}))
					picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// longModel has lines and names for which there is no room.
const longModel = `package main

import "github.com/clmc/clmc/models/cl"

var data, copied [2]int32

func gatherTheBoundaryOfEachTileOfTheImage() {
	if i := cl.GetGlobalID(0); i == 0 && data[1] == 0 && data[1] < 100000 && cl.GetGlobalSize(0) == 2 && cl.GetLocalSize(0) == 1 { copied[1-i] = int32(i) + 5 } else { copied[i] = int32(i) + 1 }
}

func main() {
	cl.EnqueueNDRangeKernel(gatherTheBoundaryOfEachTileOfTheImage, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestBrowserLong checks that long lines of the source are whole where the page says what is wrong, and that of long names it
// shows what tells them apart.
func TestBrowserLong(t *testing.T) {
	rep := reported(t, "long.go", longModel, explore.Options{})
	for _, width := range []int64{1400, 700, 480} {
		v := open(t, written(t, rep), "", width, 1000)
		v.frame()
		v.want(`[...document.querySelectorAll(".place .code")].filter((e) => e.scrollWidth > e.clientWidth).length`, "0")
		v.want(`document.querySelector(".place .ln.here").textContent.includes("int32(i) + 1 }")`, "true")
		const inside = `((e) => { const a = e.getBoundingClientRect(), b = e.closest(".lane-head").getBoundingClientRect(); return a.width > 0 && a.right <= b.right && a.left >= b.left; })`
		v.want(`[...document.querySelectorAll(".lane-head .tail")].filter(`+inside+`).map((e) => e.textContent).sort().join(" ")`, "(0) (1)")
		v.want(`[...document.querySelectorAll("#state select option")].map((o) => o.textContent).filter((text) => text.length > 28).length`, "0")
		v.want(`((e) => { const a = e.getBoundingClientRect(), b = e.closest(".scroll").getBoundingClientRect(); return a.left >= b.left && a.right <= b.right; })(document.querySelector("#state select"))`, "true")
	}
}

// TestBrowserWithoutScripts checks what a page says where scripts do not run: the verdict, what is wrong, where, and that stepping needs them.
func TestBrowserWithoutScripts(t *testing.T) {
	page := written(t, explored(t, "race", explore.Options{}))
	for _, width := range []int64{1280, 400} {
		v := open(t, "<!doctype html><title>nothing</title>", "", width, 900)
		v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			return err
		}))
		if err := os.WriteFile(v.path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
		v.do(chromedp.Navigate("file://" + v.path))
		said := v.text("document.body.innerText")
		for _, want := range []string{"violated", "CL1001", "Data race on", "needs JavaScript"} {
			if !strings.Contains(said, want) {
				t.Errorf("%d wide: %q is missing in\n%s", width, want, said)
			}
		}
		v.want("document.scrollingElement.scrollWidth <= innerWidth", "true")
		v.want(`document.querySelectorAll(".place .ln").length > 0`, "true")
	}
}

// TestBrowserTab checks that the tab key comes to all that can be pressed, that one sees where it is, and that its step buttons step by the keyboard.
func TestBrowserTab(t *testing.T) {
	for _, width := range []int64{1280, 400} {
		v := open(t, written(t, explored(t, "race", explore.Options{})), "", width, 900)
		v.frame()
		v.tell("document.body.focus(); window.unseen = []")
		for range 300 {
			v.key("\t")
			if ask[bool](v, `(() => { const e = document.activeElement; if (e === document.body || "reached" in e.dataset) return true;
				e.dataset.reached = ""; const s = getComputedStyle(e); if (s.outlineStyle === "none" && s.boxShadow === "none") unseen.push(e.outerHTML.slice(0, 80)); return false; })()`) {
				break
			}
		}
		v.want(`unseen.join("\n")`, "")
		v.want(`document.querySelectorAll("[data-reached]").length > 5`, "true")
		const pressed = `[...document.querySelectorAll("button, select, input, a[href], summary")].filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled && !("reached" in e.dataset) && !(e.type === "radio" && !e.checked))`
		v.want(pressed+`.map((e) => e.outerHTML.slice(0, 80)).join("\n")`, "")
	}
}
