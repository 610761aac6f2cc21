// Two work-items insert the same key: each looks for a free place and then writes to it, in two accesses that nothing orders (rule 9.1).
//first:cause in two accesses
//first:repair in one atomic operation, such as atomic_compare_exchange_strong
//clmc:launch insert global=2 local=1 keys={5,5} table=zero[2]
kernel void insert(global const int *keys, volatile global int *table)
{
    int k = keys[get_global_id(0)];
    uint h = k % 2;
#ifdef FIX
    for (;;) {
        int found = atomic_cmpxchg(&table[h], 0, k);
        if (found == 0 || found == k) break;
        h = (h + 1) % 2;
    }
#else
    while (table[h] != 0 && table[h] != k) h = (h + 1) % 2;
    table[h] = k;
#endif
}
