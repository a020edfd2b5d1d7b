package snmp

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fake is an agent that shows its values from a moment on.
type fake struct {
	values map[string]Value
	shown  map[time.Duration]map[string]uint64 // what they are from when on, since it began
	began  time.Time
	silent bool
}

func (f *fake) Get(_ context.Context, objects []string) (out []Value, err error) {
	if f.silent {
		return nil, errNoAnswer
	}
	for since := time.Duration(0); since <= time.Since(f.began); since += settleEach / 2 {
		for object, n := range f.shown[since] {
			f.values[object] = Value{Number: n, Bits: f.values[object].Bits}
		}
	}
	for _, o := range objects {
		out = append(out, f.values[o])
	}
	return out, nil
}

func (f *fake) Column(_ context.Context, column string) (map[int]Value, error) {
	out := make(map[int]Value)
	for i := range 4 {
		if v, ok := f.values[column+"."+strconv.Itoa(i)]; ok {
			out[i] = v
		}
	}
	return out, nil
}

func (f *fake) Close() error { return nil }

// Objects of the fake's two interfaces. The second one has no ifXTable.
const (
	highOut    = outHigh + ".1"
	lowIn      = inUnicast + ".2"
	inDiscards = ".1.3.6.1.2.1.2.2.1.13.1"
	outErrors  = ".1.3.6.1.2.1.2.2.1.20.2"
	highIn     = inHigh + ".1"
	lowOut     = outUnicast + ".2"
)

func newFake() *fake {
	f := &fake{began: time.Now(), shown: map[time.Duration]map[string]uint64{}, values: map[string]Value{
		upTime: {Number: 1000, Bits: 32}, descrOf + ".1": {Text: "Port 1"}, descrOf + ".2": {Text: "Port 2"}, nameOf + ".1": {Text: "ge1"},
		highIn: {Number: 1<<40 - 1, Bits: 64}, highOut: {Bits: 64}, lowIn: {Bits: 32}, lowOut: {Number: 1<<32 - 10, Bits: 32},
	}}
	for _, l := range losses {
		f.values[l.object+".1"], f.values[l.object+".2"] = Value{Number: 1<<32 - 2, Bits: 32}, Value{Bits: 32}
	}
	return f
}

func witnessOf(f *fake) *Witness { return &Witness{agent: f, at: netip.MustParseAddr("192.0.2.10")} }

// What cannot be asked is refused with what to do.
func TestNoWitness(t *testing.T) {
	for want, names := range map[string][]string{
		"has no interface eth7; it has 1 (ge1), 2 (Port 2)": {"Port 1", "eth7"},
		"has no interface 3; it has 1 (ge1)":                {"3"},
	} {
		if err := witnessOf(newFake()).find(t.Context(), names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	f := newFake()
	f.silent = true
	if err := witnessOf(f).find(t.Context(), []string{"1"}); !errors.Is(err, errNoAnswer) || !strings.Contains(err.Error(), "this community") {
		t.Error(err)
	}
}
