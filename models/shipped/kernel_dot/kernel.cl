// Kernel kernel_dot multiplies two vectors: each work-item multiplies one pair of elements into
// local memory, and the first adds up the products.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch kernel_dot global=4 local=4 a={1,2,3,4} b={2,3,4,5} result=zero[1]
//clmc:assert result[0] == 40
//clmc:expect verified
//clmc:expect spec=popl16 verified

#define N 4

kernel void kernel_dot(global const int *a, global const int *b, global int *result) {
  local int products[N];
  int i = get_local_id(0);
  products[i] = a[i] * b[i];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    int sum = 0;
    for (int j = 0; j < N; j++)
      sum += products[j];
    *result = sum;
  }
}
