// A tree of additions has its barrier in the branch that only some take: the others never come there (rule 11.1). All go round the loop equally often.
//first:cause The ways of the two part at the condition in line 16
//first:repair instead of returning early, or calling it in a branch
//clmc:launch sum global=4 local=4 in={1,2,3,4} out=zero[1]
kernel void sum(global const int *in, global int *out)
{
    local int t[4];
    int l = get_local_id(0);
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 2; s > 0; s >>= 1) {
#ifdef FIX
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        if (l < s) {
            t[l] += t[l + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
    }
    if (l == 0) out[0] = t[0];
}
