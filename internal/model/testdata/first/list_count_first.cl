// Four work-items write into a list, each where a count says, and the last one adds up. But the count goes up before the element is written: who finds 3 knows that
// three others have taken a place, not that they have written it (rules 5.1, 6.1). A second count, behind the element, says that.
//first:cause Published too early
//first:repair Make the access in line 9 before the read-modify-write in line 8. Idea: Or, where the read-modify-write in line 8 has to say first where it is made
//clmc:launch list global=4 local=2 n=zero[1] done=zero[1] item=zero[4] out=zero[1]
kernel void list(volatile global int *n, global atomic_int *done, global int *item, global int *out)
{
    int i = atomic_inc(n), last = i;
    item[i] = get_global_id(0);
#ifdef FIX
    last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
#endif
    if (last == 3)
        out[0] = item[0] + item[1] + item[2] + item[3];
}
