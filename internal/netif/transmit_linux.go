package netif

import (
	"errors"
	"fmt"
)

// segmentation are the offloads that let the stack hand whole TCP streams to a
// port.
var segmentation = []string{
	"tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation",
}

// NoSegmentation turns TCP segmentation off at a port of the calling thread's
// namespace. undo, in the same namespace, turns on again what was on.
//
// A veth port with segmentation hands the frames of sockets to the backlog of
// the CPU that sends, which then does the work of the other end; without, they
// go to the other end's ring and its NAPI threads, as redirected frames do.
func NoSegmentation(name string) (undo func() error, err error) {
	features, err := Features(name)
	if err != nil {
		return nil, fmt.Errorf("read the offloads of %s: %w", name, err)
	}
	var off []string
	undo = func() error {
		var err error
		for _, f := range off {
			err = errors.Join(err, SetFeature(name, f, true))
		}
		return err
	}
	for _, f := range segmentation {
		if !features[f] {
			continue
		}
		if err := SetFeature(name, f, false); err != nil {
			return nil, errors.Join(err, undo())
		}
		off = append(off, f)
	}
	return undo, nil
}
