package weir

import (
	"context"
	"math"
	"time"
)

// Waits are the pauses of one trial (RFC 2544 section 23, phases a to e).
type Waits struct {
	Learning time.Duration `json:"learning"` // after the learning frames; RFC 2544: 2 s
	Residual time.Duration `json:"residual"` // for frames still under way; RFC 2544: 2 s
	Settle   time.Duration `json:"settle"`   // before the next trial; RFC 2544: at least 5 s
}

// Trial asks for one load for one duration.
type Trial struct {
	Number   int           `json:"number"`   // of the campaign, from 1; 0 before it is measured
	Purpose  string        `json:"purpose"`  // what asked for it: "throughput", "frmol", "latency", "self-test"
	Traffic  Traffic       `json:"traffic"`  //
	Intended float64       `json:"intended"` // intended load in frames/s per port (RFC 2285 3.5.1); 0 when Maximum
	Maximum  bool          `json:"maximum"`  // send as fast as the tester can, for FRMOL
	Duration time.Duration `json:"duration"` // how long frames are sent
	Waits    Waits         `json:"waits"`
	Bypass   bool          `json:"bypass"` // measure the tester without the DUT (self-test)
}

// Frames is the number of frames that the trial intends to send over all of
// its sending ports; 0 when Maximum.
func (t Trial) Frames() uint64 {
	if t.Maximum {
		return 0
	}
	perPort := uint64(math.Floor(t.Intended*t.Duration.Seconds() + 0.5))
	return perPort * uint64(t.Traffic.Ports())
}

// Measurer performs one trial. An error means that nothing could be measured;
// a lossy trial is a result, a doubtful one carries warnings.
type Measurer func(context.Context, Trial) (TrialResult, error)

// StreamResult is what the receiver saw of one stream. A stream is what one
// sending thread sends in one direction.
type StreamResult struct {
	Stream    int    `json:"stream"`
	Direction string `json:"direction"` // "forward" or "reverse"
	Sent      uint64 `json:"sent"`
	Received  uint64 `json:"received"` // distinct, intact test frames
	Lost      uint64 `json:"lost"`
	Duplicate uint64 `json:"duplicate"`
	Late      uint64 `json:"late"`    // arrived after a later one (RFC 4737)
	Corrupt   uint64 `json:"corrupt"` // recognised by its signature, damaged; counted as lost too
}

// Pacing says how evenly the generator sent.
type Pacing struct {
	Batch        int           `json:"batch"`         // frames that may leave back to back
	LongestStall time.Duration `json:"longest_stall"` // longest time that the generator could not send although a frame was due
	Stalls       uint64        `json:"stalls"`        // how often it was late by more than a batch
}

// HostLoad is what the machine did besides during the trial.
type HostLoad struct {
	Steal time.Duration `json:"steal"` // CPU time that the hypervisor gave to others, all CPUs together
	Other time.Duration `json:"other"` // CPU time of processes that are not part of the trial
	Over  time.Duration `json:"over"`  // the time that all this refers to, waits included; 0: the trial's duration
}

// TrialResult is the outcome of one trial.
type TrialResult struct {
	Trial     Trial          `json:"trial"`
	Start     time.Time      `json:"start"`
	Sending   time.Duration  `json:"sending"`  // from the first to the last frame, as measured
	Offered   uint64         `json:"offered"`  // frames that left the tester, by the driver's counters
	Received  uint64         `json:"received"` // distinct, intact test frames that came back
	Streams   []StreamResult `json:"streams,omitempty"`
	Latency   Histogram      `json:"latency"`
	Ledger    Ledger         `json:"ledger"`
	Pacing    Pacing         `json:"pacing"`
	Host      HostLoad       `json:"host"`
	DUTCPU    time.Duration  `json:"dut_cpu"` // CPU time that the DUT spent while frames were sent; 0 when unknown
	Warnings  []Warning      `json:"warnings,omitempty"`
	Simulated bool           `json:"simulated"`
	Attempts  int            `json:"attempts,omitempty"` // how often the trial was measured until this one counted; 0 is once
	Backend   string         `json:"backend"`            // which tester: "xdp", "afpacket", "sim"
}

// shortfall that is forgiven, in seconds' worth of frames: the last frame of
// a trial may fall on either side of its end.
const shortfallGrace = 10e-6

// LossRatio is the share of frames that were lost, 0 to 1 (RFC 1242 3.6);
// negative when more came back than were sent, which is a fault of the
// measurement. Frames that were intended and never sent count as lost, unless
// the shortfall is worth less than 10 us: a tester that cannot send what was
// asked must not make the DUT look good.
func (r TrialResult) LossRatio() float64 {
	base := float64(r.Offered)
	if r.Short() {
		base = float64(r.Trial.Frames())
	}
	if base == 0 {
		return 0
	}
	return (base - float64(r.Received)) / base
}

// Short reports whether the offered load fell short of the intended load by
// more than 10 us worth of frames, and by more than one frame.
func (r TrialResult) Short() bool {
	if r.Trial.Maximum {
		return false
	}
	missing := float64(r.Trial.Frames()) - float64(r.Offered)
	grace := r.Trial.Intended * float64(r.Trial.Traffic.Ports()) * shortfallGrace
	return missing > math.Max(1, grace)
}

// OfferedRate is the offered load in frames/s over all ports (RFC 2285 3.5.2).
func (r TrialResult) OfferedRate() float64 { return perSecond(r.Offered, r.sendingTime()) }

// ForwardingRate is the rate in frames/s over all ports at which the DUT was
// seen to forward (RFC 2285 3.6.1).
func (r TrialResult) ForwardingRate() float64 { return perSecond(r.Received, r.sendingTime()) }

// CPUPerFrame is the DUT's CPU time in seconds for each frame it forwarded; 0
// when unknown.
func (r TrialResult) CPUPerFrame() float64 {
	if r.Received == 0 {
		return 0
	}
	return r.DUTCPU.Seconds() / float64(r.Received)
}

// sendingTime is the time that rates refer to: as asked when the frames were
// counted out, as measured when the trial sent what it could.
func (r TrialResult) sendingTime() time.Duration {
	if !r.Trial.Maximum || r.Sending == 0 {
		return r.Trial.Duration
	}
	return r.Sending
}

func perSecond(frames uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(frames) / d.Seconds()
}
