package pppoe

import "bytes"

// wish is what both ends want of one Configuration Option.
type wish struct {
	kind     byte
	own      []byte // what this end asks for; nil: nothing
	peer     []byte // what this end has acknowledged to the peer; nil: the default
	needed   bool   // the peer is asked to ask for it (RFC 1661 section 5.3)
	vital    bool   // a peer that rejects it ends the layer
	rejected bool   // by the peer: it is not asked for again

	// judge answers what the peer asks for: with the same if that is acceptable, with
	// what would be, or with nil to reject it.
	judge func(asked []byte) []byte
	// adopt answers what the peer says it would accept: with what to ask for next.
	adopt func(hint []byte) []byte
}

// verdict judges the options of a Configure-Request, of which those that
// cannot be had are rejected before others are refused with a hint. Hints are
// given as long as patience lasts (Max-Failure), and what the peer did not ask
// for is added to the first of them alone.
func (y *layer) verdict(asked []option) (code byte, answer []byte) {
	patient := y.naks < y.link.c.MaxFailure
	var acks, naks, rejects []byte
	var seen [256]bool
	for _, o := range asked {
		w := y.wish(o.kind)
		var acceptable []byte
		if w != nil && !seen[o.kind] { // none may be listed twice (section 6)
			acceptable = w.judge(o.value)
		}
		seen[o.kind] = true
		switch {
		case acceptable != nil && bytes.Equal(acceptable, o.value):
			acks = o.append(acks)
		case acceptable != nil && patient:
			naks = option{o.kind, acceptable}.append(naks)
		default:
			rejects = o.append(rejects)
		}
	}
	if len(rejects) > 0 {
		return configureReject, rejects
	}
	for _, w := range y.wishes {
		if w.needed && !seen[w.kind] && y.naks == 0 {
			if hint := w.judge(nil); hint != nil {
				naks = option{w.kind, hint}.append(naks)
			}
		}
	}
	if len(naks) > 0 {
		y.naks++
		return configureNak, naks
	}
	y.naks = 0
	for i := range y.wishes {
		w := &y.wishes[i]
		w.peer = nil
		for _, o := range asked {
			if o.kind == w.kind {
				w.peer = bytes.Clone(o.value)
			}
		}
	}
	return configureAck, acks
}

// request are the options of the next Configure-Request.
func (y *layer) request() (options []byte) {
	for _, w := range y.wishes {
		if w.own != nil && !w.rejected {
			options = option{w.kind, w.own}.append(options)
		}
	}
	return options
}

// refused takes in a Configure-Nak or -Reject; ok tells whether it is a valid
// one: a Reject repeats options as they were asked for (section 5.4). Hints
// without an end are taken for a Reject (section 4.5).
func (y *layer) refused(code byte, options []option) (vital, ok bool) {
	for _, o := range options {
		w := y.wish(o.kind)
		if code == configureReject && (w == nil || w.own == nil || w.rejected || !bytes.Equal(w.own, o.value)) {
			return false, false
		}
	}
	y.hints++
	for _, o := range options {
		w := y.wish(o.kind)
		switch {
		case w == nil || w.own == nil || w.rejected: // a hint to ask for what is not wanted
		case code == configureReject || y.hints > y.link.c.MaxConfigure:
			w.rejected = true
			vital = vital || w.vital
		default:
			w.own = w.adopt(o.value)
		}
	}
	return vital, true
}

func (y *layer) wish(kind byte) *wish {
	for i := range y.wishes {
		if y.wishes[i].kind == kind {
			return &y.wishes[i]
		}
	}
	return nil
}
