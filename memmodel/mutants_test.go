package memmodel_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, in one way after the other, what keeps shared views apart.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"who changes a view shares it no more", "memmodel/view.go",
		"	if !m.shares(u) {\n		return m.vector", "	if m.row[u] != none {\n		return m.vector", "^TestSharedViews$"},
	{"those who share a view are changed alike", "memmodel/view.go",
		"		case *to > 0:\n			m.adopt(u, *to-1)\n", "		case *to > 0:\n", "^TestSharedViews$"},
	{"who publishes tells what it has done", "memmodel/view.go",
		"	m.whole(m.snap(i), u)\n", "", "^TestSharedViews$"},
	{"who is joined tells what it has done", "memmodel/view.go",
		"\tm.addOwnEvents(to, t, comps)\n", "", "^TestSharedViews$"},
	{"who shares a view knows nothing of itself by it: what is told", "memmodel/fence.go",
		" && !m.L.own(u, c, at) {", " {", "^TestSharedViews$"},
	{"what would be ordered", "memmodel/dominate.go",
		"			if w[at] > v[at] && !l.own(u, k, at) {", "			if w[at] > v[at] {", "^TestSharedViews$"},
	{"what another knows", "memmodel/inspect.go",
		"			if mine[at] < v && !m.L.own(u, k, at) {", "			if mine[at] < v {", "^TestSharedViews$"},
	{"what one has done another may not know", "memmodel/inspect.go",
		"				v = m.done(t, k)\n", "				v = theirs[at]\n", "^TestSharedViews$"},
	{"nothing need tell a unit what it has done", "memmodel/compact.go",
		"	m.whole(c.known, u)\n", "", "^TestSharedViews$"},
	{"nobody is less sure of it", "memmodel/relseq.go",
		" && u != but &&", " &&", "^TestSharedViews$"},
	{"it is no part of the state", "memmodel/codec.go",
		"				if Unit(t) == own {", "				if false {", "^TestSharedViews$"},
	{"which of its accesses a fence has come after is", "memmodel/codec.go",
		"	b = appendWords(appendWords(b, m.count), m.committed)\n", "	b = appendWords(appendWords(b, m.count), make([]uint32, len(m.committed)))\n", "^TestSharedViews$"},
	{"it is renamed", "memmodel/rename.go",
		"		permute(m.committed, r.Units, &c.words)\n", "", "^TestSharedViews$"},
	{"it is in order", "memmodel/rank.go",
		"		m.committed[u] = rankBefore(c.refs[u], v, imageComps)\n", "		_, _ = u, v\n", "^TestSharedViews$"},
	{"who has seen the same as another may know what that has done", "memmodel/codec.go",
		"					b = appendWord(b, clocks[before])\n", "					b = append(b, 0)\n", "^TestSharedViews$"},
	{"two have seen the same who differ in what they have done", "memmodel/view.go",
		"			if v[at] != w[at] && !m.L.own(t, c, at) && !m.L.own(u, c, at) {", "			if v[at] != w[at] {", "^TestSharedViews$"},
	{"two who are to share a view agree on the one whose it was", "memmodel/view.go",
		"			w[at] = v[at] // it counts from now on\n", "", "^TestSharedViews$"},
	{"three do", "memmodel/view.go",
		"		case m.users[r] > 1:\n			return\n", "", "^TestSharedViews$"},
	{"so do they when they are decoded", "memmodel/codec.go",
		"			v[at] = e\n", "			_ = v\n", "^TestSharedViews$"},
	{"all of them", "memmodel/codec.go",
		"			m.change(u)[at] = e\n", "			v[at] = e\n", "^TestSharedViews$"},
	{"views are renamed", "memmodel/rename.go",
		"	permute(m.row, r.Units, &c.heads)\n", "", "^TestSharedViews$"},
	{"those who share a view still do in another layout", "memmodel/relayout.go",
		"			m.adopt(to, moved[r]-1)\n", "			_ = to\n", "^TestSharedViews$"},
	{"views that are edited alike are shared", "memmodel/future.go",
		"		if slices.Equal(c.view, m.vector(r)) {\n", "		if true {\n", "^TestSharedViews$"},
	{"a view that is edited is another's, too", "memmodel/future.go",
		"	if v = m.view(u); !m.shares(u) {\n", "	if v = m.view(u); m.row[u] != none {\n", "^TestSharedViews$"},
})
