//go:build !linux && !darwin && !freebsd

package disk

// Free is unknown here.
func Free(string) (int64, bool) { return 0, false }
