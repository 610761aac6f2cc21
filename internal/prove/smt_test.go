package prove

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
)

var smtDir = flag.String("smt", "", "a folder for the SMT-LIB text of each question that TestQuestions asks")

// smt writes a question as SMT-LIB text.
type smt struct {
	b     strings.Builder
	names map[*term]string
	reads map[string][]*term
}

// smtText is a question whether a truth value can hold.
func smtText(t *term) string {
	s := &smt{names: map[*term]string{}, reads: map[string][]*term{}}
	s.b.WriteString("(set-logic QF_BV)\n")
	fmt.Fprintf(&s.b, "(assert (= %s #b1))\n(check-sat)\n", s.of(t))
	return s.b.String()
}

func (s *smt) fresh(w int) string {
	name := fmt.Sprintf("v%d", s.b.Len())
	fmt.Fprintf(&s.b, "(declare-const %s (_ BitVec %d))\n", name, w)
	return name
}

// number is v in so many bits.
func smtNumber(w int, v uint64) string { return fmt.Sprintf("(_ bv%d %d)", v&mask(w), w) }

// of names a term. What it is made of comes before it.
func (s *smt) of(t *term) string {
	if name, ok := s.names[t]; ok {
		return name
	}
	var args []string
	for _, a := range t.args {
		args = append(args, s.of(a))
	}
	name := ""
	switch t.op {
	case opSym, opFun:
		name = s.fresh(t.w)
	case opRead: // equal arguments give equal values
		name = s.fresh(t.w)
		for _, o := range s.reads[t.name] {
			if o.w == t.w && len(o.args) == len(t.args) {
				same := "true"
				for i := range t.args {
					same = fmt.Sprintf("(and %s (= %s %s))", same, args[i], s.names[o.args[i]])
				}
				fmt.Fprintf(&s.b, "(assert (=> %s (= %s %s)))\n", same, name, s.names[o])
			}
		}
		s.reads[t.name] = append(s.reads[t.name], t)
	default:
		text := s.made(t, args)
		name = fmt.Sprintf("t%d", s.b.Len())
		fmt.Fprintf(&s.b, "(define-fun %s () (_ BitVec %d) %s)\n", name, t.w, text)
	}
	s.names[t] = name
	return name
}

// made is a term as a function of others.
func (s *smt) made(t *term, args []string) string {
	truth := func(text string) string { return "(ite " + text + " #b1 #b0)" }
	two := func(f string) string { return fmt.Sprintf("(%s %s %s)", f, args[0], args[1]) }
	many := func(f string) string {
		text := args[0]
		for _, a := range args[1:] {
			text = fmt.Sprintf("(%s %s %s)", f, text, a)
		}
		return text
	}
	switch t.op {
	case opConst:
		return smtNumber(t.w, t.k)
	case opLin:
		text := smtNumber(t.w, t.k)
		for i, a := range args {
			text = fmt.Sprintf("(bvadd %s (bvmul %s %s))", text, smtNumber(t.w, t.coef[i]), a)
		}
		return text
	case opMul:
		return two("bvmul")
	case opDiv:
		return fmt.Sprintf("(ite (= %s %s) %s %s)", args[1], smtNumber(t.w, 0), s.fresh(t.w), two("bvudiv"))
	case opRem:
		return fmt.Sprintf("(ite (= %s %s) %s %s)", args[1], smtNumber(t.w, 0), s.fresh(t.w), two("bvurem"))
	case opShl, opShr, opSar:
		return shiftText(t, args)
	case opAnd:
		return many("bvand")
	case opOr:
		return many("bvor")
	case opXor:
		return many("bvxor")
	case opNot:
		return "(bvnot " + args[0] + ")"
	case opEq:
		return truth(two("="))
	case opUlt:
		return truth(two("bvult"))
	case opSlt:
		return truth(two("bvslt"))
	case opIte:
		return fmt.Sprintf("(ite (= %s #b1) %s %s)", args[0], args[1], args[2])
	case opZext:
		return fmt.Sprintf("((_ zero_extend %d) %s)", t.w-t.args[0].w, args[0])
	case opSext:
		return fmt.Sprintf("((_ sign_extend %d) %s)", t.w-t.args[0].w, args[0])
	case opTrunc:
		return fmt.Sprintf("((_ extract %d 0) %s)", t.w-1, args[0])
	}
	panic(fmt.Sprint("a term of operation ", t.op))
}

// shiftText shifts by what may have another width.
func shiftText(t *term, args []string) string {
	w, by := t.args[0].w, t.args[1].w
	most := max(w, by)
	extend := "zero_extend"
	if t.op == opSar {
		extend = "sign_extend"
	}
	f := map[op]string{opShl: "bvshl", opShr: "bvlshr", opSar: "bvashr"}[t.op]
	return fmt.Sprintf("((_ extract %d 0) (%s ((_ %s %d) %s) ((_ zero_extend %d) %s)))", w-1, f, extend, most-w, args[0], most-by, args[1])
}

// asked is a question and what the solver of clmc says.
type asked struct {
	text string
	says answer
}

// listener notes questions on their way to a solver.
type listener struct {
	solver
	all []asked
}

func (l *listener) solve(ctx context.Context, t *term) (answer, model) {
	a, m := l.solver.solve(ctx, t)
	l.all = append(l.all, asked{smtText(t), a})
	return a, m
}

// questions are those of all kernels of the proofs' tests, by the kernel.
func questions(t *testing.T) (list []asked) {
	files, err := filepath.Glob("../../cmd/clmc/internal/proofs/testdata/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	n := 0
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if n++; n%thorough.Of(16, 1) != 0 {
				continue
			}
			var ways []clc.Options
			for line := range strings.Lines(string(f.Data)) { // as it is, and as it goes wrong
				if words := strings.Fields(line); len(words) > 1 && words[0] == "//:" {
					opt := clc.Options{}
					for i, w := range words[:len(words)-1] {
						if w == "-D" {
							opt.Defines = append(opt.Defines, words[i+1])
						}
					}
					ways = append(ways, opt)
				}
			}
			for _, opt := range ways {
				kernels, err := clc.OpenKernels(f.Name, f.Data, opt)
				if err != nil {
					t.Fatal(f.Name, err)
				}
				for _, o := range kernels {
					list = append(list, questionsOf(t, o)...)
				}
			}
		}
	}
	return list
}

// questionsOf are those of one kernel, of any sizes in two dimensions.
func questionsOf(t *testing.T, o *clc.Open) []asked {
	if o.Unknown != "" {
		return nil
	}
	k := &Kernel{Program: o.Program, Func: o.Func, Dim: 2, Local: [3]uint64{2: 1}, Groups: [3]uint64{2: 1}}
	for _, s := range o.Scalars {
		k.Scalars = append(k.Scalars, Scalar{Name: s.Name, Type: s.Type, Given: s.Given})
	}
	l := &listener{solver: newSAT(300 * time.Millisecond)}
	p := &proof{k: k, ctx: t.Context(), solver: l, r: &Result{}, opt: Options{NoWitness: true}}
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(misunderstood); !ok {
				panic(v)
			}
		}
	}()
	if err := p.begin(p.opt); err != nil {
		t.Fatal(err)
	}
	p.all()
	return l.all
}

// TestQuestions writes each question of the kernels of the proofs' tests as SMT-LIB text, and compares the answers with those of another solver,
// where there is one: none is called impossible that has a solution, and none possible that has none.
func TestQuestions(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil && *smtDir == "" {
		t.Skip("there is no z3 to compare with")
	}
	list := questions(t)
	counts := map[string]int{}
	if len(list) < 20 {
		t.Fatalf("%d questions", len(list))
	}
	if *smtDir != "" {
		for i, q := range list {
			if err := os.WriteFile(filepath.Join(*smtDir, fmt.Sprintf("%05d.smt2", i)), []byte(q.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err != nil {
		t.Skipf("%d questions are written; there is no z3 to compare with", len(list))
	}
	for some := range slices.Chunk(list, 50) {
		var in bytes.Buffer
		for _, q := range some {
			in.WriteString(q.text + "(reset)\n(set-option :timeout 2000)\n")
		}
		cmd := exec.Command(z3, "-in", "-t:2000")
		cmd.Stdin = &in
		out, err := cmd.Output()
		says := strings.Fields(string(out))
		if err != nil || len(says) != len(some) {
			t.Fatalf("%v: %d answers to %d questions: %.2000s", err, len(says), len(some), out)
		}
		for i, q := range some {
			counts[fmt.Sprint([]string{"unknown", "possible", "impossible"}[q.says], " ", says[i])]++
			if q.says == impossible && says[i] == "sat" || q.says == possible && says[i] == "unsat" {
				t.Errorf("%v, and z3 says %s:\n%.3000s", q.says, says[i], q.text)
			}
		}
	}
	t.Log(len(list), "questions:", counts)
}
