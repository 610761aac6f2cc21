// Kernel legacy_counter has two work-groups count with OpenCL 1.x's atomic_inc, and lists which
// slots they get.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch count global=2 local=1
//clmc:assert counter == 2
//clmc:expect verified
//clmc:expect legacy=work_group violated CL1001

global uint counter;

kernel void count(void) { __observe("slot", atomic_inc(&counter)); }
