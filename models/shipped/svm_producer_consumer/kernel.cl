// The consumer of main.go: it takes what the host puts into a ring, until it has had all.

kernel void consume(global const int *ring, global atomic_int *written, global atomic_int *taken, global int *sum, int n, int size) {
  for (int i = 0; i < n; i++) {
    while (atomic_load_explicit(written, memory_order_acquire, memory_scope_all_svm_devices) <= i)
      ;
    *sum += ring[i % size];
    atomic_store_explicit(taken, i + 1, memory_order_release, memory_scope_all_svm_devices);
  }
}
