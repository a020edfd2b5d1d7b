package netif

import (
	"context"
	"fmt"

	"github.com/vishvananda/netlink"

	"weir"
	"weir/internal/settings"
)

// segmentation are the offloads that let the stack hand whole TCP streams to a
// port, by their kernel names.
var segmentation = []string{
	"tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation",
}

// segmenting are those that are on at a port of the calling thread's namespace.
func segmenting(name string) (on []string, err error) {
	features, err := Features(name)
	if err != nil {
		return nil, fmt.Errorf("read the offloads of %s: %w", name, err)
	}
	for _, f := range segmentation {
		if features[f] {
			on = append(on, f)
		}
	}
	return on, nil
}

// NoSegmentation turns TCP segmentation off at a port of the calling thread's
// namespace, which is weir's own and goes with it.
//
// A veth port with segmentation hands the frames of sockets to the backlog of
// the CPU that sends, which then does the work of the other end; without, they
// go to the other end's ring and its NAPI threads, as redirected frames do.
func NoSegmentation(name string) error {
	on, err := segmenting(name)
	for _, f := range on {
		if err := SetFeature(name, f, false); err != nil {
			return err
		}
	}
	return err
}

// MostSegments has TCP hand a device of the calling thread's namespace at most so many
// segments as one, to be cut when they leave it: 1 is each by itself, which turning that off
// is not. The device is weir's own.
func MostSegments(name string, most int) error {
	link, err := netlink.LinkByName(name)
	if err == nil {
		err = netlink.LinkSetGSOMaxSegs(link, most)
	}
	if err != nil {
		return fmt.Errorf("have TCP segment what it sends through %s: %w", name, err)
	}
	return nil
}

// SuspendSegmentation is NoSegmentation at a port of somebody's, of the host h, which is
// the calling thread's namespace; undone, what was on is on again. A port with a medium
// stays as it is.
func SuspendSegmentation(ctx context.Context, undo *settings.Undo, h weir.Host, name string) error {
	if virtual, err := Virtual(name); err != nil || !virtual {
		return err
	}
	on, err := segmenting(name)
	for _, f := range on {
		if _, err := undo.Set(ctx, h, settings.Setting{Kind: settings.Feature, Device: name, Name: f}, "off"); err != nil {
			return fmt.Errorf("turn %s of %s off: %w", f, name, err)
		}
	}
	return err
}
