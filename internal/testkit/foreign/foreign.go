// Package foreign finds, in what clmc says of a program, names and numbers that are neither the program's nor
// OpenCL's: those of clmc's own code and data. Only tests import it.
package foreign

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// vocabulary is what a report may name although the program does not: OpenCL's words, and those of clmc's command line.
var vocabulary = regexp.MustCompile(`^(?:cl|CL|CLK|CL_\w+|CLK_\w+|cl[A-Z]\w*|cl_\w+|memory_(?:order|scope)_\w+|memory_scope|memory_order|atomic_\w+|fetch_\w+|compare_exchange\w*|` +
	`work_group_\w+|sub_group_\w+|work_item|work_group|sub_group|async_work_group_\w*copy|wait_group_events|enqueue_(?:kernel|marker)|event_(?:wait_list|ret)|` +
	`(?:create|set)_user_event\w*|retain_event|release_event|is_valid_event|ndrange_[123]D|NO_WAIT|WAIT_KERNEL|WAIT_WORK_GROUP|` +
	`acq_rel|seq_cst|all_svm_devices|(?:read|write)_only|(?:read|write)_(?:pipe|image\w+)|vload\w*|vstore\w*|OpenCL|SVM\w*|clmc|NDRange|NewBuffer|SVMAlloc|` +
	`get_\w+|JavaScript|(?:uchar|char|ushort|short|uint|int|ulong|long|half|float|double)\d*|svm_fine|sync|WaitGroup|Wait|Enqueue\w+|fine_grain\w*|coarse_grain\w*|fine_system|GLOBAL|LOCAL|IMAGE|NULL)$`)

// name is a word that looks like a name of a program: one with an underscore, a digit, a capital within, or a member or index.
var name = regexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[-?[A-Za-z0-9_]*\])*`)

var (
	word     = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	digits   = regexp.MustCompile(`-?\b\d{13,}\b`)
	hex      = regexp.MustCompile(`\b0x[0-9a-fA-F]+\b`)
	looks    = regexp.MustCompile(`_|[a-z][A-Z]|\.|\[|^[a-z]+\d`)
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	broken   = regexp.MustCompile(`%!|<nil>|goroutine|\(rule \)|\brules? *[.,;:)]|\(MISSING\)|\bunit \d|\blane \d|\bpc \d|: *[.;]`)
)

// Large is the number from which on a number is taken for one of clmc's own, if the program has none so large.
const Large = 1 << 40

// Words are the names of a program.
type Words struct {
	known map[string]bool
	all   string // the text
	wide  bool
}

// Of takes the names from the program's files. Wide tells that its own values can be larger than Large.
func Of(wide bool, sources ...string) *Words {
	w := &Words{map[string]bool{}, strings.Join(sources, "\n"), wide}
	for _, text := range sources {
		for n, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "func(") { // what has no name is called by its line
				w.known[fmt.Sprintf("func%d", n+1)] = true
			}
		}
		for _, s := range word.FindAllString(comments.ReplaceAllString(text, " "), -1) {
			w.known[s] = true
		}
	}
	return w
}

// Know adds further words, as those of the names of files.
func (w *Words) Know(words ...string) *Words {
	for _, s := range words {
		for _, part := range word.FindAllString(s, -1) {
			w.known[part] = true
		}
	}
	return w
}

// In lists what a text names that is not the user's, each once.
func (w *Words) In(text string) (found []string) {
	add := func(s string) {
		if !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	for _, s := range broken.FindAllString(text, -1) {
		add(s)
	}
	for _, s := range name.FindAllString(text, -1) {
		if !looks.MatchString(s) || vocabulary.MatchString(s) {
			continue
		}
		for _, part := range word.FindAllString(s, -1) {
			if !w.known[part] && !vocabulary.MatchString(part) {
				add(s)
			}
		}
	}
	for _, s := range digits.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= Large && !w.wide {
			add(s)
		}
	}
	for _, s := range hex.FindAllString(text, -1) {
		if !strings.Contains(w.all, s) {
			add(s)
		}
	}
	return found
}

// told are the members of JSON documents that hold text for people, or names.
var told = []string{"message", "text", "repair", "idea", "op", "brief", "name", "location", "value", "via", "function", "title", "lead", "strings", "where", "read", "wrote",
	"notes", "advice", "incomplete", "unchecked", "type"}

// InJSON lists what the texts, names and values of a JSON document have that is not the user's.
func (w *Words) InJSON(data []byte) ([]string, error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var all any
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	var found []string
	w.walk(all, "", &found)
	return found, nil
}

func (w *Words) walk(v any, member string, found *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == "files" { // the sources
				continue
			}
			w.walk(x, k, found)
		}
	case []any:
		for _, x := range v {
			w.walk(x, member, found)
		}
	case string, json.Number:
		if text := fmt.Sprint(v); slices.Contains(told, member) {
			for _, s := range w.In(text) {
				if s = member + ": " + s; !slices.Contains(*found, s) {
					*found = append(*found, s)
				}
			}
		}
	}
}

var (
	hidden = regexp.MustCompile(`(?s)<(style|script)\b.*?</(style|script)>`)
	data   = regexp.MustCompile(`(?s)<script id="data" type="application/json">(.*?)</script>`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>`)
)

// InHTML lists what a page shows that is not the user's: its own text, and the data from which its code makes more.
func (w *Words) InHTML(page string) ([]string, error) {
	var found []string
	if m := data.FindStringSubmatch(page); m != nil {
		var err error
		if found, err = w.InJSON([]byte(m[1])); err != nil {
			return nil, err
		}
	}
	return append(found, w.In(html.UnescapeString(tag.ReplaceAllString(hidden.ReplaceAllString(page, " "), "\n")))...), nil
}
