package opencl_test

import "flag"

var every = flag.Int("every", 97, "compare each so many-th test of the corpus")
