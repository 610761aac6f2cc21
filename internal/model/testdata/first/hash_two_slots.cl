//clmc:launch ins global=2 local=1 slots=zero[2]
//clmc:assert slots[0] != slots[1]
//first:cause What is behind it
//first:cause finds 0 in slots[0] in line 12 (step 3) and goes by it when it writes slots[1]
//first:cause so what was found no longer holds
//first:repair act upon it in one atomic operation
// Both look for the key in the table, and neither finds it; who loses the first slot then takes the second for the same key. All is seq_cst: rule 8.1
// orders the two looks before both writes in some executions.
kernel void ins(global atomic_int *slots) {
    int key = 7;
    for (int i = 0; i < 2; i++)
        if (atomic_load(&slots[i]) == key)
            return;
    for (int i = 0; i < 2; i++) {
        int e = 0;
        if (atomic_compare_exchange_strong(&slots[i], &e, key))
            return;
#ifdef FIX
        if (e == key) // what was found is looked at again
            return;
#endif
    }
}
