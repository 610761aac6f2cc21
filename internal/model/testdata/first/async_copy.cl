//clmc:launch copy global=4 local=2 in=int[4]{1,2,3,4} out=zero[4] tmp=local[2]
kernel void copy(global const int *in, global int *out, local int *tmp) {
    event_t e = async_work_group_copy(tmp, in + get_group_id(0) * 2, 2, 0);
#ifdef FIX
    wait_group_events(1, &e);
    out[get_global_id(0)] = tmp[1 - get_local_id(0)];
#else
    out[get_global_id(0)] = tmp[1 - get_local_id(0)];
    wait_group_events(1, &e);
#endif
}

//first:cause in no order with anything between
//first:repair only after wait_group_events
