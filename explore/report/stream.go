package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// WriteJSON writes a value as all documents of clmc are written.
func WriteJSON(w io.Writer, v any) error { return stream(w, v, "  ", false) }

// WriteData writes a value as JSON within a page: on one line, and with no < or > in it.
func WriteData(w io.Writer, v any) error { return stream(w, v, "", true) }

// stream writes what an encoder of package json writes, but for the lines of long lists, and piece by piece: that one makes the whole document, and
// once more indented, before it writes the first byte, and the document of a long execution is much larger than the
// execution.
func stream(w io.Writer, v any, indent string, escape bool) error {
	s := &streamer{w: bufio.NewWriterSize(w, 1<<16), indent: indent, shapes: map[reflect.Type]*shape{}}
	s.encoder = json.NewEncoder(&s.piece)
	s.encoder.SetEscapeHTML(escape)
	s.value(reflect.ValueOf(v), 0)
	s.w.WriteByte('\n')
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

// streamer writes a document. Errors of the writer show when it is flushed.
type streamer struct {
	w       *bufio.Writer
	indent  string
	piece   bytes.Buffer // of encoder
	encoder *json.Encoder
	shapes  map[reflect.Type]*shape // of the types met so far: to ask for them takes longer than to write a value
	err     error                   // the first one
}

// shape is how values of a type are written.
type shape struct {
	special bool    // they say themselves what they are in JSON
	plain   bool    // a struct, and its fields are those of the object
	fields  []field // of a plain struct, those that are written
}

// field is one of a struct.
type field struct {
	index     int
	name      string // quoted, with the colon
	omitEmpty bool
}

// shape returns how values of a type are written.
func (s *streamer) shape(t reflect.Type) *shape {
	k := s.shapes[t]
	if k != nil {
		return k
	}
	k = &shape{special: special(t), plain: t.Kind() == reflect.Struct && plain(t)}
	s.shapes[t] = k
	if !k.plain {
		return k
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" && option == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		k.fields = append(k.fields, field{i, strconv.Quote(name) + ":", option == "omitempty"})
	}
	return k
}

// value writes a value, whose first line stands at some depth.
func (s *streamer) value(v reflect.Value, depth int) {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() && !s.shape(v.Type()).special {
		v = v.Elem()
	}
	switch {
	case s.err != nil:
	case !v.IsValid() || s.shape(v.Type()).special:
		s.whole(v, depth)
	case v.Kind() == reflect.Struct && s.shape(v.Type()).plain:
		s.object(v, depth)
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8:
		s.array(v, depth)
	case v.CanInt():
		s.w.Write(strconv.AppendInt(s.w.AvailableBuffer(), v.Int(), 10))
	case v.Kind() == reflect.String && clean(v.String()):
		s.w.WriteByte('"')
		s.w.WriteString(v.String())
		s.w.WriteByte('"')
	default:
		s.whole(v, depth)
	}
}

// special reports whether values of a type say themselves what they are in JSON.
func special(t reflect.Type) bool {
	for _, m := range [...]reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()} {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return true
		}
	}
	return t == reflect.TypeFor[json.Number]()
}

// plain reports whether an object has just the fields of the struct.
func plain(t reflect.Type) bool {
	for f := range t.Fields() {
		if f.Anonymous || strings.Contains(f.Tag.Get("json"), ",string") {
			return false
		}
	}
	return true
}

// clean reports whether a text stands in JSON as it is, on a page, too.
func clean(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func (s *streamer) object(v reflect.Value, depth int) {
	s.w.WriteByte('{')
	first := true
	for _, f := range s.shape(v.Type()).fields {
		x := v.Field(f.index)
		if f.omitEmpty && empty(x) {
			continue
		}
		s.next(&first, depth+1)
		s.w.WriteString(f.name)
		if s.indent != "" {
			s.w.WriteByte(' ')
		}
		s.value(x, depth+1)
	}
	s.end(first, depth, '}')
}

// empty reports whether omitempty leaves a value out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// longList is the length from which on a list has each of its elements on one line: nobody reads through it.
const longList = 1000

func (s *streamer) array(v reflect.Value, depth int) {
	s.w.WriteByte('[')
	first, indent := true, s.indent
	for i := range v.Len() {
		s.next(&first, depth+1)
		if v.Len() > longList {
			s.indent = ""
		}
		s.value(v.Index(i), depth+1)
		s.indent = indent
	}
	s.end(first, depth, ']')
}

// next begins a field or an element.
func (s *streamer) next(first *bool, depth int) {
	if !*first {
		s.w.WriteByte(',')
	}
	*first = false
	s.line(depth)
}

func (s *streamer) end(nothing bool, depth int, closing byte) {
	if !nothing {
		s.line(depth)
	}
	s.w.WriteByte(closing)
}

// line begins a line, if there are lines.
func (s *streamer) line(depth int) {
	if s.indent == "" {
		return
	}
	s.w.WriteByte('\n')
	for range depth {
		s.w.WriteString(s.indent)
	}
}

// whole writes a value that is not large.
func (s *streamer) whole(v reflect.Value, depth int) {
	s.piece.Reset()
	s.encoder.SetIndent(strings.Repeat(s.indent, depth), s.indent)
	var err error
	switch {
	case !v.IsValid():
		err = s.encoder.Encode(nil)
	case v.CanAddr(): // lest it is copied
		err = s.encoder.Encode(v.Addr().Interface())
	default:
		err = s.encoder.Encode(v.Interface())
	}
	if err != nil && s.err == nil {
		s.err = err
	}
	s.w.Write(bytes.TrimSuffix(s.piece.Bytes(), []byte("\n")))
}
