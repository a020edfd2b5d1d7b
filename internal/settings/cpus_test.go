package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCPULists(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{{"0-3,8", []int{0, 1, 2, 3, 8}}, {"", nil}, {"5\n", []int{5}}} {
		got, err := ParseCPUs(c.list)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", c.list, err, diff)
		}
		if back := CPUList(got); back != strings.TrimSpace(c.list) {
			t.Errorf("%q is written as %q", c.list, back)
		}
	}
	for _, list := range []string{"x", "3-1", "1-", "0-99999999", ",", "1,,2"} {
		if got, err := ParseCPUs(list); err == nil {
			t.Errorf("%q is read as %v", list, got)
		}
	}
	for want, cpus := range map[string][]int{"00000000": nil, "00000005": {0, 2}, "00000002,00000002": {1, 33}} {
		if got := CPUMask(cpus); got != want {
			t.Errorf("%v is written as %s, want %s", cpus, got, want)
		}
	}
}
