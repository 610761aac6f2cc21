// Kernel cas_strong has two work-items claim one slot: exactly one succeeds, and the other learns
// who did.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch claim global=2 local=1
//clmc:expect verified

global atomic_int slot;

kernel void claim(void) {
  int expected = 0, me = get_global_id(0) + 1;
  bool won = atomic_compare_exchange_strong_explicit(&slot, &expected, me, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
  __observe("won", won);
  __observe("saw", expected);
}
