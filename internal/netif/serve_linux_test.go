package netif

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThreadsByQueue(t *testing.T) {
	for name, tt := range map[string]struct {
		names map[int]string
		want  []int
	}{
		"made from the last one on": {map[int]string{10: "napi/a-b1-8195", 11: "napi/a-b1-8194", 12: "napi/a-b1-8193"}, []int{12, 11, 10}},
		"made one by one":           {map[int]string{10: "napi/b1-99", 11: "napi/b1-100", 12: "napi/b1-101"}, []int{10, 11, 12}},
		"one has ended":             {map[int]string{10: "napi/b1-101", 11: "", 12: "napi/b1-99"}, []int{10, 11, 12}},
	} {
		got := byQueue([]int{10, 11, 12}, func(thread int) string { return tt.names[thread] })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
