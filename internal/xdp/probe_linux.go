package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"weir"
)

// ProbeLiveFrames finds out whether this kernel runs programs on live frames
// and this process may ask for it: nil, or an *weir.UnsupportedError.
func ProbeLiveFrames() error {
	var objects plainObjects
	if err := loadPlainObjects(&objects, nil); err != nil {
		return explain("load a BPF program", err)
	}
	defer objects.Close()
	_, err := objects.Turn.Run(&ebpf.RunOptions{Data: make([]byte, 60), Repeat: 1, Flags: liveFrames})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, ebpf.ErrNotSupported) {
		return &weir.UnsupportedError{Feature: "running XDP programs on live frames (BPF_F_TEST_XDP_LIVE_FRAMES)",
			Since: "Linux 5.18", Err: err, Remedy: "use a newer kernel; until then frames are sent through packet sockets, several times slower"}
	}
	if err != nil {
		return fmt.Errorf("run an XDP program on live frames: %w", err)
	}
	return nil
}
