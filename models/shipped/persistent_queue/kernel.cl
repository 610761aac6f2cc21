// Kernel persistent_queue has work-groups that stay until there is nothing left to do, and that take
// tasks from a queue which tasks may add to.
//
// Idiom: persistent threads with a queue in global memory. Source: OpenCL 3.3.7.1; persistent threads.
//
// Derivation: a place in the queue is given out once, to who adds and to who takes, by read-modify-writes
// (rule 7.7). What is put there is published by the release of its flag, which the taker acquires (rule 6.1).
// pending counts the tasks that are not done: a task is counted before the one that adds it is done, so
// that it is zero only at the end. With BUG the flag is relaxed, and the task is raced for (rule 9.1); the flag may
// also be seen before the task is there, so that what is done is nothing.
//
//clmc:launch work global=2 local=1 head=zero[1] tail={1} pending={1} ready=int[2]{1} task=int[2]{1} done=zero[2]
//clmc:assert done[0] == 1 && done[1] == 10
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001 CL1004

#ifdef BUG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

__kernel void work(__global atomic_int *head, __global atomic_int *tail, __global atomic_int *pending,
                   __global atomic_int *ready, __global int *task, __global int *done) {
  while (atomic_load_explicit(pending, memory_order_acquire, memory_scope_device) > 0) {
    int h = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
    if (h == atomic_load_explicit(tail, memory_order_acquire, memory_scope_device))
      continue;
    if (!atomic_compare_exchange_strong_explicit(head, &h, h + 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device))
      continue;
    while (atomic_load_explicit(&ready[h], memory_order_acquire, memory_scope_device) == 0)
      ;
    int t = task[h];
    if (t == 1) {
      atomic_fetch_add_explicit(pending, 1, memory_order_acq_rel, memory_scope_device);
      int at = atomic_fetch_add_explicit(tail, 1, memory_order_acq_rel, memory_scope_device);
      task[at] = 10 * t;
      atomic_store_explicit(&ready[at], 1, ORDER, memory_scope_device);
    }
    done[h] = t;
    atomic_fetch_sub_explicit(pending, 1, memory_order_acq_rel, memory_scope_device);
  }
}
