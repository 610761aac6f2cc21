package prove

import (
	"fmt"
	"strings"
)

// String writes a term for tests.
func (t *term) String() string {
	names := [...]string{"", "", "", "*", "/", "%", "<<", ">>", ">>s", "&", "|", "^", "!", "==", "<", "<s", "?", "z", "s", "tr", "f", "mem"}
	switch t.op {
	case opConst:
		return fmt.Sprint(signed(t.k, t.w))
	case opSym:
		return t.name
	case opLin:
		var b strings.Builder
		fmt.Fprintf(&b, "(%d", signed(t.k, t.w))
		for i, a := range t.args {
			fmt.Fprintf(&b, " + %d*%v", signed(t.coef[i], t.w), a)
		}
		return b.String() + fmt.Sprintf(")%d", t.w)
	case opZext, opSext, opTrunc:
		return fmt.Sprintf("%s%d(%v)", names[t.op], t.w, t.args[0])
	}
	var l []string
	for _, a := range t.args {
		l = append(l, a.String())
	}
	n := names[t.op]
	if t.name != "" {
		n = t.name
	}
	return "[" + n + " " + strings.Join(l, ", ") + "]"
}
