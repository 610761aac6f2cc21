package state

import (
	"maps"
	"reflect"
	"testing"
	"unsafe"

	"github.com/clmc/clmc/internal/testkit/fields"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

// TestFieldsOfState sees that all that must think of each field of a State does. Whoever
// adds a field thinks of it there, or says here why that need not be.
func TestFieldsOfState(t *testing.T) {
	const (
		derived  = "it follows from the rest"
		tried    = "a state with it is thrown away"
		told     = "the search is told of it before it goes on"
		alone    = "a unit that runs alone is not stored, and starts nothing"
		nameless = "it is known by what does not change"
		haste    = "it is set while a step is tried, and no longer"
		hosts    = "it belongs to what is not exchanged"
	)
	over := func() map[string]string {
		return map[string]string{"due": "a state that is stored has nothing due", "MessageBoundHit": told, "Abandoned": tried,
			"AssumptionFailed": tried, "Uncertified": tried, "CertificationFailed": tried, "solo": alone, "abortable": haste, "unpromising": derived, "alone": derived, "buffering": derived}
	}
	renamed := over()
	delete(renamed, "alone")
	delete(renamed, "buffering")
	maps.Copy(renamed, map[string]string{"Mem": "it has a Rename of its own", "obs": nameless, "reached": nameless,
		"maps": hosts, "made": hosts, "code": hosts, "PastRace": nameless})
	fields.Check(t, ".", "State", []fields.Duty{
		{What: "CopyFrom copies it", Funcs: []string{"State.CopyFrom"}},
		{What: "reset makes a new one", Funcs: []string{"State.reset"}, But: map[string]string{"Mem": "it has a Reset of its own"}},
		{What: "Append encodes it", Funcs: []string{"State.Append", "State.reg"}, But: over()},
		{What: "Decode decodes it", Funcs: []string{"Machine.Decode", "State.reg"}, But: over()},
		{What: "move takes it to another cast", Funcs: []string{"Machine.move", "State.reg"}, But: map[string]string{"unpromising": derived, "alone": derived, "buffering": derived}},
		{What: "rename renames what is in it", Funcs: []string{"State.rename", "State.reg"}, But: renamed},
		{What: "Dominates compares it", Funcs: []string{"State.Dominates"}, But: map[string]string{
			"MessageBoundHit": told, "AssumptionFailed": tried, "Uncertified": tried, "CertificationFailed": tried, "solo": alone, "abortable": haste, "unpromising": derived, "alone": derived, "buffering": derived}},
	})
}

// TestStateSurvives sees that a copy has every field of what it is a copy of, and that one
// that is reset has none, also those that are added some day.
func TestStateSurvives(t *testing.T) {
	p, err := load.Source("fields.go", []byte(twoItems), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var s, copied State
	s.CopyFrom(NewMachine(p, memmodel.Specs[0]).Initial())
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name != "Cast" && f.Name != "Mem" { // which has a test of its own
			fill(t, f.Name, reflect.NewAt(f.Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem())
		}
	}
	copied.CopyFrom(&s)
	s.Mem, copied.Mem = memmodel.Memory{}, memmodel.Memory{}
	if !reflect.DeepEqual(s, copied) {
		t.Errorf("a copy is\n%+v\nwant\n%+v", copied, s)
	}
	var fresh State
	fresh.reset(s.Cast)
	s.reset(s.Cast)
	for _, list := range []*State{&s, &fresh} {
		trim(list)
	}
	if !reflect.DeepEqual(s, fresh) {
		t.Errorf("reset, it is\n%+v\nwant\n%+v", s, fresh)
	}
}

// trim makes lists that are empty nil: whether there is room makes no difference.
func trim(s *State) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 {
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
			f.Set(reflect.Zero(f.Type()))
		}
	}
}

const twoItems = `package main

import "github.com/clmc/clmc/models/cl"

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}

func k() {}
`

// fill gives a field, and what is in it, values that are not zero.
func fill(t *testing.T, name string, v reflect.Value) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, name, v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(t, name, v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		t.Fatalf("%s: what is a value of %v that is not zero?", name, v.Type())
	}
}
