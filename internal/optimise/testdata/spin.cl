//clmc:launch spin global=3 local=1 lock=atomic_int[1]{0} data=zero[1]
//clmc:assert data[0] == 3
#define UNLOCK(l) atomic_store_explicit(l, 0, memory_order_release, memory_scope_device)
kernel void spin(global atomic_int *lock, global int *data) {
  while (atomic_exchange(lock, 1) /* take it */ != 0)
    ;
  data[0]++;
  atomic_store(lock, 0); // give it back
}
