// Kernel kernel_dot_wrongflag is kernel_dot whose barrier names the wrong kind of memory.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch kernel_dot global=2 local=2 a={1,2} b={2,3} result=zero[1]
//clmc:assert result[0] == 8
//clmc:expect violated CL1001

#define N 2

kernel void kernel_dot(global const int *a, global const int *b, global int *result) {
  local int products[N];
  int i = get_local_id(0);
  products[i] = a[i] * b[i];
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0) {
    int sum = 0;
    for (int j = 0; j < N; j++)
      sum += products[j];
    *result = sum;
  }
}
