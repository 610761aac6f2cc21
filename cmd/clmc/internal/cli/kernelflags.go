package cli

import (
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/models/clc"
)

// kernelFlags say how to read and launch a kernel file.
type kernelFlags struct{ options clc.Options }

// kernelOptions is the inverse of Flags of clc.Options.
func kernelOptions(words []string) (clc.Options, error) {
	k := &kernelFlags{}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	k.register(f)
	err := f.Parse(words)
	return k.options, err
}

func (k *kernelFlags) register(f *pflag.FlagSet) {
	o := &k.options
	f.StringVar(&o.Kernel, "kernel", "", "launch the kernel `NAME`; a file with one kernel does not need it")
	f.StringVar(&o.Global, "global", "", "the global `SIZE`, such as 8 or 8,4; or several, such as '8|16', which are all tried")
	f.StringVar(&o.Local, "local", "", "the local `SIZE`, such as 4 or 4,2; or several, such as '4|8', which are all tried")
	f.StringVar(&o.SubGroup, "sub-group", "", "the `SIZE` of sub-groups, such as 8; auto: 1, 4 and the local size (default 4, or what the kernel requires)")
	f.StringVar(&o.Offset, "offset", "", "the global `OFFSET`")
	f.StringArrayVar(&o.Args, "arg", nil, "an argument `NAME=VALUE`, such as n=8, n=1..4, 'a=int[8]{1,2}', out=zero[1] or tmp=local[4] (repeatable)")
	f.IntVar(&o.AnyWidth, "any-width", 0, "tell up to `N` values apart in one place of an argument or a variable that is any, as in --arg 'a=any[8]' (default 64)")
	f.StringArrayVar(&o.Given, "given", nil, "what an argument is that is any, or a variable that is cl.Any: `NAME=VALUE`, as --arg has it (repeatable)")
	f.StringArrayVarP(&o.Include, "include", "I", nil, "a `FOLDER` for #include (repeatable)")
	f.BoolVar(&o.GPUVerify, "gpuverify-header", false, "take the sizes from the first lines of the kernel file, such as //--local_size=[4,4] --num_groups=[2,2], and understand GPUVerify's annotations")
	f.BoolVar(&o.KeepValues, "keep-values", false, "compute also values that nothing depends on, so that traces show them")
	f.Var((*undefinedValue)(&o.Undefined), "undefined", "what functions do that a kernel file declares and does not define: any, return 0 or 1 and do nothing else; or refused, which they are")
	f.Var((*unwrittenValue)(&o.Unwritten), "unwritten", "what reads of memory return that nothing has written: any, one value, which is 0; local-any, that in local memory; or violation, which they are")
	f.StringVar(&o.Std, "cl-std", "", "the `VERSION` of OpenCL C, from CL1.0 to CL3.0 (default CL3.0)")
}
