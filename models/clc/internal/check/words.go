package check

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// What changes the meaning of a program and is not understood is refused, not skipped: a list says of each word what is done with it.
// docs/opencl-c.md shows the lists, and a test holds it to that.

// Treatment is what is done with a word.
type Treatment string

// The treatments.
const (
	Obeyed  Treatment = "obeyed"
	Idle    Treatment = "without effect" // it changes no execution
	Refused Treatment = "refused"
)

// Word is an attribute, a pragma or an option, or several of which the same is true.
type Word struct {
	Names string // with blanks between them
	Do    Treatment
	Why   string // what it does, or why nothing is done
}

// Find returns the row for a word.
func Find(list []Word, name string) (Word, bool) {
	for _, w := range list {
		for n := range strings.FieldsSeq(w.Names) {
			if n == name {
				return w, true
			}
		}
	}
	return Word{}, false
}

// Attributes are those of __attribute__, without underscores around them. All others are refused.
var Attributes = []Word{
	{"vector_size ext_vector_type", Obeyed, "a vector of 2, 3, 4, 8 or 16 scalars"},
	{"packed", Obeyed, "of a struct, a union or a member; of an enum refused; elsewhere without effect, as for clang, and a note says so"},
	{"aligned", Obeyed, "of a struct, a member or a typedef; less than the type has, of a typedef, is refused; of variables without effect"},
	{"reqd_work_group_size work_group_size_hint", Obeyed, "the local size, and what a query of it tells"},
	{"reqd_sub_group_size intel_reqd_sub_group_size", Obeyed, "the size of sub-groups"},
	{"qcom_reqd_sub_group_size", Obeyed, "the size of sub-groups: \"full\" is 128 work-items, and \"half\" is 64"},
	{"overloadable", Obeyed, "functions of one name"},
	{"opencl_global opencl_local opencl_constant opencl_private opencl_generic", Obeyed, "the address spaces, as clang also calls them"},
	{"vec_type_hint opencl_unroll_hint unroll nounroll loop_unroll ivdep", Idle, "hints for compilers"},
	{"always_inline noinline flatten gnu_inline artificial optnone minsize hot cold noduplicate convergent noclone noipa no_icf optimize target no_builtin", Idle, "how code is made"},
	{"unused used maybe_unused warn_unused_result deprecated fallthrough nonnull returns_nonnull sentinel format format_arg noreturn nothrow pure const malloc alloc_size alloc_align assume_aligned access nonstring diagnose_as_builtin no_sanitize no_sanitize_address no_instrument_function annotate likely unlikely musttail noescape nocf_check", Idle, "promises and warnings"},
	{"may_alias", Idle, "memory may be seen at any type here"},
	{"visibility section weak dllexport dllimport externally_visible hidden common nocommon retain", Idle, "for linkers; a program is one file here"},
	{"endian", Idle, "host and device have the same order of bytes"},
	{"sub_group_uniform max_constant_size", Idle, "promises: the work-items of a sub-group have the same address, and how long a constant buffer is"},
	{"nosvm", Idle, "a promise that the pointer is none to shared virtual memory"},
	{"max_work_group_size max_work_group_dim amdgpu_flat_work_group_size amdgpu_waves_per_eu amdgpu_num_vgpr amdgpu_num_sgpr num_simd_work_items num_compute_units max_global_work_dim scheduler_target_fmax_mhz uses_global_work_offset qcom_max_concurrent_subgroups qcom_wave_pair_mode xcl_pipeline_loop xcl_pipeline_workitems xcl_loop_tripcount xcl_array_partition xcl_dependence xcl_max_memory_ports xcl_zero_global_work_offset xcl_reqd_pipe_depth xcl_dataflow xcl_latency xcl_array_reshape xcl_array_geometry internal_max_block_ram_depth numbanks bankwidth singlepump doublepump numreadports numwriteports merge register memory", Idle, "how devices carry out kernels"},
	{"mode", Refused, "it changes the type: write the type that is meant"},
	{"address_space", Refused, "its numbers depend on the device: write __global, __local, __constant or __private"},
	{"opencl_global_device opencl_global_host", Refused, "write __global"},
	{"scalar_storage_order ms_struct gcc_struct", Refused, "they change how structs are laid out"},
	{"transparent_union", Refused, "it changes how arguments are passed"},
	{"cleanup constructor destructor", Refused, "functions are called that no text calls: write the call"},
	{"alias ifunc weakref asm_label", Refused, "another function may be called: write the call"},
	{"enable_if diagnose_if unavailable error", Refused, "which function is called, or whether it may be, depends on it"},
	{"autorun task", Refused, "the kernel is launched, or grouped, in another way than OpenCL has it"},
	{"device host global shared constant managed launch_bounds", Refused, "it belongs to CUDA"},
	{"vector_mask altivec neon_vector_type neon_polyvector_type arm_sve_vector_bits matrix_type", Refused, "it makes a type that OpenCL C does not have"},
	{"btf_type_tag preserve_access_index swift_name objc_bridge", Refused, "it belongs to another language"},
}

// Pragmas are those that are known, by their first words. What others mean is not known, so that nothing is done with them (C99 6.10.6), and a note
// names them.
var Pragmas = []Word{
	{"once push_macro pop_macro", Obeyed, "as C compilers do"},
	{"unroll nounroll loop_unroll ivdep ii max_concurrency loop_coalesce disable_loop_pipelining speculated_iterations HLS", Idle, "hints for compilers"},
	{"EXTENSION FP_CONTRACT", Idle, "of `OPENCL`: all extensions are on, and expressions are not contracted"},
	{"STDC GCC", Idle, "floating-point modes that OpenCL C does not have; warnings and the optimiser"},
	{"diagnostic system_header poison optimize fp loop", Idle, "of `clang`"},
	{"message warning region endregion mark", Idle, "for readers"},
	{"pack ms_struct scalar_storage_order", Refused, "they change how structs are laid out: write `__attribute__((packed))`"},
	{"attribute", Refused, "of `clang`: write the attribute at each declaration"},
	{"SELECT_ROUNDING_MODE", Refused, "of `OPENCL`: it changes what arithmetic computes; `rte` is without effect"},
	{"weak redefine_extname", Refused, "another function may be called"},
	{"omp acc", Refused, "what it makes of the code is not OpenCL C"},
}

// pragma looks what a pragma is, and reports those that are refused.
func (c *checker) pragma(list []cc.Token) {
	var words []string
	for _, t := range list {
		if s := strings.TrimSpace(t.SrcStr()); s != "" {
			words = append(words, s)
		}
	}
	if len(words) == 0 {
		return
	}
	name := words[0]
	if (name == "OPENCL" || name == "clang" || name == "GCC") && len(words) > 1 {
		if _, ok := Find(Pragmas, words[1]); ok {
			name = words[1]
		}
	}
	w, known := Find(Pragmas, name)
	at := c.tokenPos(list[0])
	switch {
	case !known:
		c.oddPragmas = append(c.oddPragmas, oddPragma{at, strings.Join(words, " "), Word{}})
	case name == "SELECT_ROUNDING_MODE" && words[len(words)-1] == "rte":
	case w.Do == Refused:
		c.oddPragmas = append(c.oddPragmas, oddPragma{at, strings.Join(words, " "), w})
	}
}

// oddPragma is a pragma that is refused, or one that nothing is known of.
type oddPragma struct {
	at   tree.Pos
	text string
	word Word
}

// tellPragmas reports the pragmas that the last pass over the program has come to.
func (c *checker) tellPragmas() {
	for _, p := range c.oddPragmas {
		if p.word.Do == Refused {
			c.report(p.at, "", "#pragma "+p.text+" is refused: "+strings.ReplaceAll(p.word.Why, "`", ""))
			continue
		}
		c.warnf(p.at, "", "#pragma %s: nothing is known of it, and it is ignored", p.text)
	}
}

// tokenPos returns the place of a token.
func (c *checker) tokenPos(t cc.Token) tree.Pos {
	p := t.Position()
	i, ok := c.files.index[p.Filename]
	if !ok {
		return tree.Pos{}
	}
	return c.files.original(tree.Pos{File: i, Line: int32(p.Line), Col: int32(p.Column)})
}

// unheeded deals with an attribute that changes nothing by itself.
func (c *checker) unheeded(v *cc.AttributeValue, name string) {
	w, known := Find(Attributes, name)
	switch {
	case !known:
		c.fail(c.pos(v), "Leave it out, or say in OpenCL C what it means. docs/opencl-c.md lists what is known.", "the attribute %s is not known, and may change what the program means", name)
	case w.Do == Refused:
		c.fail(c.pos(v), "", "the attribute %s is refused: %s", name, w.Why)
	}
}

// misplaced notes attributes of types at a declaration where they change nothing, as for clang.
func (c *checker) misplaced(s *specs) {
	if s.packed && s.enum {
		c.fail(s.pos, "Write the integer type that is meant.", "an enum that is packed")
	}
	if s.packed {
		c.warnf(s.pos, "", "packed changes nothing here: it belongs behind the word struct, behind the closing brace or to a member")
	}
}
