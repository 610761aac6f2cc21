// Kernel device_quicksort partitions its part of an array, and enqueues itself for both sides.
//
// Idiom: quicksort by device-side enqueue. Source: OpenCL C 6.15.18.
//
// Derivation: a child starts when its parent has ended (WAIT_KERNEL), and sees what it wrote (rule 12.6). The two
// children have no element in common, the pivot being of neither. With BUG both take the pivot
// with them, and access it without an order: a race (rule 9.1).
//
//clmc:launch quicksort global=1 local=1 a={3,1,4,2} lo=0 hi=3
//clmc:assert a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 4
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

#ifdef BUG
#define BESIDE 0
#else
#define BESIDE 1
#endif

__kernel void quicksort(__global int *a, int lo, int hi) {
  if (lo >= hi)
    return;
  int pivot = a[hi], m = lo;
  for (int i = lo; i < hi; i++)
    if (a[i] < pivot) {
      int t = a[i];
      a[i] = a[m];
      a[m] = t;
      m++;
    }
  a[hi] = a[m];
  a[m] = pivot;
  if (hi - lo < 2)
    return;
  queue_t q = get_default_queue();
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ quicksort(a, lo, m - BESIDE); });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ quicksort(a, m + BESIDE, hi); });
}
