package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/tester"
)

// clockReads is how often two clocks are read one after the other: the quickest counts.
const clockReads = 20

// readClocks reads what a machine knows of its clocks; without a PTP daemon nothing.
func readClocks(ctx context.Context, h weir.Host) (r Reading) {
	if r.PTP = askPTP(ctx, h); r.PTP == nil {
		return r
	}
	r.Ahead, r.Width = apart(systemClock, tester.Now)
	if r.PTP.Hardware {
		from, width, err := cardClock(r.PTP.Interface)
		if err != nil {
			r.Fault = fmt.Sprintf("the clock of %s, which PTP sets, cannot be read: %v", r.PTP.Interface, err)
		}
		r.Ahead, r.Width = r.Ahead+from, r.Width+width
	}
	r.Age = tester.Now() + r.Ahead - r.PTP.Measured
	return r
}

// systemClock is the one that tells the time of day.
func systemClock() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &ts); err != nil {
		panic(err) // the clock is always there
	}
	return time.Duration(ts.Nano())
}

// apart is by how much one clock is ahead of another, which is read before it and after.
func apart(of, from func() time.Duration) (ahead, width time.Duration) {
	var all [][3]time.Duration
	for range clockReads {
		all = append(all, [3]time.Duration{from(), of(), from()})
	}
	return narrowest(all)
}

// narrowest is by how much a clock is ahead of another, by the quickest of readings of the
// other, the one, and the other again, and how far that may be off: it was read at the time
// of the first at the earliest, and at that of the last at the latest.
func narrowest(all [][3]time.Duration) (ahead, width time.Duration) {
	for i, one := range all {
		if half := (one[2] - one[0] + 1) / 2; i == 0 || half < width {
			ahead, width = one[1]-one[0]-half, half
		}
	}
	return ahead, width
}

// cardClock is by how much the clock of a port's network card is ahead of the system's.
func cardClock(port string) (ahead, width time.Duration, err error) {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(s)
	info, err := unix.IoctlGetEthtoolTsInfo(s, port)
	if err != nil {
		return 0, 0, err
	}
	if info.Phc_index < 0 {
		return 0, 0, errors.New("the card has none")
	}
	f, err := os.Open(fmt.Sprintf("/dev/ptp%d", info.Phc_index))
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	said, err := unix.IoctlPtpSysOffsetExtended(int(f.Fd()), clockReads)
	if err != nil {
		return 0, 0, err
	}
	ahead, width = narrowest(ofCard(said.Ts[:min(int(said.Samples), len(said.Ts))]))
	return ahead, width, nil
}

// ofCard are readings of the system's clock, the card's, and the system's again.
func ofCard(said [][3]unix.PtpClockTime) (all [][3]time.Duration) {
	for _, one := range said {
		var times [3]time.Duration
		for i, t := range one {
			times[i] = time.Duration(t.Sec)*time.Second + time.Duration(t.Nsec)
		}
		all = append(all, times)
	}
	return all
}
