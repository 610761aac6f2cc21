//clmc:launch work global=3 local=1 slot=int[3]{5,0,0}
//clmc:assert (slot[0] == 9) + (slot[1] == 9) + (slot[2] == 9) <= 1
//first:cause It hangs on what work(0) finds in slot[0]
//first:cause before work(2) writes it in line 31
//first:cause Nothing orders the two
//first:repair have it wait for that
// Two insert one key, and look for the first slot that is free: a deletion between the two lets them find different ones.
void insert(global atomic_int *slot, int key) {
    for (int i = 0; i < 3;) {
        int s = atomic_load(&slot[i]);
        if (s == key)
            return;
        if (s == 0) {
            if (atomic_compare_exchange_strong(&slot[i], &s, key) || s == key)
                return;
            continue;
        }
        i++;
    }
}
#ifdef FIX
#define GONE 6 // a slot that was freed is not used again
#else
#define GONE 0
#endif
kernel void work(global atomic_int *slot) {
    if (get_global_id(0) < 2)
        insert(slot, 9);
    else
        // deletes 5
        atomic_store(&slot[0], GONE);
}
