package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// Level returns a factor's level as text, "" where it has none; whole numbers have no decimals, whether
// they were read back from a store or not.
func Level(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// Names returns a result's factors, the frame size first, the others by name.
func Names(f weir.Factors) []string {
	out := slices.Sorted(maps.Keys(f))
	if i := slices.Index(out, "frame_size"); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, "frame_size")
	}
	return out
}

// Common returns the levels that all share, without the frame size.
func Common(list []weir.Factors) weir.Factors {
	shared := make(weir.Factors)
	for i, f := range list {
		if i == 0 {
			maps.Copy(shared, f)
		}
		maps.DeleteFunc(shared, func(name string, v any) bool {
			other, there := f[name]
			return name == "frame_size" || !there || Level(other) != Level(v)
		})
	}
	return shared
}

// FactorsIn returns the levels of results.
func FactorsIn(results []weir.Result) []weir.Factors {
	out := make([]weir.Factors, len(results))
	for i, r := range results {
		out[i] = r.Factors
	}
	return out
}

// Levels returns the levels of f in one line, without those in common, as they
// were recorded: no two combinations have the same. The frame size is there by
// its value alone.
func Levels(f, common weir.Factors) string {
	var parts []string
	for _, name := range Names(f) {
		if _, there := common[name]; there {
			continue
		}
		if name == "frame_size" {
			parts = append(parts, Level(f[name]))
		} else {
			parts = append(parts, name+"="+Level(f[name]))
		}
	}
	return strings.Join(parts, " ")
}

// Number returns a level that is a number, whether it was read back from a store
// or not.
func Number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// Streams stands where sizes of frames do, where programs of end hosts talk: it
// is no size, and is not shown.
const Streams = "streams"

// OfTransfer reports whether a result is that of a transfer between end hosts.
func OfTransfer(r *weir.Result) bool {
	return r.Transfer != nil || r.Factors["frame_size"] == Streams
}
