package report

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// validator checks JSON against the part of JSON Schema that clmc's schemas
// use; it reports keywords that it does not know.
type validator struct {
	root     map[string]any
	problems []string
}

func (v *validator) fail(at, format string, args ...any) {
	v.problems = append(v.problems, at+": "+fmt.Sprintf(format, args...))
}

func (v *validator) check(at string, schema map[string]any, doc any) {
	for keyword, arg := range schema {
		switch keyword {
		case "$schema", "$defs", "title", "description", "properties", "required", "additionalProperties":
		case "$ref":
			def := strings.TrimPrefix(arg.(string), "#/$defs/")
			v.check(at, v.root["$defs"].(map[string]any)[def].(map[string]any), doc)
		case "type":
			if !hasType(arg.(string), doc) {
				v.fail(at, "%v is not of type %v", doc, arg)
				return
			}
		case "const":
			if doc != arg {
				v.fail(at, "%v is not %v", doc, arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), doc) {
				v.fail(at, "%v is not one of %v", doc, arg)
			}
		case "minimum":
			if n, ok := doc.(float64); ok && n < arg.(float64) {
				v.fail(at, "%v is below %v", doc, arg)
			}
		case "pattern":
			if s, ok := doc.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(s) {
				v.fail(at, "%q does not match %v", s, arg)
			}
		case "items":
			for i, item := range doc.([]any) {
				v.check(fmt.Sprintf("%s[%d]", at, i), arg.(map[string]any), item)
			}
		default:
			v.fail(at, "unknown keyword %s", keyword)
		}
	}
	if object, ok := doc.(map[string]any); ok {
		v.members(at, schema, object)
	}
}

func (v *validator) members(at string, schema, object map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := object[name.(string)]; !ok {
			v.fail(at, "no %v", name)
		}
	}
	for name, value := range object {
		if s, ok := properties[name]; ok {
			v.check(at+"."+name, s.(map[string]any), value)
			continue
		}
		switch extra := schema["additionalProperties"].(type) {
		case bool:
			if !extra {
				v.fail(at, "unexpected %s", name)
			}
		case map[string]any:
			v.check(at+"."+name, extra, value)
		}
	}
}

func hasType(name string, doc any) bool {
	switch d := doc.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && d == math.Trunc(d)
	}
	return false
}

// TestValidator makes sure that the validator finds something.
func TestValidator(t *testing.T) {
	schema := map[string]any{"type": "object", "required": []any{"a"}, "additionalProperties": false,
		"properties": map[string]any{"a": map[string]any{"type": "integer", "minimum": 1.0}}}
	for _, doc := range []any{3.0, map[string]any{}, map[string]any{"a": 0.0}, map[string]any{"a": "x"}, map[string]any{"a": 1.0, "b": 1.0}} {
		v := &validator{root: schema}
		if v.check("", schema, doc); len(v.problems) == 0 {
			t.Errorf("%v is accepted", doc)
		}
	}
	v := &validator{root: schema}
	if v.check("", schema, map[string]any{"a": 1.0}); !reflect.DeepEqual(v.problems, []string(nil)) {
		t.Error(v.problems)
	}
}
