//go:build !((linux || darwin || windows) && (amd64 || arm64)) || nodevice

package device

import (
	"fmt"
	"runtime"
)

// load says that there is no way to.
func load(string) (API, error) {
	return nil, fmt.Errorf("this clmc, of %s/%s, cannot load libraries; one for Linux, macOS or Windows on amd64 or arm64 can, if it is built without the tag nodevice", runtime.GOOS, runtime.GOARCH)
}
