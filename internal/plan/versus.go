package plan

import (
	"time"

	"github.com/goccy/go-yaml"

	"weir"
)

// Versus is what is asked of two DUTs side by side, each of which the user sets up:
// "weir versus".
type Versus struct {
	Arms       [2]string     // command lines
	Foreground bool          // whether they stay, and are what forwards
	Size       string        // of the frames
	Runs       int           // builds
	Within     time.Duration // for the windows of each
}

// Text is the plan that answers it. It is a plan like any other.
func (v Versus) Text() ([]byte, error) {
	var levels []yaml.MapSlice
	for i, name := range []string{"A", "B"} {
		line := v.Arms[i]
		if v.Foreground {
			levels = append(levels, yaml.MapSlice{{Key: "name", Value: name}, {Key: "run", Value: line}})
			continue
		}
		levels = append(levels, yaml.MapSlice{{Key: "name", Value: name}, {Key: "do", Value: line}, {Key: "undo", Value: "true"}}) // each is built anew
	}
	factor := commandName
	if v.Foreground {
		factor = programName
	}
	return yaml.Marshal(yaml.MapSlice{
		{Key: "name", Value: "versus"},
		{Key: "testbed", Value: yaml.MapSlice{{Key: "kind", Value: NetNS}}},
		{Key: "traffic", Value: yaml.MapSlice{{Key: "sizes", Value: []string{v.Size}}}},
		{Key: "factors", Value: yaml.MapSlice{{Key: factor, Value: levels}}},
		{Key: "methods", Value: []yaml.MapSlice{{{Key: "method", Value: "saturated"}, {Key: "within", Value: v.Within.String()}}}},
		{Key: "runs", Value: yaml.MapSlice{{Key: "count", Value: v.Runs}, {Key: "order", Value: string(weir.Abreast)}}},
		{Key: "waits", Value: yaml.MapSlice{{Key: "residual", Value: "10ms"}}},
	})
}
