package figures

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/result"
)

// A Change is a level that is not as usual.
type Change struct {
	Level string // "500k"; "" of "management", of which there is no other
	Text  string // with its factor, as a plan writes its modifiers: "routes 500k", "broadcast 1%", "management"
}

// Changes are the texts of ChangesOf.
func Changes(f, common weir.Factors) []string {
	var parts []string
	for _, c := range ChangesOf(f, common) {
		parts = append(parts, c.Text)
	}
	return parts
}

// ChangesOf are the levels of f without the frame size and those in common.
func ChangesOf(f, common weir.Factors) []Change {
	var parts []Change
	for _, name := range result.Names(f) {
		if _, there := common[name]; there || name == "frame_size" {
			continue
		}
		switch {
		case name == "routes_via" && f["routes"] != nil, name == "extended" && f["extensions"] != nil:
			continue // written with what they are part of
		case name == "routes" && f["routes_via"] != nil:
			parts = append(parts, change(name, f[name]).with(" by "+result.Level(f["routes_via"])))
		case name == "extensions" && f["extended"] != nil:
			parts = append(parts, change(name, f[name]).with(" in "+scaled("extended", f["extended"])))
		default:
			parts = append(parts, change(name, f[name]))
		}
	}
	return parts
}

// with is the change with what else belongs to it.
func (c Change) with(more string) Change { return Change{c.Level + more, c.Text + more} }

// change is a factor with its level.
func change(name string, v any) Change {
	if v == true {
		return Change{Text: name}
	}
	return Change{scaled(name, v), Written(name, v)}
}

// Written is a factor with its level: "flows 256", "MTU 9000".
func Written(name string, v any) string {
	if name == "mtu" || name == "server" {
		return LevelWords(name, result.Level(v))
	}
	return name + " " + scaled(name, v)
}

// shares are the factors of which the level is a share of the frames.
var shares = map[string]bool{"broadcast": true, "blend": true, "extended": true}

// scaled is the level of a factor, a large number as a plan writes it.
func scaled(name string, v any) string {
	n, ok := result.Number(v)
	switch {
	case !ok:
		return result.Level(v)
	case shares[name]:
		return Percent(n) + "%"
	}
	for _, p := range []struct {
		factor float64
		letter string
	}{{1e6, "M"}, {1e3, "k"}} {
		if n >= p.factor && n == p.factor*float64(int64(n/p.factor)) {
			return fmt.Sprintf("%.0f%s", n/p.factor, p.letter)
		}
	}
	return result.Level(v)
}

// Split is Labelled in two lines, where it has several levels: the heading over a group of
// columns, and the last level over each of these. last, which may be "", comes after them.
func Split(f, common weir.Factors, last string) (over, each string) {
	start, between, levels := "", " + ", Changes(f, common)
	if f["frame_size"] == result.Streams {
		between, levels = ", ", append([]string{PathOf(f)}, TransferLevels(f, common)...)
	} else if v, there := f["frame_size"]; there {
		start = result.Level(v) + " "
	}
	if last != "" {
		levels = append(levels, last)
	}
	if len(levels) < 2 {
		return "", strings.TrimSpace(start + strings.Join(levels, ""))
	}
	n := len(levels) - 1
	return start + strings.Join(levels[:n], between), levels[n]
}

// Labelled is a frame size with the other levels: "64", "64 routes 10k",
// "64 filters 25 + burst 64".
func Labelled(f, common weir.Factors) string {
	if f["frame_size"] == result.Streams {
		return transferLabel(f, common)
	}
	size := ""
	if v, there := f["frame_size"]; there {
		size = result.Level(v)
	}
	return strings.TrimSpace(size + " " + strings.Join(Changes(f, common), " + "))
}
