package method

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No parameter of any group is forgotten where the defaults are filled in.
func TestDefaultsOfAllParameters(t *testing.T) {
	var d Params
	set(t, reflect.ValueOf(&d).Elem())
	got := Params{}.or(d)
	got.Transfer.Program, got.Transfer.Seed = d.Transfer.Program, d.Transfer.Seed // which are no parameters
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("what the defaults fill in (-want +got):\n%s", diff)
	}
}

// set makes all of v something else than zero.
func set(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			set(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(t, v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	default:
		t.Fatalf("a parameter of type %v: say here what is not its zero", v.Type())
	}
}
