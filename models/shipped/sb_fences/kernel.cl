// Kernel sb_fences is store buffering with relaxed operations and a seq_cst fence between those of
// each work-item.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch k global=2 local=1
//clmc:expect verified
//clmc:expect spec=popl16 verified

global atomic_int x, y;

kernel void k(void) {
  switch (get_global_id(0)) {
  case 0:
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    __observe("r0", atomic_load_explicit(&y, memory_order_relaxed));
    break;
  case 1:
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    __observe("r1", atomic_load_explicit(&x, memory_order_relaxed));
    break;
  }
}
