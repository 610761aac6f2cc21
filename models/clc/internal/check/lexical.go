package check

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// The limits of a text before any macro of it is expanded. The preprocessor calls itself for the brackets of a condition
// and of a macro's arguments, and a megabyte of brackets is not worth its time.
const (
	maxOpen      = 2048  // brackets; the branches of #if may open one each, and close one together
	maxCondition = 16384 // bytes after #if, continued lines included
	maxSections  = 1024  // #if in one another
)

// lexical looks whether the preprocessor can be let loose on a text, and says where it cannot and why.
func lexical(text string) (at tree.Pos, wrong string) {
	conditions := strings.Contains(text, "#") && (longest(text) > maxCondition || strings.Count(text, "if") > maxSections)
	if !conditions && strings.Count(text, "(")+strings.Count(text, "[")+strings.Count(text, "{") <= maxOpen {
		return tree.Pos{}, ""
	}
	code := strip(text)
	if open, deepest := brackets(code); deepest > maxOpen {
		return place(code, open[maxOpen]), fmt.Sprintf("brackets are nested more than %d deep", maxOpen)
	}
	sections := 0
	for i := 0; conditions && i < len(code); {
		end := i
		for end < len(code) && (code[end] != '\n' || end > i && code[end-1] == '\\') {
			end++
		}
		word := bytes.TrimLeft(code[i:end], " \t")
		if rest, ok := bytes.CutPrefix(word, []byte("#")); ok {
			rest = bytes.TrimLeft(rest, " \t")
			begins := bytes.HasPrefix(rest, []byte("if"))
			if begins {
				sections++
			} else if bytes.HasPrefix(rest, []byte("endif")) {
				sections--
			}
			switch {
			case (begins || bytes.HasPrefix(rest, []byte("elif"))) && len(rest) > maxCondition:
				return place(code, end-len(word)), fmt.Sprintf("a condition has more than %d bytes", maxCondition)
			case sections > maxSections:
				return place(code, end-len(word)), fmt.Sprintf("#if is nested more than %d deep", maxSections)
			}
		}
		i = end + 1
	}
	return tree.Pos{}, ""
}

// longest returns the length of the longest logical line.
func longest(text string) (n int) {
	length := 0
	for line := range strings.Lines(text) {
		if length += len(line); length > n {
			n = length
		}
		if !strings.HasSuffix(line, "\\\n") {
			length = 0
		}
	}
	return n
}

// brackets returns where the brackets are that nothing closes, and how many were open at once; it stops where those are too
// many.
func brackets(code []byte) (open []int, deepest int) {
	for i, c := range code {
		switch c {
		case '(', '[', '{':
			open = append(open, i)
			if deepest = max(deepest, len(open)); deepest > maxOpen {
				return open, deepest
			}
		case ')', ']', '}':
			open = open[:max(len(open)-1, 0)]
		}
	}
	return open, deepest
}

// place returns the place of a byte of the kernel file.
func place(code []byte, at int) tree.Pos {
	before := code[:at]
	return tree.Pos{Line: int32(1 + bytes.Count(before, []byte("\n"))), Col: int32(at - bytes.LastIndexByte(before, '\n'))}
}

// unparsed reports that the parser gave up without a word: at the last bracket that is not closed, or else at the end of
// the file.
func (c *checker) unparsed() {
	code := strip(c.files.unit[0].Text)
	if open, _ := brackets(code); len(open) > 0 {
		c.report(place(code, open[len(open)-1]), "Close it, or look for what is missing before it.", "this bracket is not closed, so that clmc cannot parse the program")
		return
	}
	c.report(c.endOfFile(), "Look for a missing or superfluous bracket or semicolon.", "clmc cannot parse the file, and does not know where the mistake is")
}

// Conditions that end too early: with an operator, or without the name that one of the operators asks for.
var (
	condition = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:el)?if\b((?:\\\r?\n|.)*)$`)
	openEnded = regexp.MustCompile(`[-+*/%<>=&|^!~?:,]\s*$|\bdefined\s*(?:\(\s*)?(?:[^\w\s(]|$)|__has_include\w*\s*(?:[^\w\s(]|\(\s*\)|$)`)
)

// nameless matches #ifdef and #ifndef without the name of a macro.
var nameless = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*ifn?def\b[ \t]*([^A-Za-z_\s\\].*)?$`)

// malformed is a condition that is none, and what is said of it.
type malformed struct {
	at      tree.Pos
	message string
}

// complete reports conditions of the kernel file that are none, and that the preprocessor takes for false without a word. Those within a
// group that is skipped are skipped, too: so it is asked whether it would come to them, which it says of a division by zero.
func (c *checker) complete(sources func() []cc.Source, text string) bool {
	if !strings.Contains(text, "#") {
		return true // there is nothing to look for
	}
	code, marked := strip(text), []byte(text)
	var places []malformed
	mark := func(from, to int, with, message string) {
		for i := from; i < to; i++ {
			if marked[i] != '\n' && marked[i] != '\r' {
				marked[i] = ' '
			}
		}
		if copy(marked[from:to], with) == len(with) {
			at := place(code, from)
			at.Line -= 2 // what stands before each file
			places = append(places, malformed{at, message})
		}
	}
	for _, m := range nameless.FindAllIndex(code, -1) {
		mark(m[0], m[1], "#if 1/0", "#ifdef wants the name of a macro")
	}
	for _, m := range condition.FindAllSubmatchIndex(code, -1) {
		if cond := code[m[2]:m[3]]; bytes.Count(cond, []byte("(")) != bytes.Count(cond, []byte(")")) {
			mark(m[2], m[3], " 1/0", "this condition is not complete")
		}
	}
	if len(places) == 0 {
		return true
	}
	list := sources()
	list[len(list)-1].Value = string(marked)
	err := c.preprocess(list, maxExpansion, io.Discard)
	for _, p := range places {
		if err != nil && strings.Contains(err.Error(), fmt.Sprintf("%s:%d:", c.o.Path, p.at.Line)) && strings.Contains(err.Error(), "division by zero") {
			c.report(p.at, "", p.message)
			return false
		}
	}
	return true
}

// unfinished returns the place of a condition that ends too early, if there is one.
func (c *checker) unfinished() tree.Pos {
	for i, f := range c.files.unit {
		code := strip(f.Text)
		for _, m := range condition.FindAllSubmatchIndex(code, -1) {
			cond := code[m[2]:m[3]]
			if openEnded.Match(cond) || bytes.Count(cond, []byte("(")) != bytes.Count(cond, []byte(")")) {
				at := place(code, m[2])
				at.File = int32(i)
				return at
			}
		}
	}
	return tree.Pos{}
}

// unknownType says what to do where the word before a place stands where a type does, and returns the word: hosts define types, too.
func (c *checker) unknownType(at tree.Pos) (hint, word string) {
	if int(at.File) >= len(c.files.lines) || at.Line < 1 || int(at.Line) > len(c.files.lines[at.File]) {
		return "", ""
	}
	line := c.files.lines[at.File][at.Line-1]
	m := lastWord.FindStringSubmatch(line[:max(0, min(int(at.Col)-1, len(line)))])
	switch {
	case m == nil || notTypes[m[1]] || tree.Named(m[1]) != nil:
		return "", ""
	case longVector.MatchString(m[1]):
		return "There is no type " + m[1] + ": vectors have 2, 3, 4, 8 or 16 elements.", ""
	}
	return fmt.Sprintf("If %s is a type, say which one, as in -D %[1]s=float, or include what defines it.", m[1]), m[1]
}

var (
	// hostType matches names that hosts give to the type of elements: T, DATA_TYPE, real, real4, value_type.
	hostType = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]*|[Rr]eal\w*|\w+(?:_t|[_a-z0-9][Tt]ype))$`)
	// lastWord matches a word in the place of a type: before it is a bracket, a comma, a semicolon, a qualifier, or nothing.
	lastWord = regexp.MustCompile(`(?:^|[({,;]|\b(?:const|volatile|restrict|static|inline|typedef|(?:__)?(?:global|local|constant|private|generic|kernel)))\s*\b([A-Za-z_]\w*)\s*$`)
	// longVector matches the name of a vector of a length that there is not.
	longVector = regexp.MustCompile(`^(?:u?(?:char|short|int|long)|half|float|double)\d+$`)
	// notTypes are words that may stand there and are none.
	notTypes = wordSet(`auto break case const constant continue default do else enum extern for generic global goto if inline kernel local private
		register restrict return signed sizeof static struct switch typedef union unsigned void volatile while
		__global __local __constant __private __generic __kernel __attribute__ read_only write_only read_write`)
)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
