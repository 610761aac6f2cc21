//clmc:launch strips global=4 local=2 total=zero[1]
kernel void strips(global int *total) {
    int mine = 2 * get_global_id(0) + 1;
#ifdef FIX
    atomic_add(total, mine);
#else
    *total = *total + mine;
#endif
}

//first:cause whose update is then lost
//first:repair one atomic operation
