package check

import (
	"errors"
	"fmt"
	"io"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// The limits of nesting: the parser calls itself, and a stack that overflows cannot be caught.
const (
	maxNesting = 256   // of brackets, as clang has it
	maxChain   = 20000 // of tokens without a semicolon or comma
	maxElse    = 10000 // else, in a function
	maxTokens  = 2 << 20
)

// guard preprocesses the program and looks whether the parser can be let loose on what comes out.
func (c *checker) guard(sources func() []cc.Source) bool {
	n := &nesting{}
	err := c.preprocess(sources(), maxWork, n)
	if overLimit(err) && c.conditions(sources()) {
		*n = nesting{}
		err = c.preprocess(sources(), maxExpansion, n)
	}
	if n.wrong != "" {
		c.report(tree.Pos{}, "", n.wrong)
		return false
	}
	if err != nil {
		c.parseErrors(err)
		return false
	}
	return true
}

// preprocess writes the tokens of a program.
func (c *checker) preprocess(sources []cc.Source, limit int, w io.Writer) error {
	err := c.contained(func() error { return cc.Preprocess(c.config(limit), sources, w) })
	c.files.total = len(c.files.unit[0].Text) // all of it will be read once more
	return err
}

// nesting is written the tokens of a program. The parser calls itself for brackets, and for tokens
// in a row that no semicolon or comma ends.
type nesting struct {
	open   []int // the chains of the enclosing brackets
	chain  int   // tokens in a row, those before enclosing brackets included
	elses  int
	tokens int
	wrong  string
}

var errNesting = errors.New("too deep")

func (n *nesting) Write(b []byte) (int, error) {
	n.tokens++
	switch s := string(b); s {
	case " ", "\n":
		n.tokens--
	case "(", "[", "{":
		n.open = append(n.open, n.chain)
	case ")", "]", "}":
		if last := len(n.open) - 1; last >= 0 {
			n.chain, n.open = n.open[last]+1, n.open[:last] // a cast is a token, too
		}
		if s == "}" && len(n.open) == 0 {
			n.elses = 0
		}
		if s == "}" {
			n.chain = n.before()
		}
	case ";", ",":
		n.chain = n.before()
	case "else":
		n.elses++
	default:
		n.chain++
	}
	switch {
	case len(n.open) > maxNesting:
		n.wrong = fmt.Sprintf("brackets are nested more than %d deep", maxNesting)
	case n.chain > maxChain:
		n.wrong = fmt.Sprintf("an expression or a statement has more than %d tokens in a row", maxChain)
	case n.elses > maxElse:
		n.wrong = fmt.Sprintf("a function has more than %d times else", maxElse)
	case n.tokens > maxTokens:
		n.wrong = fmt.Sprintf("the program has more than %d tokens", maxTokens)
	default:
		return len(b), nil
	}
	return 0, errNesting
}

// before returns the chain in front of the innermost bracket that is open.
func (n *nesting) before() int {
	if len(n.open) == 0 {
		return 0
	}
	return n.open[len(n.open)-1]
}
