package check

// A panic is one in tests, with its stack, but for those that count on the error.
func init() { loud = true }
