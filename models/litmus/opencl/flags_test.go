package opencl_test

import "flag"

var (
	every = flag.Int("every", 97, "compare each so many-th test of the corpus")
	from  = flag.Int("from", 0, "begin with the test of this number")
)
