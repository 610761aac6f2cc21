//clmc:launch k global=4 local=4 mask=zero[1]
//clmc:assert mask[0] == 15
//first:cause in two accesses
//first:repair such as atomic_fetch_or (in OpenCL 1.x atomic_or)
kernel void k(volatile global uint *mask) {
    uint bit = 1u << get_global_id(0);
#ifdef FIX
    atomic_or(mask, bit);
#else
    mask[0] |= bit;
#endif
}
