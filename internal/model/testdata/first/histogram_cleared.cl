// Each work-item clears one bin in local memory and counts in another one's at once: no barrier stands between (rules 4.4, 11.2).
//first:cause line 10 writes mine, and no barrier stands between that and line 14
//first:repair Put a barrier(CLK_LOCAL_MEM_FENCE) after line 10 and before line 14
//clmc:launch hist global=4 local=2 data={0,1,1,0} bins=zero[2]
kernel void hist(global const int *data, volatile global int *bins)
{
    local int mine[2];
    int l = get_local_id(0);
    int bin = data[get_global_id(0)];
    mine[l] = 0;
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    atomic_inc(&mine[bin]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], mine[l]);
}
