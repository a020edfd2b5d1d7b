package plan

import (
	"path"
	"strings"
)

// replay reads a capture, whose frames are sent.
func (r *reader) replay(n node) size {
	name := r.word(n, "replay")
	z := size{at: n, name: strings.TrimSuffix(path.Base(name), path.Ext(name))}
	switch {
	case name == "":
	case r.captures == nil:
		r.wrong(n, "replay: there is no file %q where this plan is read", name)
	default:
		c, err := r.captures(name)
		if err != nil {
			r.wrong(n, "replay: %v", err)
			break
		}
		z.sizes, z.replay = c.Sizes(), c.Replay()
	}
	return z
}
