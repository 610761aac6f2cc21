//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
/* message passing with fences */
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    *data = 42; /* the datum */
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices); // publish
    atomic_store_explicit(flag, 1,
                          memory_order_seq_cst, memory_scope_all_svm_devices);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
  } else if (atomic_load_explicit(flag, memory_order_seq_cst, memory_scope_all_svm_devices) == 1) {
    if (1) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_all_svm_devices);
    *out = *data;
  }
}
