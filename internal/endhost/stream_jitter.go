package endhost

import "time"

// jitter is how much the delay of the datagrams of a stream changes from one to
// the next (RFC 3550 section 6.4.1): a running mean over the last sixteen or so.
// The clocks of the two ends need not agree.
type jitter struct {
	mean  float64 // ns
	last  time.Duration
	known bool
}

// add takes the delay of the next datagram, with the difference of the clocks.
func (j *jitter) add(delay time.Duration) {
	if j.known {
		j.mean += (max(float64(delay-j.last), float64(j.last-delay)) - j.mean) / 16
	}
	j.last, j.known = delay, true
}

func (j *jitter) seconds() float64 { return j.mean / 1e9 }
