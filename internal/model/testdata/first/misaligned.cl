// A header of one byte, and numbers behind it.
//clmc:launch unpack global=2 local=1 bytes=char[16] out=zero[2]
kernel void unpack(global const char *bytes, global int *out) {
    int i = get_global_id(0);
#ifdef FIX
    global const int *numbers = (global const int *)(bytes + 4);
#else
    global const int *numbers = (global const int *)(bytes + 1);
#endif
    out[i] = numbers[i];
}

//first:cause must be a multiple of its size
//first:repair a multiple of the size, or read and write with vload
