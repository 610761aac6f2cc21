package explore

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var allMutants = flag.Bool("mutants", false, "try every mutant, not a sample")

// mutant is a rule of the memory model that is broken on purpose, as a
// replacement in one source file.
type mutant struct {
	rule     string
	file     string
	old, new string
	styles   string // of random programs that should tell
}

// TestMutants breaks one rule after the other and sees the comparison with the
// axioms fail.
func TestMutants(t *testing.T) {
	for i, m := range mutants {
		if step := sample(); !*allMutants && i%step != 0 {
			continue
		}
		t.Run(m.rule, func(t *testing.T) {
			if out, survived := m.survives(t); survived {
				t.Errorf("nothing fails without it:\n%s", out)
			}
		})
	}
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) {
	for _, m := range slices.Concat(mutants, reductionMutants, symmetryMutants, needlessMutants) {
		source, err := os.ReadFile(filepath.Join("..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.old); n != 1 {
			t.Errorf("%s: %s contains %d times:\n%s", m.rule, m.file, n, m.old)
		}
	}
}

// sample returns which of the mutants are tried: each takes a build and a search.
func sample() int {
	if testing.Short() {
		return 60
	}
	return 40
}

func (m mutant) survives(t *testing.T) (out string, survived bool) {
	run, seeds := "^(TestNamed|TestReductionTraps|TestReductionsAgree|TestOracle|TestExecutions.*|TestPromises.*)$", "300"
	if strings.HasPrefix(m.rule, "canonical form") { // whose tests run all styles, and fail for a seed or two beyond
		run, seeds = "^(TestNamed|TestOracle|TestCanonical.*)$", "150"
	}
	return survives(t, m.file, m.old, m.new, "-run", run, "-seeds", seeds, "-styles", m.styles, ".")
}

// survives runs tests with a replacement in one source file.
func survives(t *testing.T, file, old, new string, args ...string) (out string, survived bool) {
	path, err := filepath.Abs(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), old); n != 1 {
		t.Fatalf("%s contains %d times:\n%s", file, n, old)
	}
	dir := t.TempDir()
	mutated := filepath.Join(dir, "mutated.go")
	write(t, mutated, []byte(strings.Replace(string(source), old, new, 1)))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	write(t, overlayFile, overlay)
	cmd := exec.Command("go", append([]string{"test", "-overlay", overlayFile, "-vet=off", "-failfast", "-timeout", "2m"}, args...)...)
	b, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(b), "build failed"):
		t.Fatalf("does not build:\n%s", b)
	case strings.Contains(string(b), "panic: test timed out"):
		t.Logf("takes too long, which may or may not be because of the mutant:\n%.2000s", b)
	}
	return string(b), err == nil
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

var mutants = []mutant{
	{"3.4 wider scopes on local memory mean work_group", "memmodel/layout.go",
		"		s, r = min(s, ScopeWorkGroup), min(r, ScopeWorkGroup)\n", "", "local,mix"},
	{"1.3 a generic pointer's region is that of what it points to", "memmodel/fence.go",
		"	region := m.L.Locs[x].Region\n", "	region := m.L.Locs[0].Region\n", "generic"},
	{"12.2 a command waits for its wait list", "state/command.go",
		"	return s.complete(cmd.Events) && s.complete(cmd.After)", "	return s.complete(cmd.After)", "commands"},
	{"12.4, 12.8 clWaitForEvents and clFinish order", "state/queue.go",
		"			s.Mem.Follow(u, c)\n			if s.code", "			if s.code", "commands"},
	{"12.5 an in-order queue keeps its order", "state/queue.go",
		"	case !outOfOrder || cmd.Kind", "	case !outOfOrder && false || cmd.Kind", "enq,commands"},
	{"12.6 a marker follows all before it", "state/queue.go",
		"cmd.Kind >= MarkerCommand && len(cmd.Events) == 0:", "cmd.Kind > MarkerCommand && len(cmd.Events) == 0:", "commands"},
	{"12.7 a barrier holds up what comes behind it", "state/queue.go",
		"c.Queue == cmd.Queue && c.Kind == BarrierCommand", "c.Queue == cmd.Queue && c.Kind > BarrierCommand", "commands"},
	{"12.21 queues run side by side", "state/queue.go",
		"s.last(func(c *Command) bool { return c.Queue == cmd.Queue })", "s.last(func(c *Command) bool { return true })", "commands"},
	{"2.4 all_svm_devices reaches the device only", "memmodel/layout.go",
		"		s = ScopeDevice // rule 2.4\n", "		return true\n", "kinds"},
	{"3.5 scopes must be the same", "memmodel/layout.go",
		"l.Spec.Inclusion == SameScope && s != r", "false && s != r", "mix,kinds"},
	{"3.6 a wider scope will do", "memmodel/layout.go",
		"l.Spec.Inclusion == SameScope && s != r", "s != r", "mix,kinds"},
	{"3.5 sub_group scope", "memmodel/layout.go",
		"a.SameGroup(*b) && a.Sub == b.Sub", "a.SameGroup(*b)", "subgroup"},
	{"3.5 work_group scope", "memmodel/layout.go",
		"	case ScopeWorkGroup:\n		return a.SameGroup(*b)\n", "	case ScopeWorkGroup:\n		return true\n", "mix,mp"},
	{"3.5 device scope", "memmodel/layout.go",
		"a.Host || !a.SameDevice(*b)", "a.Host", "kinds"},
	{"2.8 atomics of host threads work together", "memmodel/layout.go",
		"return a.Host && b.Host // the", "return false // the", "host"},
	{"2.1, 2.2 atomics between devices order fine-grained memory only", "memmodel/layout.go",
		"	return localComps | 1<<compFine\n", "	return allComps\n", "host"},
	{"12.21 atomics of one device order coarse-grained memory", "memmodel/layout.go",
		"!l.Traits.Grains || l.Units[t].SameDevice(l.Units[u])", "!l.Traits.Grains", "host"},
	{"4.4 a fence orders the memory of its flags", "memmodel/fence.go",
		"	case from.fence && flagComps(from.flags)&regionComps(region) == 0,\n		to.fence && flagComps(to.flags)&regionComps(region) == 0:\n		return 0 // rule 6.6\n", "", "mp,fences"},
	{"5.4 a release sequence ends at another unit's store", "memmodel/relseq.go",
		"	case c.segment > 0 && q.writer != c.owner || q.writer == initial:", "	case q.writer == initial:", "rs"},
	{"5.4 a release sequence contains read-modify-writes", "memmodel/relseq.go",
		"	case q.rmw:\n	case c.segment > 0", "	case c.segment > 0", "rs"},
	{"5.4 a later store may break a release sequence", "memmodel/relseq.go",
		"		return r.segments + 1\n", "		return 1\n", "rs"},
	{"5.4 what is assumed to break must break", "memmodel/relseq.go",
		"	if !g.broken {\n		return false\n	}\n	for", "	if true {\n		return false\n	}\n	for", "rs"},
	{"5.5 local and global happens-before are separate", "memmodel/fence.go",
		"	return regionComps(region) & between\n}\n\nfunc (k key)", "	_ = between\n	return allComps\n}\n\nfunc (k key)", "mp,mix"},
	{"6.1 an acquire synchronises", "memmodel/access.go",
		"			if o.Acquires() {\n				m.synchronise(src, me, x)\n			}\n", "			_ = me\n", "glob,mp"},
	{"6.1 a release publishes", "memmodel/access.go",
		"		if o.Releases() {\n			own :=", "		if false {\n			own :=", "glob,mp"},
	{"6.2 only with inclusive scope", "memmodel/fence.go",
		"	case !m.L.inclusive(int(from.unit), from.scope, int(to.unit), to.scope, x):\n		return 0\n", "", "mp,mix"},
	{"6.3 an acquire fence takes what was read before", "memmodel/fence.go",
		"		m.acquire(u, k)\n	}\n	if o.Releases()", "	}\n	if o.Releases()", "mp,fences"},
	{"6.4 a release fence publishes through later writes", "memmodel/access.go",
		"			msg.src = m.attach(msg.src, m.relf[i])\n", "			_ = i\n", "mp,fences"},
	{"6.3 the scopes of the fences count, not the accesses'", "memmodel/fence.go",
		"	k := key{unit: int32(u), scope: s, flags: f, fence: true, sc: o == SeqCst}\n", "	k := key{unit: int32(u), scope: ScopeDevice, flags: f, fence: true, sc: o == SeqCst}\n", "mp,fences"},
	{"6.7 two-flag fences order both regions", "memmodel/fence.go",
		"from.fence && to.fence && from.twoFlag() && to.twoFlag()", "false", "mp,fences"},
	{"6.7 only if both fences have both flags", "memmodel/fence.go",
		"from.fence && to.fence && from.twoFlag() && to.twoFlag()", "from.fence && to.fence && (from.twoFlag() || to.twoFlag())", "mp,fences"},
	{"6.8 a pair of seq_cst operations orders both regions", "memmodel/fence.go",
		"from.sc && to.sc && m.L.Spec.SCBoth", "false", "mp,local"},
	{"6.9 a relaxed fence does nothing, an acq_rel one releases", "memmodel/fence.go",
		"	if o.Releases() {\n		m.release(u, k)\n	}\n", "	if o == Release {\n		m.release(u, k)\n	}\n", "mp,fences"},
	{"7.2 an older message may be read", "memmodel/access.go",
		"	return n - max(lo-1, 0)\n", "	return min(1, n-max(lo-1, 0))\n", "glob"},
	{"7.3 a store is later than what the unit knows", "memmodel/access.go",
		"	return len(m.list(x)) - int(*m.seen(u, x)) + 1\n", "	return len(m.list(x)) + 1 - min(1, len(m.list(x)))\n", "glob"},
	{"7.4 a read moves the unit's view", "memmodel/access.go",
		"uint32(at+1) > *v {\n		*v = uint32(at + 1)", "uint32(at+1) > *v {\n		*v = *v + 0", "glob"},
	{"7.3 a store may come before ones that exist", "memmodel/access.go",
		"	p := len(list) - back\n	if back > 0", "	p := len(list) - back\n	if back > 0 {\n		return false\n	}\n	if back > 0", "glob,rs"},
	{"7.7 nothing comes between a read-modify-write and its source", "memmodel/access.go",
		"back > 0 && list[p].rmw", "false && list[p].rmw", "glob,rs,cas"},
	{"7.7 two read-modify-writes do not read one message", "memmodel/access.go",
		"	return back == 0 || !list[len(list)-back].rmw\n", "	return true || list[0].rmw\n", "cas,rs"},
	{"8.2 S respects happens-before", "memmodel/seqcst.go",
		"if m.reached(o, u, comps) && !m.edge(o, e)", "if false && !m.edge(o, e)", "sc,scf"},
	{"8.3 a seq_cst load precedes later seq_cst writes", "memmodel/seqcst.go",
		"if ev != scNone && (all || known) && !m.edge(ev, a)", "if false && known", "sc"},
	{"8.3 the last seq_cst write before a load is not hidden by what it knows", "memmodel/seqcst.go",
		"	return m.fillGaps(gaps)\n", "	return gaps == nil || true\n", "sc"},
	{"8.4 a fence precedes seq_cst writes later than what is read after it", "memmodel/seqcst.go",
		"if !m.edges(fences, a, scNone) { // rule 8.4", "if false {", "scf,sc"},
	{"8.5, 8.6 a reader precedes fences behind later writes", "memmodel/seqcst.go",
		"		if !m.allBefore(fences|me, m.fencesAfter(q)) { // rules 8.5, 8.6\n			return false\n		}\n", "", "scf"},
	{"8.5 to 8.7 a fence follows those that its unit's writes follow", "memmodel/seqcst.go",
		"!m.edges(before, e, e) { // rules 8.5 to 8.7", "false {", "scf"},
	{"8.7 two fences order the writes around them", "memmodel/seqcst.go",
		"		before := fences // rule 8.7\n", "		before := scSet(0)\n", "scf"},
	{"8.1 the condition of OpenCL 2.0", "memmodel/seqcst.go",
		"func (g *scGraph) condition() bool { return !g.other && !(g.fine && g.device) }", "func (g *scGraph) condition() bool { return true }", "sc,mix,scf"},
	{"9.1 an unordered conflict is a race", "memmodel/race.go",
		"if na || r.na || !m.L.inclusive(t, r.scope, u, s, x) {", "if false {", "mix,plain"},
	{"9.2 atomics of scopes that are not inclusive race", "memmodel/race.go",
		"if na || r.na || !m.L.inclusive(t, r.scope, u, s, x) {", "if na || r.na {", "mix,kinds"},
	{"9.2 inclusive atomics do not race", "memmodel/race.go",
		"if na || r.na || !m.L.inclusive(t, r.scope, u, s, x) {", "if true {", "glob"},
	{"9.2 two reads do not race", "memmodel/race.go",
		"t == u || !(r.write || write) || r.event <= k[t]", "t == u || r.event <= k[t]", "plain,mix"},
	{"9.1 happens-before orders a conflict", "memmodel/race.go",
		"|| r.event <= k[t] {", "|| r.event <= 0*k[t] {", "plain,mp"},
	{"9.1 an earlier read races with a later write", "memmodel/race.go",
		"m.remember(x, record{", "if !write {\n		return\n	}\n	m.remember(x, record{", "plain,mp"},
	{"10.2 a failed compare-exchange has the failure order", "state/step.go",
		"int(c.Broken), in.FailOrder, in.Scope)", "int(c.Broken), in.Order, in.Scope)", "cas"},
	{"10.2 a failed compare-exchange does not write", "state/step.go",
		"		if c.Fail { // rule 10.2", "		if false { // rule 10.2", "cas"},
	{"10.3 a weak compare-exchange may fail", "state/step.go",
		"(!hit || in.Weak)", "(!hit)", "cas"},
	{"11.1 all must reach the barrier", "state/barrier.go",
		"		if s.status[t] == Ended || s.status[t] == AtBarrier && m.needs(s, t, u) {\n			s.diverge(u, t)\n		}\n", "", "bar"},
	{"11.2 the entry fence publishes through later writes", "memmodel/fence.go",
		"	m.release(u, key{unit: int32(u), scope: s, flags: f, fence: true})\n}\n\n// Depart", "}\n\n// Depart", "bar"},
	{"11.2 the exit fence takes what was read before", "memmodel/fence.go",
		"		m.acquire(u, key{unit: int32(u), scope: s, flags: f, fence: true})\n	}\n}", "	}\n}", "bar"},
	{"11.3 a barrier synchronises in its flags' memory", "memmodel/fence.go",
		"		m.absorb(u, joint, comps)\n", "		m.absorb(u, joint, 0)\n", "bar"},
	{"11.4 and in no other", "memmodel/fence.go",
		"		m.absorb(u, joint, comps)\n", "		m.absorb(u, joint, allComps)\n", "bar"},
	{"11.5 a sub-group barrier joins a sub-group only", "state/barrier.go",
		"		return &s.Cast.Groups[s.Cast.Units[u].Sub]\n", "		return &s.Cast.Groups[s.Cast.Units[u].Group]\n", "subgroup"},
	{"11.6 a collective orders no memory", "state/barrier.go",
		"		all = m.collect(s, g, in)\n", "		s.Mem.Depart(g.Units, 3, 2)\n		all = m.collect(s, g, in)\n", "groups"},
	{"11.6 all must come to a collective", "state/barrier.go",
		"		all = false\n", "		all = in.Op == ir.OpCollective\n", "groups"},
	{"11.6 who broadcasts must be the same for all", "state/collective.go",
		"	return mine.Group != ir.GroupBroadcast || ", "	return true || ", "groups"},
	{"11.6 what is broadcast is the value of the one named", "state/collective.go",
		"		sender := g.Units[from]\n", "		sender := g.Units[int64(len(g.Units))-1-from]\n", "groups"},
	{"11.6 an exclusive scan leaves the work-item out", "state/collective.go",
		"in.Group == ir.GroupScanExclusive", "false", "groups"},
	{"11.6 a reduction is over all", "state/collective.go",
		"in.Group == ir.GroupReduce", "false", "groups"},
	{"6.10 a work-item's own write of an image needs a fence", "memmodel/race.go",
		"		if t == u && m.L.comp[x] == compImage", "		if false && m.L.comp[x] == compImage", "groups"},
	{"6.10 a fence with the image flag is enough", "memmodel/fence.go",
		"	m.tick(u)\n	if f&ImageFence != 0 {\n		m.commit(u)\n	}\n	k :=", "	m.tick(u)\n	k :=", "groups"},
	{"6.10 a fence without the image flag is not", "memmodel/fence.go",
		"	m.tick(u)\n	if f&ImageFence != 0 {\n		m.commit(u)\n	}\n	k :=", "	m.tick(u)\n	m.commit(u)\n	k :=", "groups"},
	{"11.3 a barrier with the image flag joins what is known of images", "memmodel/layout.go",
		"		c |= imageComps\n", "		c |= imageComps & 0\n", "groups"},
	{"4.4 and one without it does not", "memmodel/layout.go",
		"	if f&ImageFence != 0 {\n		c |=", "	if f != 0 {\n		c |=", "groups"},
	{"canonical form: a work-item's own access of an image is kept", "memmodel/canon.go",
		"(u != int(r.unit) || m.L.images && k == m.L.clock[compImage])", "(u != int(r.unit))", "groups"},
	{"12.1 an enqueue by the host shows the kernel what the host did", "state/queue.go",
		"	s.Mem.Follow(s.Cast.index[id], u)\n", "", "enq,commands"},
	{"12.1 an enqueue by a kernel orders fine-grained memory", "state/enqueue.go",
		"	s.Mem.FollowFine(d, u)\n", "", "enq"},
	{"12.1 and no other", "state/enqueue.go",
		"	s.Mem.FollowFine(d, u)\n", "	s.Mem.Follow(d, u)\n", "enq"},
	{"12.1 a child starts after its parent has", "state/enqueue.go",
		"	s.Mem.Follow(d, s.helper(s.Cast.Units[u].command, originCommand, 0))\n", "", "enq"},
	{"12.2 a command starts when its wait list is complete", "state/command.go",
		"return s.complete(cmd.Events) && s.complete(cmd.After) && s", "return s.complete(cmd.After) && s", "enq"},
	{"12.2 an event shows who waits for it what the command did", "state/command.go",
		"slices.Contains(waits.Events, id) || slices", "slices", "enq"},
	{"12.2 also if it was complete before", "state/command.go",
		"			if p, ok := s.Cast.index[id]; ok && s.status[p] == Ended {\n				s.Mem.Follow(c, p)\n", "			if p, ok := s.Cast.index[id]; ok && s.status[p] == Ended {\n", "enq"},
	{"12.8 clFinish waits", "state/queue.go",
		"		if s.status[c] != Ended && m.awaiting(s, u, c) {\n			return false\n", "		if s.status[c] != Ended && m.awaiting(s, u, c) {\n			break\n", "enq,commands"},
	{"12.9 a start precedes the work-items", "state/command.go",
		"		s.Mem.Follow(u, c)\n	}\n	for i := range items {\n		m.run", "	}\n	for i := range items {\n		m.run", "enq"},
	{"12.9 the work-items precede the completion", "state/enqueue.go",
		"	s.Mem.Follow(c, u)\n	over :=", "	over :=", "enq"},
	{"12.11 setting a user event precedes what waits for it", "state/enqueue.go",
		"		s.Mem.Follow(e, u)\n		m.complete(s", "		m.complete(s", "enq"},
	{"12.12 WAIT_KERNEL follows the parent", "state/enqueue.go",
		"		s.Mem.Follow(c, parent.command)\n", "", "enq"},
	{"12.12 WAIT_WORK_GROUP follows the work-group", "state/enqueue.go",
		"		s.Mem.Follow(c, s.helper(parent.command, groupCommand, parent.Place.Group))\n", "", "enq"},
	{"12.12 and no other", "state/enqueue.go",
		"		s.Mem.Follow(c, s.helper(parent.command, groupCommand, parent.Place.Group))\n", "		s.Mem.Follow(c, parent.command)\n", "enq"},
	{"12.12 the flags delay the start", "state/command.go",
		" && s.complete(cmd.After) && s.released(cmd)\n", " && s.complete(cmd.After)\n", "enq"},
	{"12.12 WAIT_KERNEL does not follow other children", "state/enqueue.go",
		"p < 0 || m.children[s.Cast.Units[p].cmd.Func].waitKernel {", "p < 0 {", "enq"},
	{"12.15 a parent completes after its children", "state/command.go",
		"(s.Cast.Units[u].command == c || s.Cast.descends(u, c))", "s.Cast.Units[u].command == c", "enq"},
	{"12.15 the completion shows what the children did", "state/command.go",
		"			s.Mem.Follow(c, d)\n			s.Mem.End(d)\n", "			s.Mem.End(d)\n", "enq"},
	{"12.16 a child that fails makes its parent fail", "state/command.go",
		"cmd.started && s.Cast.descends(d, c) || ", "", "enq"},
	{"12.16 what waits for a failed event does not run", "state/command.go",
		"!cmd.started && slices.Contains(cmd.Events, s.Cast.Units[d].ID)", "false", "enq"},
	{"12.17 an enqueue may fail", "state/enqueue.go",
		"		out = append(out, Choice{Fail: true})\n", "", "enq"},
	{"12.18 a marker waits", "state/enqueue.go",
		"Command{Kind: MarkerCommand, Queue: args[0], Events: events}", "Command{Kind: MarkerCommand, Queue: args[0], Events: events[:0]}", "enq"},
	{"3.5 device scope on a buffer covers the children", "memmodel/layout.go",
		"l.Spec.Kindless || a.SameFamily(*b)", "l.Spec.Kindless || a.Kernel == b.Kernel", "enq"},
	{"2.7 a map command may undo what it does not know of", "state/mapping.go",
		"		out = append(out, Choice{Fail: true})\n", "		_ = x\n", "maps"},
	{"2.7 but nothing that it follows", "memmodel/access.go",
		"	at := int(*m.seen(u, x)) - 1\n	m.tick(u)\n	m.insert(", "	at := 0\n	m.tick(u)\n	m.insert(", "maps"},
	{"2.1 an unmap command counts as an access", "state/mapping.go",
		"			s.Mem.Touch(u, x+int(k), s.maps[i].writes)\n", "			_ = k\n", "maps"},
	{"2.1 it ends the mapping that it knows of", "state/mapping.go",
		"return same(o) && s.knowsOf(u, o.by)", "return same(o)", "maps"},
	{"2.1 the host knows what it has mapped", "state/mapping.go",
		" || !s.knowsOf(u, q.by) {", " {", "maps"},
	{"2.1 nobody else touches what is mapped for writing, nor writes the rest", "state/mapping.go",
		"		return !q.writes && !write\n", "		return true\n", "maps"},
	{"reduction: it matters who maps or unmaps first", "state/machine.go",
		"	case in.Op == ir.OpMap, in.Op == ir.OpUnmap:\n		return m.regionOf(s, u, in)\n", "", "maps"},
	{"reduction: and who touches what is mapped", "state/machine.go",
		"		return m.asksFor(s, u, in)\n", "		return -1\n", "maps"},
	{"12.1 clFinish orders nothing for what other host threads enqueue", "state/queue.go",
		"Command{Kind: finishCommand,", "Command{Kind: MarkerCommand,", "threads"},
	{"12.8 clFinish waits for what has been enqueued before, by any host thread", "state/queue.go",
		"	} else if m.threads {\n", "	} else if false {\n", "threads"},
	{"12.5 host threads take turns at a queue", "state/machine.go",
		"	case m.threads && (in.Op.Queued() || in.Op == ir.OpFinish):\n		return m.turn(f, s.reg(u), in)\n", "", "threads"},
	{"12.10 a callback follows its event", "state/thread.go",
		"	s.Mem.Follow(t, c)\n	s.Mem.End(c)\n", "	s.Mem.End(c)\n", "threads"},
	{"12.10 a callback follows its registration", "state/thread.go",
		"	s.Mem.Follow(s.Cast.index[id], u)\n", "	_ = id\n", "threads"},
	{"12.10 a callback is told the status", "state/thread.go",
		"	args[0] = status\n", "	args[0] = 0 * status\n", "threads"},
	{"12.11 who sets a user event sees its status", "state/enqueue.go",
		"			s.Mem.Follow(u, e)\n", "			_ = u\n", "threads"},
	{"a status once seen is seen again", "state/status.go",
		"		v, _ = s.Mem.Load(u, x, int(c.Back), 0, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)\n", "		v = s.Mem.Value(x, int(c.Back))\n", "threads"},
	{"a host thread starts with what its starter knows", "state/thread.go",
		"	s.Mem.Follow(t, u)\n	s.pc[u]++\n", "	s.pc[u]++\n", "threads"},
	{"a command that completes may be seen to by its status only", "state/command.go",
		"	if len(codes) > 1 || m.polls && s.Cast.Units[c].cmd.enqueued() {\n", "	if len(codes) > 1 {\n", "threads"},
	{"reduction: kernels that may be enqueued may write", "state/maywrite.go",
		"if f.ahead.kernels.has(fn) {", "if false {", "enq"},
	{"canonical form: what someone can read is kept", "memmodel/canon.go",
		"	lo := min(int(c.low[m.L.slot[a]]), len(list)) - 1\n", "	lo := len(list) - 1\n", "glob"},
	{"canonical form: release heads are kept", "memmodel/canon.go",
		"		if s.segment == 0 && list[s.at].src != none || m.releases(list[s.at].src, s.owner) {\n", "		if false && m.releases(list[s.at].src, s.owner) {\n", "rs,mp"},
	{"canonical form: records are kept while they matter", "memmodel/canon.go",
		"		if (u != int(r.unit) || m", "		if (u > int(r.unit) || m", "plain,mp,mix"},
	{"canonical form: contracted events pass on what precedes them", "memmodel/contract.go",
		"			*s |= before[bits.TrailingZeros64(uint64(gone))]\n", "			_ = before\n", "scf,sc"},
	{"reduction: an addition commutes with additions only", "state/eager.go",
		"		case f.apart[k][word]&bit != 0:\n			return false\n", "", "blind"},
	{"reduction: an addition does not commute if its unit looks later", "state/eager.go",
		"		case f.apart[k][word]&bit != 0:\n", "		case t != u && f.apart[k][word]&bit != 0:\n", "blind"},
	{"reduction: additions through which fences meet do not commute", "state/eager.go",
		" && s.Mem.WouldTell(u, t, region) {", " && false {", "blind"},
	{"reduction: an access behind a barrier is not ordered for other groups", "state/eager.go",
		"			e = ever\n", "			_ = t\n", "blind"},
	{"reduction: a barrier orders the memory that it names", "state/maywrite.go",
		"		return in.Op == ir.OpBarrier && in.Flags&memmodel.LocalFence != 0\n", "		return true\n", "cas"},
	{"reduction: the result of an addition must be dead", "state/eager.go",
		" || in.Dst >= 0 && f.LiveAt(pc+1, int(in.Dst)) {", " {", "rs,glob"},
	{"promises: each step leaves them certified", "state/promise.go",
		"s.Mem.Promises(u) > 0 && !m.keepsPromises(s, u)", "false && !m.keepsPromises(s, u)", "lb"},
	{"promises: certified by a unit alone, without meeting others at a barrier", "state/promise.go",
		"	return !in.Op.Visible() || in.Op.Access() || in.Op == ir.OpChoose\n", "	return in.Op != ir.OpEnd\n", "lb"},
	{"promises: made of what can be reached alone", "state/promise.go",
		"ok && !first && !slices.Contains", "ok && first && !slices.Contains", "lb"},
	{"promises: no release of the location comes between", "memmodel/promise.go",
		"(releases && int(p.loc) == x || p.sealed()", "(p.sealed()", "lb"},
	{"promises: no action of the region comes before a promised release", "memmodel/promise.go",
		"	return comps&own != 0\n", "	return comps&own == 255\n", "lb"},
	{"promises: kept where the unit has not read past them", "memmodel/promise.go",
		"case p.at >= int32(*m.seen(u, x)):", "case true:", "lb"},
	{"promises: insertions move them", "memmodel/promise.go",
		"int(q.loc) == x && int(q.at) >= p", "int(q.loc) == x && int(q.at) < 0", "lb"},
	{"promises: part of the state", "memmodel/codec.go",
		"	return append(b, byte(p.Order), byte(p.Scope), bit(p.RMW))\n", "	p.Val++\n	return append(b, byte(p.Order), byte(p.Scope), bit(p.RMW))\n", "lb"},
	{"promises: matter by way of a barrier", "state/cycle.go",
		"	case in.Op.Meets():\n		return one(", "	case in.Op.Meets():\n		return !writes && one(", "lb"},
	{"promises: matter to reads of what they write", "state/cycle.go",
		"if at.spot == h.from && h.read.follows(at.write) && (at.loose ||", "if at.spot == h.from && (", "lb"},
	{"promises: read-modify-writes may be promised", "state/cycle.go",
		"able := !host &&", "able := !host && w.Op == ir.OpStore &&", "lb"},
	{"promises: not across a release fence of the memory written", "memmodel/promise.go",
		"o != SeqCst && flagComps(f)&regionComps(r) == 0", "o != SeqCst", "lb"},
	{"promises: those who may promise do not sleep", "por/reducer.go",
		"	return sleep.With(u) &^ r.awake\n", "	return sleep.With(u)\n", "lb"},
}
