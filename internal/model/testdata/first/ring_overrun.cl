//clmc:launch k global=2 local=1 head=zero[1] tail=zero[1] ring=zero[2] out=zero[3]
//first:cause Written again too early: k(0) has written ring[0] in line 17
//first:cause by which k(1) goes on in line 22
//first:repair Let k(0) wait before line 17 until what is there has been used
// A ring of two cells, one that puts and one that takes: the first never looks at how far the second has come.
//
//
kernel void k(global atomic_int *head, global atomic_int *tail, global int *ring, global int *out) {
    if (get_global_id(0) == 0) {
        for (int i = 0; i < 3; i++) {
#ifdef FIX
            while (i - atomic_load_explicit(tail, memory_order_acquire, memory_scope_device) >= 2)
                ;
#else

#endif
            ring[i % 2] = i + 1;
            atomic_store_explicit(head, i + 1, memory_order_release, memory_scope_device);
        }
    } else {
        for (int i = 0; i < 3; i++) {
            while (atomic_load_explicit(head, memory_order_acquire, memory_scope_device) <= i)
                ;
            out[i] = ring[i % 2];
            atomic_store_explicit(tail, i + 1, memory_order_release, memory_scope_device);
        }
    }
}
