package check

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// intLiteral checks an integer constant.
func (c *checker) intLiteral(s string, pos tree.Pos) tree.Expr {
	digits := strings.TrimRight(s, "uUlL")
	suffix := strings.ToLower(s[len(digits):])
	v, err := strconv.ParseUint(digits, 0, 64)
	if err != nil || strings.ContainsAny(digits, "_oO") {
		if strings.HasPrefix(digits, "0") && !strings.HasPrefix(strings.ToLower(digits), "0x") && !strings.HasPrefix(strings.ToLower(digits), "0b") {
			c.fail(pos, "", "%s is not an octal number", s)
		}
		c.fail(pos, "", "%s is not an integer constant of 64 bits", s)
	}
	unsigned, long := strings.Contains(suffix, "u"), strings.Contains(suffix, "l")
	switch suffix {
	case "", "u", "l", "ul", "lu", "ll", "ull", "llu":
	default:
		c.fail(pos, "", "%s is not an integer constant", s)
	}
	decimal := digits == "0" || digits[0] != '0'
	t := tree.TULong
	switch {
	case !long && !unsigned && v <= math.MaxInt32:
		t = tree.TInt
	case !long && (unsigned || !decimal) && v <= math.MaxUint32:
		t = tree.TUInt
	case !unsigned && v <= math.MaxInt64:
		t = tree.TLong
	}
	return &tree.Const{Node: tree.Node{T: t, P: pos}, Bits: v}
}

// floatLiteral checks a floating constant.
func (c *checker) floatLiteral(s string, pos tree.Pos) tree.Expr {
	hex := strings.HasPrefix(strings.ToLower(s), "0x")
	body, t := s, tree.TDouble
	switch last := s[len(s)-1]; {
	case last == 'h' || last == 'H':
		body, t = s[:len(s)-1], tree.THalf
	case (last == 'f' || last == 'F') && (!hex || strings.ContainsAny(s, "pP")):
		body, t = s[:len(s)-1], tree.TFloat
	}
	v, err := strconv.ParseFloat(body, 64)
	if n, ok := err.(*strconv.NumError); err != nil && !(ok && n.Err == strconv.ErrRange) || strings.Contains(body, "_") || !strings.ContainsAny(body, ".eEpP") || strings.ContainsAny(strings.ToLower(body), "in") {
		c.fail(pos, "", "%s is not a number", s)
	}
	return c.float(v, t, pos)
}

// float returns a floating constant of a type.
func (c *checker) float(v float64, t *tree.Type, pos tree.Pos) *tree.Const {
	return &tree.Const{Node: tree.Node{T: t, P: pos}, F: roundTo(v, t.Kind)}
}

// charLiteral checks a character constant, which is an int.
func (c *checker) charLiteral(s string, pos tree.Pos) tree.Expr {
	b, ok := unquote(s)
	if !ok || len(b) == 0 {
		c.fail(pos, "", "%s is not a character", s)
	}
	if len(b) > 4 {
		c.fail(pos, "", "%s has more than four characters", s)
	}
	v := int32(int8(b[0]))
	for i := 1; i < len(b); i++ {
		v = v<<8 | int32(b[i])
	}
	return &tree.Const{Node: tree.Node{T: tree.TInt, P: pos}, Bits: uint64(int64(v))}
}

// unquote returns the bytes of a string or character constant.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return "", false
	}
	s = s[1 : len(s)-1]
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if at := strings.IndexByte(`ntrabfv\'"?e`, s[i]); at >= 0 {
			b.WriteByte("\n\t\r\a\b\f\v\\'\"?\x1b"[at])
			continue
		}
		base, most, from := 8, 3, i
		switch s[i] {
		case 'x':
			base, most, from = 16, 16, i+1
		case 'u':
			base, most, from = 16, 4, i+1
		case 'U':
			base, most, from = 16, 8, i+1
		}
		to := from
		for to < len(s) && to < from+most && digit(s[to]) < base {
			to++
		}
		v, err := strconv.ParseUint(s[from:to], base, 32)
		if err != nil {
			return "", false
		}
		if s[i] == 'u' || s[i] == 'U' {
			b.Write(utf8.AppendRune(nil, rune(v)))
		} else {
			b.WriteByte(byte(v))
		}
		i = to - 1
	}
	return b.String(), true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// constant checks an expression that must be an integer constant.
func (c *checker) constant(n cc.ExpressionNode, what string) int64 {
	x := c.known(c.rvalue(n))
	k, ok := x.(*tree.Const)
	if !ok || !k.T.IsInteger() {
		c.fail(x.Pos(), "Write a number, a macro, an enumeration constant or sizeof.", "%s is an integer constant", what)
	}
	return int64(k.Bits)
}
