package device

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/clmc/clmc/internal/regular"
)

// LibraryVariable is an environment variable that names the library of OpenCL.
const LibraryVariable = "CLMC_OPENCL_LIBRARY"

// loaders are the names of the library that knows all drivers.
var loaders = map[string][]string{
	"darwin":  {"/System/Library/Frameworks/OpenCL.framework/OpenCL", "libOpenCL.dylib"},
	"windows": {"OpenCL.dll"},
	"linux":   {"libOpenCL.so.1", "libOpenCL.so"},
}

// drivers are libraries of drivers that are found without a loader.
var drivers = []string{"libnvidia-opencl.so.1", "/usr/local/nvidia/lib64/libnvidia-opencl.so.1", "/usr/local/nvidia/lib/libnvidia-opencl.so.1"}

// Open loads OpenCL: the library of that path; else the one that LibraryVariable names; else the loader, and if
// there is none or it knows no platform, the drivers that are registered with it.
func Open(path string) (apis []API, err error) {
	if path == "" {
		path = os.Getenv(LibraryVariable)
	}
	if path != "" {
		if _, err := os.Stat(path); err == nil { // a loader looks for a bare name elsewhere
			if whole, err := filepath.Abs(path); err == nil {
				path = whole
			}
		}
		api, err := load(path)
		if err != nil {
			return nil, err
		}
		return []API{api}, nil
	}
	for _, name := range loaders[runtime.GOOS] {
		api, loadErr := load(name)
		if loadErr != nil {
			err = firstError(err, loadErr)
			continue
		}
		if found, platformErr := api.Platforms(); platformErr == nil && len(found) > 0 {
			return []API{api}, nil
		}
		apis = append(apis, api)
		break
	}
	for _, name := range registered() {
		if api, driverErr := load(name); driverErr == nil {
			apis = append(apis, api)
		}
	}
	if len(apis) > 0 {
		return apis, nil
	}
	if err == nil { // of a system that has no names of loaders
		_, err = load("OpenCL")
	}
	return nil, err
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// registered lists the libraries of drivers: those that a loader would ask, and those that are known.
func registered() (list []string) {
	if runtime.GOOS != "linux" {
		return nil
	}
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range filepath.SplitList(os.Getenv("OCL_ICD_FILENAMES")) {
		add(name)
	}
	files, _ := filepath.Glob("/etc/OpenCL/vendors/*.icd") // the pattern is well formed
	const most = 4096
	for _, f := range files {
		if text, err := regular.Read(f, most); err == nil {
			first, _, _ := strings.Cut(string(text), "\n")
			add(first)
		}
	}
	for _, name := range drivers {
		add(name)
	}
	return list
}
