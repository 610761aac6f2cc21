// Package mend makes the changes that a report advises in the text of a model or kernel.
//
// It reads as little of the language as it can: calls, their arguments, and what stands on both sides of an assignment.
package mend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/trace"
)

// Apply makes changes in texts, by the names of their files. Lines keep their numbers.
func Apply(texts map[string]string, changes []trace.Change) (map[string]string, error) {
	out := map[string]string{}
	for name, text := range texts {
		out[name] = text
	}
	for _, c := range order(changes) {
		text, ok := out[c.File]
		if !ok {
			return nil, fmt.Errorf("there is no file %s", c.File)
		}
		e := &editor{lines: strings.Split(text, "\n"), inGo: strings.HasSuffix(c.File, ".go")}
		if c.Line < 1 || c.Line > len(e.lines) || c.To > len(e.lines) {
			return nil, fmt.Errorf("%s has no line %d", c.File, c.Line)
		}
		if err := e.apply(c); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", c.File, c.Line, c.Kind, err)
		}
		out[c.File] = strings.Join(e.lines, "\n")
	}
	return out, nil
}

// order puts changes within a line first, from its end on, since they are found by their columns; then what comes before lines; then what moves them.
func order(changes []trace.Change) []trace.Change {
	rank := func(c trace.Change) int {
		switch c.Kind {
		case trace.MoveBehind:
			return 2
		case trace.AddBarrier, trace.AddSubGroup, trace.AddFence, trace.AddFinish:
			return 1
		}
		return 0
	}
	out := slices.Clone(changes)
	slices.SortStableFunc(out, func(a, b trace.Change) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return b.Col - a.Col
	})
	return out
}

// editor changes the lines of one text.
type editor struct {
	lines []string
	inGo  bool
}

func (e *editor) apply(c trace.Change) error {
	i := c.Line - 1
	switch c.Kind {
	case trace.SetOrder:
		return e.argument(c, ordering, e.word(c.Order))
	case trace.SetFailure:
		return e.argument(c, failing, e.word(c.Order))
	case trace.SetScope:
		return e.argument(c, scoping, e.word(c.Scope))
	case trace.AddFlags:
		return e.flags(c)
	case trace.SetFence:
		return e.fence(c)
	case trace.MakeExchange:
		return e.exchange(c)
	case trace.MakeAtomic:
		return e.atomic(c)
	case trace.AddBarrier, trace.AddSubGroup:
		e.before(i, e.function(c.Function)+"("+e.word(c.Flags)+")")
	case trace.AddFence:
		name := c.Function
		args := e.word(c.Flags)
		if name == "" {
			name, args = "atomic_work_item_fence", args+", "+e.word(c.Order)+", "+e.word(c.Scope)
		}
		e.before(i, e.function(name)+"("+args+")")
	case trace.AddFinish:
		e.before(i, "cl.Finish("+c.Queue+")")
	case trace.MoveBehind:
		e.lines[c.To-1] += map[bool]string{true: "; ", false: " "}[e.inGo] + strings.TrimSpace(e.lines[i])
		e.lines[i] = ""
	case trace.AddWait:
		return e.wait(c)
	case trace.MakeBlocking:
		return e.give(c, blocking, func(name string) int { return map[bool]int{true: 0, false: 1}[strings.Contains(name, "SVM")] }, "true")
	case trace.SetEnqueue:
		return e.give(c, enqueues, func(string) int { return 1 }, e.word(c.Flags))
	default:
		return fmt.Errorf("that is no change")
	}
	return nil
}

// before puts a statement before the one that begins in a line.
func (e *editor) before(i int, statement string) {
	text := strings.TrimLeft(e.lines[i], " \t")
	e.lines[i] = e.lines[i][:len(e.lines[i])-len(text)] + statement + "; " + text
}

// Calls in which one argument is changed.
var (
	blocking = regexp.MustCompile(`^cl\.Enqueue(?:Read|Write|Map|SVM)\w+$`)
	enqueues = regexp.MustCompile(`^(?:cl\.EnqueueKernel\w*|enqueue_kernel)$`)
)

// give changes one argument of the call in a line whose name is as asked for.
func (e *editor) give(c trace.Change, names *regexp.Regexp, index func(name string) int, by string) error {
	at, err := e.find(c, names)
	if err != nil {
		return err
	}
	args, i := at.values(), index(at.name)
	if i >= len(args) {
		return fmt.Errorf("%s has no argument %d", at.name, i)
	}
	was := args[i]
	args[i] = by
	e.put(at, at.name, args)
	if e.inGo && identifier.MatchString(was) && was != "true" && was != "false" {
		e.before(at.line, "_ = "+was) // Go wants each variable used
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// word writes constants of OpenCL C as the language of the text does.
func (e *editor) word(constants string) string {
	if !e.inGo {
		return constants
	}
	var out []string
	for _, c := range strings.Split(constants, " | ") {
		out = append(out, e.function(c))
	}
	return strings.Join(out, " | ")
}

// function writes a name of OpenCL C as the language of the text does.
func (e *editor) function(name string) string {
	if !e.inGo {
		return name
	}
	text := "cl."
	for _, part := range strings.Split(name, "_") {
		if part == "CLK" {
			text += part
			continue
		}
		if part = strings.ToLower(part); part == "svm" {
			text += "SVM"
			continue
		}
		text += strings.ToUpper(part[:1]) + part[1:]
	}
	return text
}

// call is a call of a function in the text, which may go on in further lines.
type call struct {
	line, from, to int // the name
	name           string
	args           [][2]int // from and to, in the text that begins with the line
	text           string   // from the line on
}

var called = regexp.MustCompile(`(?:cl\.)?[A-Za-z_]\w*(?:\[[^\]]*\])?\s*\(`)

// synchronises recognises functions that have an order, a scope or flags.
var synchronises = regexp.MustCompile(`(?i)^(?:cl\.)?(?:atomic_?\w+|\w*barrier|\w*mem_?fence|atom_\w+)$`)

// find returns the call at a place: the last one that begins before the column or in it.
func (e *editor) find(c trace.Change, names *regexp.Regexp) (*call, error) {
	i := c.Line - 1
	var found *call
	for _, at := range called.FindAllStringIndex(e.lines[i], -1) {
		name := strings.TrimRight(e.lines[i][at[0]:at[1]-1], " ")
		if !names.MatchString(name) || found != nil && c.Col > 0 && at[0]+1 > c.Col {
			continue
		}
		found = &call{line: i, from: at[0], to: at[0] + len(name), name: name, text: strings.Join(e.lines[i:], "\n")}
		found.args = arguments(found.text, at[1])
	}
	if found == nil {
		return nil, fmt.Errorf("%q calls nothing that could be changed", strings.TrimSpace(e.lines[i]))
	}
	return found, nil
}

// arguments returns where the arguments are of a call whose parenthesis has been opened.
func arguments(text string, at int) [][2]int {
	var out [][2]int
	depth, from := 0, at
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth == 0 {
				if strings.TrimSpace(text[from:i]) != "" {
					out = append(out, [2]int{from, i})
				}
				return out
			}
			depth--
		case ',':
			if depth == 0 {
				out = append(out, [2]int{from, i})
				from = i + 1
			}
		}
	}
	return out
}

// put writes a call anew, with other arguments.
func (e *editor) put(c *call, name string, args []string) {
	end := c.to + strings.IndexByte(c.text[c.to:], '(') + 1
	if n := len(c.args); n > 0 {
		end = c.args[n-1][1]
	}
	had := strings.Count(c.text[c.from:end], "\n")
	text := c.text[:c.from] + name + "(" + strings.Repeat("\n", had) + strings.Join(args, ", ") + c.text[end:]
	e.lines = append(e.lines[:c.line], strings.Split(text, "\n")...)
}

func (c *call) values() []string {
	var out []string
	for _, a := range c.args {
		out = append(out, strings.Join(strings.Fields(c.text[a[0]:a[1]]), " "))
	}
	return out
}

// What an argument is there for.
type role int

const (
	ordering role = iota
	failing
	scoping
)

// shape says how many arguments a function has before its order, and how many orders.
func shape(name string) (before, orders int) {
	name = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "cl."), "_", ""))
	switch {
	case strings.Contains(name, "compareexchange"):
		return 3, 2
	case strings.Contains(name, "barrier"):
		return 1, 0
	case strings.Contains(name, "load"), strings.Contains(name, "flag"), strings.Contains(name, "workitemfence"):
		return 1, 1
	}
	return 2, 1
}

// argument changes an order or the scope of a call.
func (e *editor) argument(c trace.Change, what role, by string) error {
	at, err := e.find(c, synchronises)
	if err != nil {
		return err
	}
	name, args := at.name, at.values()
	before, orders := shape(name)
	if orders > 0 && !strings.Contains(strings.ToLower(name), "explicit") && !strings.Contains(strings.ToLower(name), "fence") {
		suffix := "_explicit"
		if e.inGo {
			suffix = "Explicit"
		}
		name += suffix
		for range orders {
			args = append(args, e.word("memory_order_seq_cst"))
		}
	}
	index := before
	switch what {
	case failing:
		index++
	case scoping:
		index = before + orders
	}
	for len(args) <= index {
		args = append(args, by)
	}
	args[index] = by
	e.put(at, name, args)
	return nil
}

func (e *editor) flags(c trace.Change) error {
	at, err := e.find(c, synchronises)
	if err != nil {
		return err
	}
	args := at.values()
	if len(args) == 0 {
		return fmt.Errorf("%s has no flags", at.name)
	}
	if args[0] == "0" {
		args[0] = e.word(c.Flags)
	} else {
		args[0] += " | " + e.word(c.Flags)
	}
	e.put(at, at.name, args)
	return nil
}

func (e *editor) fence(c trace.Change) error {
	at, err := e.find(c, synchronises)
	if err != nil {
		return err
	}
	e.put(at, e.function("atomic_work_item_fence"), []string{e.word(c.Flags), e.word(c.Order), e.word(c.Scope)})
	return nil
}

func (e *editor) exchange(c trace.Change) error {
	at, err := e.find(c, synchronises)
	if err != nil {
		return err
	}
	name := strings.NewReplacer("store", "exchange", "Store", "Exchange").Replace(at.name)
	if name == at.name {
		return fmt.Errorf("%s is no store", at.name)
	}
	e.put(at, name, at.values())
	return nil
}

// barrierCall finds the short name of a barrier.
var barrierCall = regexp.MustCompile(`(?:^|[^\w])barrier\s*\(`)

var assigned = regexp.MustCompile(`^(\w+)\s*:?=\s*cl\.`)

// wait puts the event of one command into the wait list of another.
func (e *editor) wait(c trace.Change) error {
	from := strings.TrimSpace(e.lines[c.To-1])
	event := "mended"
	if m := assigned.FindStringSubmatch(from); m != nil && m[1] != "_" {
		event = m[1]
	} else if strings.HasPrefix(from, "cl.") {
		e.lines[c.To-1] = strings.Replace(e.lines[c.To-1], "cl.", event+" := cl.", 1)
	} else {
		return fmt.Errorf("%q gives no event", from)
	}
	text := e.lines[c.Line-1]
	if before, after, ok := strings.Cut(text, "EventWaitList("); ok {
		e.lines[c.Line-1] = before + "EventWaitList(" + event + ", " + after
		return nil
	}
	at := strings.LastIndexByte(text, ')')
	if at < 0 {
		return fmt.Errorf("%q is no call", text)
	}
	comma := ", "
	if text[at-1] == '(' {
		comma = ""
	}
	e.lines[c.Line-1] = text[:at] + comma + "cl.EventWaitList(" + event + ")" + text[at:]
	return nil
}

// atomic makes an ordinary access atomic.
func (e *editor) atomic(c trace.Change) error {
	i := c.Line - 1
	text := e.lines[i]
	if c.Col < 1 || c.Col > len(text) {
		return fmt.Errorf("%q has no column %d", text, c.Col)
	}
	at := c.Col - 1
	if strings.Contains(c.Function, "load") || strings.Contains(c.Function, "_or(") {
		from, to := readAt(text, at)
		object := text[from:to]
		by := e.function("atomic_or") + "(&" + object + ", 0)"
		if c.Order != "" {
			by = fmt.Sprintf("%s((%s)&%s, %s, %s)", c.Function, c.Type, object, c.Order, c.Scope)
		}
		e.lines[i] = text[:from] + by + text[to:]
		return nil
	}
	op := operator.FindString(text[at:])
	if op == "" {
		return fmt.Errorf("%q assigns nothing in column %d", text, c.Col)
	}
	from, to := 0, at
	var object, value string
	switch {
	case op == "++" || op == "--":
		if value = "1"; op == "--" {
			value = "-1"
		}
		if before := strings.TrimRight(text[:at], " \t"); before != "" && (before[len(before)-1] == ']' || letter(before[len(before)-1])) {
			from, to = operandBefore(text, at), at+2
			object = strings.TrimSpace(text[from:at])
			break
		}
		_, end := readFrom(text, at+2)
		from, to, object = at, end, strings.TrimSpace(text[at+2:end])
	default:
		from = operandBefore(text, at)
		object = strings.TrimSpace(text[from:at])
		to = endOf(text, at+len(op))
		value = strings.TrimSpace(text[at+len(op) : to])
		if op == "-=" {
			value = "-(" + value + ")"
		}
	}
	by := fmt.Sprintf("%s(&%s, %s)", e.function(c.Function), object, value)
	if c.Order != "" {
		by = fmt.Sprintf("%s((%s)&%s, %s, %s, %s)", c.Function, c.Type, object, value, c.Order, c.Scope)
	}
	e.lines[i] = text[:from] + by + text[to:]
	return nil
}

var operator = regexp.MustCompile(`^(?:\+\+|--|[-+|&^]?=)`)

func letter(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// readAt returns the expression that is read by the operator at a place: an identifier, an index, a member or what a pointer points to.
func readAt(text string, at int) (from, to int) {
	switch {
	case text[at] == '*':
		_, to = readFrom(text, at+1)
		return at, to
	case letter(text[at]):
		return readOnly(text, at)
	}
	from = operandBefore(text, at)
	to = at + 1
	if text[at] == '[' {
		to = closing(text, at)
	} else {
		for to < len(text) && (letter(text[to]) || text[to] == '>') {
			to++
		}
	}
	return from, to
}

// readOnly returns where an identifier ends.
func readOnly(text string, at int) (from, to int) {
	for to = at; to < len(text) && letter(text[to]); to++ {
	}
	return at, to
}

// readFrom returns where a primary expression with its indices and members ends.
func readFrom(text string, at int) (from, to int) {
	to = at
	for to < len(text) && text[to] == ' ' {
		to++
	}
	for to < len(text) && (text[to] == '*' || text[to] == '&' || text[to] == ' ') { // of what a pointer to a pointer points to
		to++
	}
	if to < len(text) && text[to] == '(' {
		end := closing(text, to)
		if next := blank(text, end); next < len(text) && castType.MatchString(text[to:end]) && (letter(text[next]) || strings.IndexByte("(*&", text[next]) >= 0) {
			_, to = readFrom(text, next) // of a cast, what is cast
			return at, to
		}
		to = end
	}
	for to < len(text) {
		switch {
		case text[to] == '[':
			to = closing(text, to)
		case strings.HasPrefix(text[to:], "->"):
			to += 2
		case letter(text[to]) || text[to] == '.':
			to++
		default:
			return at, to
		}
	}
	return at, to
}

// castType recognises a type between parentheses: words, of which the last may have stars behind it.
var castType = regexp.MustCompile(`^\(\s*(?:(?:\w+\s+)*\w+\s*\*[\s*]*|(?:__)?(?:global|local|private|constant|generic|volatile|const|unsigned|signed|struct)\b[\w\s*]*|(?:u?(?:char|short|int|long)|float|double|half|size_t|u?intptr_t|ptrdiff_t|bool)\d*\s*)\)$`)

// closing returns the place behind the bracket that closes the one at a place.
func closing(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// operandBefore returns where the operand begins that ends before a place.
func operandBefore(text string, at int) int {
	i := at
	for i > 0 && text[i-1] == ' ' {
		i--
	}
	depth := 0
	for i > 0 {
		switch b := text[i-1]; {
		case b == ']' || b == ')':
			depth++
		case b == '[' || b == '(':
			if depth == 0 {
				return i
			}
			depth--
		case depth > 0, letter(b), b == '.', b == '>' && i > 1 && text[i-2] == '-', b == '-' && text[i] == '>':
		case b == '*' && (i < 2 || strings.IndexByte(" \t(;{", text[i-2]) >= 0):
			return i - 1
		default:
			return i
		}
		i--
	}
	return i
}

// endOf returns where a value ends that begins at a place.
func endOf(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ';', ',', '}':
			if depth == 0 {
				return i
			}
		case '/':
			if i+1 < len(text) && text[i+1] == '/' && depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
