package lab

import (
	"strings"
	"testing"

	"weir/internal/netif"
)

// What ports say of their media is named where it is not what was expected.
func TestAgreed(t *testing.T) {
	at := func(rates ...float64) (all []medium) {
		for i, r := range rates {
			all = append(all, medium{string(rune('a' + i)), netif.Medium{Rate: r}})
		}
		return all
	}
	half := at(1e9, 1e8)
	half[1].Half = true
	for _, c := range []struct {
		name string
		link float64
		all  []medium
		rate float64
		want string // of the error
	}{
		{"alike", 0, at(1e9, 1e9), 1e9, ""},
		{"one says nothing", 0, at(0, 1e10), 1e10, ""},
		{"none says anything", 0, at(0, 0), 0, ""},
		{"none says anything, the plan does", 1e10, at(0, 0), 1e10, ""},
		{"less is asked for than there is", 1e8, at(1e9, 1e10), 1e8, ""},
		{"unlike", 0, at(1e9, 1e10), 0, "port b has 10000 Mbit/s and another one 1000 Mbit/s"},
		{"another cable than was expected", 1e10, at(1e10, 1e9), 0, "port b has 1000 Mbit/s, and the plan says 10000 Mbit/s (link)"},
		{"half duplex", 1e8, half, 0, "port b is half duplex"},
	} {
		rate, err := agreed(c.link, c.all)
		if rate != c.rate || (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %g, %v", c.name, rate, err)
		}
	}
}
