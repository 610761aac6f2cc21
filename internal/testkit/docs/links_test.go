package docs

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// link finds what a page links to: in the tree, elsewhere in the page, or outside.
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	inWords = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// TestLinks checks that what pages link to is there: the file, and the heading.
func TestLinks(t *testing.T) {
	tree, seen := os.DirFS(root), 0
	all := pages(t)
	all["CHANGELOG.md"] = page(t, root+"/CHANGELOG.md")
	all["SECURITY.md"] = page(t, root+"/SECURITY.md")
	for name, text := range all {
		text = code.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		dir := "docs"
		if name == "README.md" || name == "CHANGELOG.md" || name == "SECURITY.md" {
			dir = "."
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			seen++
			file := path.Join(dir, path.Dir(name), target)
			if target == "" {
				file = path.Join(dir, name)
			}
			if _, err := fs.Stat(tree, file); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(page(t, root+"/"+file)), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d links: the test looks for the wrong thing", seen)
	}
}

// anchors are the names of a page's headings, as forges make them.
func anchors(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := inWords.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

// TestListOfPages checks that README.md lists each page of docs once, in one of its groups, and says who needs it.
// Those below are in the list of a page above (TestIndexOfArguments).
func TestListOfPages(t *testing.T) {
	_, list, found := strings.Cut(page(t, root+"/README.md"), "## Documentation\n")
	if !found {
		t.Fatal("README.md has no list of pages")
	}
	listed := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^- \[[^\]]+\]\(docs/([a-z-]+\.md)\): \S.*$`).FindAllStringSubmatch(list, -1) {
		listed[m[1]]++
	}
	for name := range pages(t) {
		if name != "README.md" && path.Dir(name) == "." && listed[name] != 1 {
			t.Errorf("README.md lists docs/%s %d times under Documentation; it wants one line that says who needs it", name, listed[name])
		}
	}
}
