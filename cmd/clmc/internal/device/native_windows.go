//go:build windows && (amd64 || arm64) && !nodevice

package device

import "golang.org/x/sys/windows"

func open(path string) (uintptr, error) {
	h, err := windows.LoadLibrary(path)
	return uintptr(h), err
}

// symbol is where a function is; 0 if there is none.
func symbol(lib uintptr, name string) uintptr {
	at, err := windows.GetProcAddress(windows.Handle(lib), name)
	if err != nil {
		return 0
	}
	return at
}
