kernel void k(global int *p, global half }q) {
void (^b)(void) = ^{ };
*
