// Two copies, and a wait for the first one's event only.
//clmc:launch add global=2 local=2 a=int[2]{1,2} b=int[2]{3,4} out=zero[2]
kernel void add(global const int *a, global const int *b, global int *out) {
    local int ta[2], tb[2];
    event_t e[2];
    e[0] = async_work_group_copy(ta, a, 2, 0);
    e[1] = async_work_group_copy(tb, b, 2, 0);
#ifdef FIX
    wait_group_events(2, e);
#else
    wait_group_events(1, e);
#endif
    int l = get_local_id(0);
    out[l] = ta[l] + tb[l];
#ifndef FIX
    wait_group_events(1, e + 1);
#endif
}

//first:cause line 11 waits for other events only
//first:repair the event of the copy in line 7
