//go:build !((linux || darwin || windows) && (amd64 || arm64))

package device

import (
	"fmt"
	"runtime"
)

// load says that there is no way to.
func load(string) (API, error) {
	return nil, fmt.Errorf("clmc cannot load libraries on %s/%s; it can on Linux, macOS and Windows for amd64 and arm64", runtime.GOOS, runtime.GOARCH)
}
