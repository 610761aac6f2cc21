package opencl

import (
	"slices"
	"strings"
)

// Source is the text of a program of some kernels, which have one mapping: with a device that promises, or is taken to
// have, relaxed atomic operations of its own scope, the host defines CLMC_RELAXED.
func Source(kernels []*Kernel) string {
	b := head(kernels)
	for _, k := range kernels {
		b.WriteString("\n" + k.Source)
	}
	return b.String()
}

// head is what the kernels of a program call.
func head(kernels []*Kernel) *strings.Builder {
	b := &strings.Builder{}
	var helpers []string
	for _, k := range kernels {
		helpers = append(helpers, k.Helpers...)
	}
	slices.Sort(helpers)
	b.WriteString(common)
	if len(kernels) > 0 && kernels[0].Mapping == PTX {
		b.WriteString(peekPTX)
	} else {
		b.WriteString(peek)
	}
	b.WriteString(around)
	for _, h := range slices.Compact(helpers) {
		b.WriteString("\n" + h)
	}
	return b
}

// common finds where an instance is.
const common = `// Written by clmc. Each kernel runs many instances of a litmus test at a time. A work-group plays one work-group of the
// test for lanes instances in each of iter rounds; local ids 0 to lanes-1 play its first thread, the next its second.

// clmc_at is the cell of location k of instance i.
static uint clmc_at(uint k, uint i, uint n, uint step, uint base, uint turn) {
    return ((i * (1 + k * turn) + k * (turn / 2)) & (n - 1)) * step + k * base;
}

// clmc_set is the set of instances that a work-group plays work-group g of the test for.
static uint clmc_set(uint s, uint g, uint sets, uint pair) {
    for (uint k = 0; k < g; k++)
        s = s * pair % sets;
    return s;
}

// clmc_mix is a number that looks random.
static uint clmc_mix(uint x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

`

// peek and poke access memory that is not of the test.
const peek = `#ifdef CLMC_RELAXED
static int clmc_peek(global int *p) {
    return atomic_load_explicit((global atomic_int *)p, memory_order_relaxed, memory_scope_device);
}
static void clmc_poke(global int *p, int v) {
    atomic_store_explicit((global atomic_int *)p, v, memory_order_relaxed, memory_scope_device);
}
#else
static int clmc_peek(global int *p) { return atomic_or(p, 0); }
static void clmc_poke(global int *p, int v) { atomic_xchg(p, v); }
#endif
`

const peekPTX = `static int clmc_peek(global int *p) {
    int r;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
    return r;
}
static void clmc_poke(global int *p, int v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}
`

// around is what happens around a test.
const around = `
// clmc_stress accesses other memory, count times. A host whose counts are all 0 defines CLMC_CALM.
static void clmc_stress(global int *scratch, uint count, uint random) {
#ifndef CLMC_CALM
    const uint pattern = random >> 30;
    for (uint k = 0; k < count; k++) {
        random = random * 1664525u + 1013904223u;
        global int *p = scratch + ((random >> 12) & 0x3ff) * 16;
        if ((pattern & 1) != 0)
            clmc_poke(p, (int)k);
        else if (clmc_peek(p) == -1)
            clmc_poke(p, 0);
        if ((pattern & 2) != 0)
            clmc_poke(p + 8, (int)k);
        else if (clmc_peek(p + 8) == -1)
            clmc_poke(p, 0);
    }
#endif
}

// clmc_begin waits for the other threads of an instance, but not for long, and for a while of its own.
static void clmc_begin(global int *start, global int *scratch, uint all, int leads, uint spin, uint delay, uint pre, uint random) {
    if (pre > 0)
        clmc_stress(scratch, random % (pre + 1), random);
    if (spin > 0 && leads) {
        atomic_inc(start);
        for (uint k = 0; k < spin && clmc_peek(start) < (int)all; k++)
            ;
    }
    if (delay > 0)
        for (volatile uint k = (random >> 8) & delay; k > 0; k--)
            ;
}
`

// Unplayed is what clmc_clear leaves in out.
const Unplayed = -7777

// Clear is the program of the kernel that a host runs before one of Source: clmc_clear gives the memory of count instances its
// initial values.
const Clear = common + `
kernel void clmc_clear(global int *mem, global int *fine, global int *out, global int *start, global const int *init,
                       uint mems, uint fines, uint outs, uint starts, uint count, uint n, uint step, uint base, uint turn) {
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        for (uint k = 0; k < mems; k++)
            mem[clmc_at(k, i, n, step, base, turn)] = init[k];
        for (uint k = 0; k < fines; k++)
            fine[clmc_at(k, i, n, step, base, turn)] = init[mems + k];
        for (uint k = 0; k < outs; k++)
            out[k * n + i] = -7777;
    }
    for (uint i = get_global_id(0); i < starts; i += get_global_size(0))
        start[i] = 0;
}
`

// Harness is Clear with a kernel that a host may run after one of Source: clmc_check counts how many instances have each of the wanted
// outcomes, and keeps the others, of which room is known.
const Harness = Clear + `
kernel void clmc_check(global const int *mem, global const int *fine, global const int *out, global const int *vars, global const int *wanted,
                       global int *counts, global int *others,
                       uint nvars, uint nwanted, uint room, uint count, uint n, uint step, uint base, uint turn) {
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        int value[32];
        for (uint v = 0; v < nvars; v++) {
            const uint k = vars[2 * v + 1];
            if (vars[2 * v] == 0)
                value[v] = out[k * n + i];
            else if (vars[2 * v] == 1)
                value[v] = mem[clmc_at(k, i, n, step, base, turn)];
            else
                value[v] = fine[clmc_at(k, i, n, step, base, turn)];
        }
        uint w = 0;
        for (; w < nwanted; w++) {
            uint v = 0;
            while (v < nvars && value[v] == wanted[w * nvars + v])
                v++;
            if (v == nvars)
                break;
        }
        const uint at = atomic_inc(counts + w);
        if (w == nwanted && at < room)
            for (uint v = 0; v < nvars; v++)
                others[at * nvars + v] = value[v];
    }
}
`
