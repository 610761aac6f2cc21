package clc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/clc/internal/check"
)

// wordLists are the lists that documentation shows.
var wordLists = []struct {
	name string
	list []check.Word
}{
	{"attributes", check.Attributes}, {"pragmas", check.Pragmas}, {"header", clc.HeaderWords}, {"sim", clc.SimWords}, {"options", clc.BuildOptions},
}

// TestWordLists holds the documentation to what is done with each word, and sees that no word is in a list twice.
func TestWordLists(t *testing.T) {
	for _, l := range wordLists {
		var b strings.Builder
		b.WriteString("\n| words | what is done | |\n|---|---|---|\n")
		seen := map[string]bool{}
		for _, w := range l.list {
			var names []string
			for name := range strings.FieldsSeq(w.Names) {
				if seen[name] {
					t.Errorf("%s: %s is there twice", l.name, name)
				}
				seen[name] = true
				names = append(names, "`"+name+"`")
			}
			if len(names) == 0 || w.Why == "" || !slices.Contains([]check.Treatment{check.Obeyed, check.Idle, check.Refused}, w.Do) {
				t.Errorf("%s: a row says nothing: %+v", l.name, w)
			}
			b.WriteString("| " + strings.Join(names, ", ") + " | " + string(w.Do) + " | " + w.Why + " |\n")
		}
		golden.Part(t, documentation, "<!-- words: "+l.name+" -->", "<!-- end of "+l.name+" -->", b.String())
	}
}

// TestWordsAreTreated gives each word to the front end, which does what the list says: what is refused is refused, and the rest is taken. So a word that
// nobody looks at any more, or that is looked at before its list, is found.
func TestWordsAreTreated(t *testing.T) {
	const kernel = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
	args := map[string]string{"vector_size": "(16)", "ext_vector_type": "(4)", "aligned": "(16)", "reqd_work_group_size": "(1, 1, 1)", "work_group_size_hint": "(1, 1, 1)",
		"reqd_sub_group_size": "(4)", "intel_reqd_sub_group_size": "(4)", "qcom_reqd_sub_group_size": `("half")`, "vec_type_hint": "(int)"}
	for _, w := range check.Attributes {
		for name := range strings.FieldsSeq(w.Names) {
			text := "kernel __attribute__((" + name + args[name] + ")) void k(global int *a) { a[get_global_id(0)] = 1; }\n"
			if name == "vector_size" || name == "ext_vector_type" || strings.HasPrefix(name, "opencl_") {
				text = "typedef int t __attribute__((" + name + args[name] + "));\n" + kernel
			}
			_, err := clc.Source("k.cl", []byte(text), clc.Options{Kernel: "k", Global: "1", Local: "1"})
			if refused := err != nil; refused != (w.Do == check.Refused) {
				t.Errorf("attribute %s is %s: %v", name, w.Do, err)
			}
		}
	}
	for _, w := range check.Pragmas {
		for name := range strings.FieldsSeq(w.Names) {
			prefix := ""
			if i := strings.Index(w.Why, "of `"); i == 0 {
				prefix, _, _ = strings.Cut(w.Why[len("of `"):], "`")
				prefix += " "
			}
			_, err := clc.Source("k.cl", []byte("#pragma "+prefix+name+" 1\n"+kernel), clc.Options{Kernel: "k", Global: "1", Local: "1"})
			if refused := err != nil; refused != (w.Do == check.Refused) {
				t.Errorf("pragma %s%s is %s: %v", prefix, name, w.Do, err)
			}
		}
	}
	p, err := clc.Source("k.cl", []byte("#pragma strange 1\n"+kernel), clc.Options{Kernel: "k", Global: "1", Local: "1"})
	if err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), "strange 1: nothing is known of it") {
		t.Errorf("an unknown pragma is not named: %v", err)
	}
	for _, w := range clc.HeaderWords {
		for name := range strings.FieldsSeq(w.Names) {
			value := map[string]string{"--global_offset": "=0", "--kernel-args": "=k", "-D": "N", "-I": "x", "--clang-opt": "=-DN", "--local_size": "", "--global_size": ""}[name]
			head := "//--local_size=1 --num_groups=1 " + name + value
			switch name {
			case "--local_size", "--num_groups", "--blockDim", "--gridDim":
				head = "//" + name + "=1 --global_size=1"
				if name == "--num_groups" || name == "--gridDim" {
					head = "//--local_size=1 " + name + "=1"
				}
			case "--global_size":
				head = "//--local_size=1 --global_size=1"
			}
			_, err := clc.Source("k.cl", []byte(head+"\n"+kernel), clc.Options{GPUVerify: true})
			if refused := err != nil; refused != (w.Do == check.Refused) {
				t.Errorf("header word %s is %s: %v", name, w.Do, err)
			}
		}
	}
	for _, w := range clc.SimWords {
		for name := range strings.FieldsSeq(w.Names) {
			value := map[string]string{"fill": "=1", "range": "=0:1:0", "size": "=4"}[name]
			size := "size=4 "
			if name == "size" {
				size = ""
			}
			_, err := sim("<" + size + name + value + ">")
			if err != nil {
				t.Errorf("word %s: %v", name, err)
			}
		}
	}
	if _, err := sim("<size=4 strange>"); err == nil {
		t.Error("an unknown word of a .sim file is taken")
	}
	for _, w := range clc.BuildOptions {
		for name := range strings.FieldsSeq(w.Names) {
			if idle, _ := clc.IdleOption(name); idle != (w.Do == check.Idle) {
				t.Errorf("option %s is %s", name, w.Do)
			}
		}
	}
	if idle, _ := clc.IdleOption("-cl-strange"); idle {
		t.Error("an unknown option is taken")
	}
}
