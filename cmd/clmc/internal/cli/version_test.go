package cli

import (
	"runtime/debug"
	"testing"
)

func TestSource(t *testing.T) {
	vcs := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"}, {Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abcd"},
			{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	for _, test := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, ""},
		{&debug.BuildInfo{}, ""},
		{vcs("false"), " (revision 0123abcd of 2026-01-02T03:04:05Z)"},
		{vcs("true"), " (revision 0123abcd of 2026-01-02T03:04:05Z with changes)"},
	} {
		if got := source(test.info); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
