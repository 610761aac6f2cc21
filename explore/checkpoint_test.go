package explore

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/vmihailenco/msgpack/v5"
)

// TestFrameSurvives checks that a frame comes back from its stored form with
// every field, also those that are added to it some day.
func TestFrameSurvives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		var f, g frame
		fill(reflect.ValueOf(&f).Elem(), rng)
		data, err := msgpack.Marshal(f.save())
		if err != nil {
			t.Fatal(err)
		}
		var sf savedFrame
		if err := msgpack.Unmarshal(data, &sf); err != nil {
			t.Fatal(err)
		}
		if g.load(&sf); !reflect.DeepEqual(f, g) {
			t.Fatalf("got\n%+v\nwant\n%+v", g, f)
		}
	}
}

// fill gives every field a random value that is not zero, exported or not.
func fill(v reflect.Value, rng *rand.Rand) {
	if !v.CanSet() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), rng)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), rng)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1 + rng.Int64N(100))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1 + rng.Uint64N(200))
	case reflect.Pointer: // a kid's state is decoded again
	default:
		panic("fill: " + v.Type().String())
	}
}
