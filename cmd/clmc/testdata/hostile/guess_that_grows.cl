// clmc explore --time-limit 120ms --max-states 500 --symmetry=false FILE
// Half as many read as wrote in each round, with a barrier between (rule 11.3).
//clmc:expect verified
__kernel void foo(__local int *A, __global int *B) {
  A[get_local_id(0)] = B[get_global_id(0)];
  for (int d = 32; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_size(0) < d) A[get_local_id(0)] += A[get_local_id(0) + d];
  }
  if (get_local_id(0) == 0) B[get_group_id(0) * get_local_size(0)] = A[2];
}
