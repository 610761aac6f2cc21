//go:build (linux || darwin) && (amd64 || arm64) && !nodevice

package device

import "github.com/ebitengine/purego"

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// symbol is where a function is; 0 if there is none.
func symbol(lib uintptr, name string) uintptr {
	at, err := purego.Dlsym(lib, name)
	if err != nil {
		return 0
	}
	return at
}
