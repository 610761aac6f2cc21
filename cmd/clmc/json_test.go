package main

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonLines runs "jsonlines FILE COUNT [KEY...]": the file must hold COUNT JSON
// objects, each with the keys.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: jsonlines file count key...")
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	n := 0
	for ; ; n++ {
		var object map[string]any
		err := d.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		for _, key := range args[2:] {
			if _, ok := object[key]; !ok {
				ts.Fatalf("object %d has no key %q", n, key)
			}
		}
	}
	if strconv.Itoa(n) != args[1] {
		ts.Fatalf("%d objects, want %s", n, args[1])
	}
}
