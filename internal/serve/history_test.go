package serve

import (
	"testing"

	"weir"
	"weir/internal/sqlite"
)

// A history says what of the environment changed, the kernel first, and nothing of what a machine
// just did.
func TestChanged(t *testing.T) {
	of := func(kernel string, settings ...weir.Setting) *entry {
		return &entry{environment: environmentOf(sqlite.About{Kernel: kernel, Settings: settings})}
	}
	set := func(name, value string) weir.Setting { return weir.Setting{Where: "dut", Name: name, Value: value} }
	for _, c := range []struct {
		a, b *entry
		want string
	}{
		{of("6.1", set("gro", "on")), of("6.1", set("gro", "on")), ""},
		{of("6.1", set("load"+weir.BeforeStart, "1 %")), of("6.1", set("load"+weir.BeforeStart, "2 %")), ""},
		{of("6.1", set("gro", "on")), of("6.2", set("gro", "off")), "kernel: 6.1 -> 6.2; dut gro: on -> off"},
		{of("6.1"), of("6.1", set("a", "1"), set("b", "2\n"), set("c", "3"), set("d", "4")), `dut a: - -> 1; dut b: - -> 2\n; dut c: - -> 3; and 1 more`},
	} {
		if got := changed(c.a, c.b); got != c.want {
			t.Errorf("%q and not %q", got, c.want)
		}
	}
}
