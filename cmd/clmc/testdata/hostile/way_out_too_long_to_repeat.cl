// clmc explore --strict --max-states 500 --time-limit 150ms FILE
__attribute__((reqd_work_group_size(2, 1, 1))) kernel void k(global int *a, global atomic_int *x, int n, local int *l) {
int i = get_global_id(0), s = 0;
s = atomic_fetch_add(x, a[i + 1]);
atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
s += 1;
for (int j1 = 0; j1 < 3; j1 >>= 1) {
if (get_local_size(0) < n) {
while (atomic_exchange(x, 1) == 0) ;
}
barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
a[i] = s;
}
