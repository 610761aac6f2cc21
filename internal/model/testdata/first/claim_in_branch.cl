// Who finds that nobody has the place takes it, by a number that is made behind the look: that is no update of what was read.
//clmc:launch claim global=2 local=1 owner=int[1]{0} taken=zero[2]
#ifdef FIX
kernel void claim(volatile global int *owner, global int *taken) {
    int g = get_global_id(0);
    if (atomic_cmpxchg(owner, 0, g + 1) == 0)
        taken[g] = 1;
#else
kernel void claim(global int *owner, global int *taken) {
    int g = get_global_id(0);
    if (*owner == 0) {
        *owner = g + 1;
        taken[g] = 1;
    }
#endif
}

//first:cause Both look at owner[0]
//first:repair atomic_compare_exchange_strong
