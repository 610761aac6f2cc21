package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"unsafe"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// TestFrameSurvives checks that a frame comes back from its stored form with
// every field, also those that are added to it some day.
func TestFrameSurvives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		var f, g frame
		fill(reflect.ValueOf(&f).Elem(), rng)
		f.held = 0 // it is what this process has counted
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
	case reflect.Pointer: // a successor's state is decoded again
	default:
		panic("fill: " + v.Type().String())
	}
}

// TestOtherFormat checks that a checkpoint of another format is refused, not read.
func TestOtherFormat(t *testing.T) {
	for _, format := range []int{0, checkpointFormat + 1} {
		text, err := msgpack.Marshal(&head{Format: format, Finished: true})
		if err != nil {
			t.Fatal(err)
		}
		d, err := disk.Create(filepath.Join(t.TempDir(), "store"), disk.Options{Mem: 1 << 20}, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := Run(context.Background(), ainc(2), Options{Store: d})
		if !errors.Is(r.Err, store.ErrFormat) || r.Verdict != Inconclusive {
			t.Errorf("format %d: %v, %v", format, r.Verdict, r.Err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
