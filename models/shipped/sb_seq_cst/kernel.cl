// Kernel sb_seq_cst is store buffering with seq_cst operations: somebody's store comes first, and
// the other sees it.
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
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    __observe("r0", atomic_load_explicit(&y, memory_order_seq_cst));
    break;
  case 1:
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    __observe("r1", atomic_load_explicit(&x, memory_order_seq_cst));
    break;
  }
}
