package wiring

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Frames that came while this process had no CPU are read, however late that is.
func TestArrivalsAreReadLate(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	var sent, told []string
	for i := range 8 {
		sent = append(sent, fmt.Sprint("frame ", i))
		if _, err := unix.Write(pair[0], []byte(sent[i])); err != nil {
			t.Fatal(err)
		}
	}
	over := make(chan struct{})
	close(over)
	arrivals(pair[1], over, func(frame []byte) { told = append(told, string(frame)) })
	if !slices.Equal(told, sent) {
		t.Errorf("of %q it tells %q", sent, told)
	}
}
