package load

import (
	"regexp"
	"strings"
)

// Hints for names that somebody who ports a kernel writes out of habit.

var vectorType = regexp.MustCompile(`^(?i:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)$`)

// goTypes are OpenCL C's names of types that have another one here.
var goTypes = map[string]string{
	"char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int_t": "int32",
	"long": "int64", "ulong": "uint64", "float": "float32", "double": "float64", "size_t": "int64",
	"unsigned": "uint32", "atomic_int": "cl.AtomicInt", "atomic_uint": "cl.AtomicUint", "atomic_flag": "cl.AtomicFlag",
}

// oldNames are OpenCL's functions whose successors have other names here.
var oldNames = map[string]string{
	"barrier": "WorkGroupBarrier", "memfence": "AtomicWorkItemFence", "readmemfence": "AtomicWorkItemFence", "writememfence": "AtomicWorkItemFence",
	"syncthreads": "WorkGroupBarrier", "threadfence": "AtomicWorkItemFence",
}

var mathName = regexp.MustCompile(`^(?i:native_|half_)?(?i:a?(?:sin|cos|tan)(?:h|pi)?|sqrt|rsqrt|cbrt|pow[nr]?|exp(?:2|10|m1)?|log(?:2|10|1p)?|fabs|fmod|fma|mad|floor|ceil|round|rint|trunc|hypot|dot|cross|length|normalize|mix|step|smoothstep)$`)

// hintFor says what to write for a name that is not defined.
func hintFor(name string) string {
	plain := plainName(name)
	switch {
	case vectorType.MatchString(name):
		return "use an array in place of a vector, such as [4]float32 for float4; its elements are accessed one by one, as the components of a vector are"
	case mathName.MatchString(name):
		return "the result of a mathematical function seldom matters for concurrency: use a constant, or cl.Choose for several values"
	case goTypes[name] != "":
		return "write instead: " + goTypes[name]
	case oldNames[strings.Trim(plain, "_")] != "":
		return "write instead: cl." + oldNames[strings.Trim(plain, "_")]
	}
	if cl, err := vocabulary(); err == nil {
		if meant := suggest(cl.Scope(), name); meant != "" && (plainName(meant) == plain || len(plain) > 5) {
			return "write instead: cl." + meant
		}
	}
	return ""
}

// importHints say what there is instead of packages that models cannot import.
var importHints = map[string]string{
	"math":        "the result of a mathematical function seldom matters for concurrency: use a constant, or cl.Choose for several values",
	"fmt":         "cl.Observe(\"name\", x) makes a value part of the outcome, which clmc prints",
	"log":         "cl.Observe(\"name\", x) makes a value part of the outcome, which clmc prints",
	"sync/atomic": "write instead: the atomic functions of package cl",
	"math/rand":   "write instead: cl.Choose(n), for which clmc explores each value", "time": "a model has no time: clmc explores every order of steps",
}
