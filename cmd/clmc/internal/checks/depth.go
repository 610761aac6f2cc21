package checks

import "fmt"

// maxDepth is how deep a list may be nested: more than any has. The parser goes into each level before it looks at any, and takes
// the more memory the deeper it goes.
const maxDepth = 50

// nested reports a text that is nested too deep to be parsed, with the line. It counts brackets that are open, outside of quotes and comments, and
// what a line opens by dashes, question marks and indentation.
func nested(lines []string) (line int, err error) {
	depth, quote := 0, byte(0)
	for n, text := range lines {
		opened, begun := 0, false
		indent := 0
		for i := 0; i < len(text); i++ {
			c := text[i]
			switch {
			case quote == '"' && c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
				i = len(text)
				continue
			case (c == '"' || c == '\'') && (i == 0 || !letter(text[i-1])):
				quote, begun = c, true
			case c == '[' || c == '{':
				depth, begun = depth+1, true
			case c == ']' || c == '}':
				depth = max(depth-1, 0)
			case !begun && (c == '-' || c == '?' || c == '!' || c == '&'):
				opened++
			case c != ' ' && c != '\t':
				begun = true
			case !begun:
				indent++
			}
			if depth > maxDepth || opened > maxDepth || indent > 10*maxDepth {
				return n + 1, fmt.Errorf("the list is nested deeper than %d levels", maxDepth)
			}
		}
	}
	return 0, nil
}

// letter reports whether a quote after c is part of a word.
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
