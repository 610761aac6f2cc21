// Command sbom prints what binaries of clmc are made of, as a software bill of
// materials in CycloneDX's JSON. It reads what the Go linker wrote into them, and
// nothing else: the same binaries give the same text.
//
//	go run ./internal/sbom dist/clmc_* > dist/clmc.cdx.json
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	if err := write(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// bom is the part of CycloneDX 1.5 that says which modules there are.
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PackageURL string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// write writes the modules of all binaries, which must be of one module and one
// version of Go.
func write(w io.Writer, files []string) error {
	if len(files) == 0 {
		return errors.New("name the binaries")
	}
	var root *debug.BuildInfo
	deps := map[string]component{}
	for _, file := range files {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return err
		}
		if root == nil {
			root = info
		}
		if root.Main != info.Main || root.GoVersion != info.GoVersion {
			return fmt.Errorf("%s is %s %s, built with %s; %s is %s %s, built with %s",
				files[0], root.Main.Path, root.Main.Version, root.GoVersion, file, info.Main.Path, info.Main.Version, info.GoVersion)
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			c := module("library", m)
			deps[c.Ref] = c
		}
	}
	std := module("library", &debug.Module{Path: "std", Version: strings.TrimPrefix(root.GoVersion, "go")})
	deps[std.Ref] = std
	b := bom{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{module("application", &root.Main)}}
	b.Metadata.Component.Properties = settings(root)
	b.Components = slices.SortedFunc(maps.Values(deps), func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	b.Dependencies = []dependency{{b.Metadata.Component.Ref, slices.Sorted(maps.Keys(deps))}}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// module describes a module. The sum is that of go.sum, over the files of the
// module; CycloneDX has no name for it.
func module(kind string, m *debug.Module) component {
	url := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := component{Type: kind, Ref: url, Name: m.Path, Version: m.Version, PackageURL: url}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// settings are those of the build that say what it was built from.
func settings(info *debug.BuildInfo) (list []property) {
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs") || s.Key == "-trimpath" || s.Key == "CGO_ENABLED" {
			list = append(list, property{"go:build:" + s.Key, s.Value})
		}
	}
	return list
}
