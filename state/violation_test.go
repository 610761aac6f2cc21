package state

import (
	"reflect"
	"testing"

	"github.com/clmc/clmc/memmodel"
)

// Whoever a violation names has another number in another cast, and so has the location: none is forgotten, whatever field it is in.
func TestViolationMoves(t *testing.T) {
	const units, shift = 9, 3
	to, locs := make([]memmodel.Unit, units), make([]memmodel.Loc, units)
	for i := range to {
		to[i], locs[(i+shift)%units] = memmodel.Unit((i+shift)%units), memmodel.Loc(i)
	}
	v := Violation{Kind: BarrierDivergence, Failed: MappingViolation, Fault: memmodel.Fault{Kind: memmodel.DataRace}}
	number, unit, loc := 0, reflect.TypeFor[memmodel.Unit](), reflect.TypeFor[memmodel.Loc]()
	each := func(v reflect.Value, f func(v reflect.Value)) {
		var walk func(v reflect.Value)
		walk = func(v reflect.Value) {
			switch v.Type() {
			case unit, loc:
				f(v)
			default:
				for i := range v.NumField() {
					if f := v.Field(i); f.Kind() == reflect.Struct || f.Type() == unit || f.Type() == loc {
						walk(f)
					}
				}
			}
		}
		walk(v)
	}
	each(reflect.ValueOf(&v).Elem(), func(v reflect.Value) {
		number++
		v.SetInt(int64(number))
	})
	if number < 7 {
		t.Fatalf("only %d names in a violation", number)
	}
	moved, next := v.moved(to, locs), 0
	each(reflect.ValueOf(&moved).Elem(), func(v reflect.Value) {
		next++
		if want := int64(next+shift) % units; v.Int() != want {
			t.Errorf("name %d has become %d, not %d", next, v.Int(), want)
		}
	})
}
