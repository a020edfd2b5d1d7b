package weir

import (
	"context"
	"fmt"
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

	// Count is the number of frames that each port sends, whatever the duration
	// says; 0: as many as fit into it. With Maximum it is a burst with the least
	// gap that the tester can leave (RFC 2544 section 26.4).
	Count uint64 `json:"count,omitempty"`
	// Then is a second load that follows the first without a pause (RFC 2544
	// section 26.5); nil: none. It goes with a load of its own, not with Maximum
	// or Count.
	Then *Phase `json:"then,omitempty"`
	// Windows are loads that follow each other, in place of Intended and Duration;
	// at most MaxWindows, none in a trial of one load.
	Windows []Window `json:"windows,omitempty"`
	// Tags are the frames of which each latency is kept by itself.
	Tags Tags `json:"tags,omitzero"`
	// Timed says that it is there for what its frames take: where sender and receiver have
	// clocks of their own, some of its frames are sent back, to be timed by one.
	Timed bool `json:"timed,omitempty"`
	// Variation asks for the changes of delay between successive frames.
	Variation bool `json:"variation,omitempty"`
	// Resolution asks for a timeline: the length of sending time that it tells
	// apart, which a tester may make longer; 0: no timeline.
	Resolution time.Duration `json:"resolution,omitempty"`
	Event      *Event        `json:"event,omitempty"` // what is done to the DUT while frames are sent; nil: nothing
	// Beside are the conditions of DUTs that stand side by side (Traffic.Arms), arm by
	// arm, in place of Condition; none where there is one DUT.
	Beside    []Condition `json:"beside,omitempty"`
	Probe     bool        `json:"probe,omitempty"`    // ask the DUT's control plane for signs of life meanwhile
	Condition Condition   `json:"condition,omitzero"` // how the DUT was set
	Run       int         `json:"run,omitempty"`      // number of the run that it belongs to; 0: of none
	Step      string      `json:"step,omitempty"`     // which step of its campaign it belongs to: the same for all trials of a step, and for no others
	Again     int         `json:"again,omitempty"`    // how often that step had been begun before, and was begun anew
	Transfer  *Transfer   `json:"transfer,omitempty"` // what end hosts do, in place of test frames; nil: frames are sent
	Profile   bool        `json:"profile,omitempty"`  // sample what the DUT's CPUs do meanwhile, which slows them down
}

// Phase is a part of a trial that has a load of its own.
type Phase struct {
	Intended float64       `json:"intended"` // frames/s per port
	Duration time.Duration `json:"duration"`
}

// Tags choose frames of each stream: Count of them, evenly spread over the
// time from After until the end of the trial. RFC 2544 section 26.2 has one
// after 60 s, RFC 8219 section 7.2 at least 500.
type Tags struct {
	After time.Duration `json:"after"`
	Count int           `json:"count"` // at most MaxTags; 0: none
	// Fates has the first Count frames of each stream tagged, MaxFates at most, and keeps
	// which of them came back (TrialResult.Fates) in place of their latencies.
	Fates bool `json:"fates,omitempty"`
}

// Check says what is wrong with tags, or nil.
func (t Tags) Check() error {
	most := MaxTags
	if t.Fates {
		most = MaxFates
	}
	switch {
	case t.Count < 0 || t.Count > most || t.After < 0:
		return fmt.Errorf("%d tagged frames after %v: there are 0 to %d, from the start on", t.Count, t.After, most)
	case t.Fates && t.After > 0:
		return fmt.Errorf("the fates of frames after %v: they are those of the first frames", t.After)
	}
	return nil
}

// MaxTags is the largest number of tagged frames of a trial.
const MaxTags = 1000

// Event is something that is done to the DUT during a trial.
type Event struct {
	Name  string        `json:"name"`  // one of those that the testbed can do: "reset interface", "announce"
	After time.Duration `json:"after"` // the start of sending
}

// Length is how long frames are sent, all phases and windows together.
func (t Trial) Length() time.Duration {
	d := t.Duration
	if t.Then != nil {
		d += t.Then.Duration
	}
	for _, w := range t.Windows {
		d += w.Length()
	}
	return d
}

// Frames is the number of frames that the trial intends to send over all of
// its sending ports; 0 when Maximum without a Count.
func (t Trial) Frames() uint64 {
	if len(t.Windows) > 0 {
		return t.windowFrames()
	}
	perPort := t.Count
	switch {
	case perPort > 0:
	case t.Maximum:
		return 0
	default:
		perPort = frames(t.Intended, t.Duration)
		if t.Then != nil {
			perPort += frames(t.Then.Intended, t.Then.Duration)
		}
	}
	return perPort * uint64(t.Traffic.Ports())
}

// frames is how many of them a load has in a time.
func frames(rate float64, d time.Duration) uint64 {
	return uint64(math.Floor(rate*d.Seconds() + 0.5))
}

// Measurer performs one trial. An error means that nothing could be measured;
// a lossy trial is a result, a doubtful one carries warnings.
type Measurer func(context.Context, Trial) (TrialResult, error)

// StreamResult is what the receiver saw of one stream. A stream is what one
// sending thread sends through one port. Where its frames go to several ports,
// duplicate and late ones are told among those to the same port.
type StreamResult struct {
	Stream    int    `json:"stream"`
	Direction string `json:"direction"` // "forward" or "reverse"
	Sent      uint64 `json:"sent"`
	Received  uint64 `json:"received"` // distinct, intact test frames
	Lost      uint64 `json:"lost"`
	Duplicate uint64 `json:"duplicate"`
	Late      uint64 `json:"late"`    // arrived after a later one (RFC 4737)
	Corrupt   uint64 `json:"corrupt"` // recognised by its signature, damaged; counted as lost too
	// WrongSession are those that arrived in another PPPoE session than that of the
	// address they were sent to, or in none; counted as lost too.
	WrongSession uint64 `json:"wrong_session,omitempty"`
}

// Pacing says how evenly the generator sent.
type Pacing struct {
	Batch        int           `json:"batch"`         // frames that may leave back to back
	LongestStall time.Duration `json:"longest_stall"` // longest time that the generator could not send although a frame was due
	Stalls       uint64        `json:"stalls"`        // how often it was late by more than a batch
	Paused       time.Duration `json:"paused"`        // for how long it did not run in all: times of more than 5 ms in which it did not ask whether a frame is due
}

// HostLoad is what the machine did besides during the trial.
type HostLoad struct {
	Steal time.Duration `json:"steal"` // CPU time that the hypervisor gave to others, all CPUs together
	Other time.Duration `json:"other"` // CPU time of processes that are not part of the trial
	Over  time.Duration `json:"over"`  // the time that all this refers to, waits included; 0: the trial's duration
	// Softirq is the time of the sender's CPUs in interrupts and softirqs, all of them
	// together; 0 where that is not known.
	Softirq time.Duration `json:"softirq,omitempty"`
	// Exchange is how long a cache line took from the generator's CPU to the DUT's, right
	// before the trial and right after it; 0 where that is not known.
	Exchange [2]time.Duration `json:"exchange,omitzero"`
	// OtherWeirs are other processes that measured meanwhile on CPUs of the trial.
	OtherWeirs []OtherWeir `json:"other_weirs,omitempty"`
	// TCPMemory is what all sockets of TCP held of the memory from which on the kernel makes their
	// windows small, beside a transfer: 1 is all of it; 0 where that is not known.
	TCPMemory float64 `json:"tcp_memory,omitempty"`
}

// OtherWeir is a process that measures on some of the CPUs that a trial uses, too.
type OtherWeir struct {
	PID      int    `json:"pid"`
	Campaign string `json:"campaign,omitempty"` // "": not known yet
	CPUs     []int  `json:"cpus"`               // that both use
}

// TrialResult is the outcome of one trial.
type TrialResult struct {
	Trial     Trial          `json:"trial"`
	Start     time.Time      `json:"start"`
	Sending   time.Duration  `json:"sending"`  // from the first to the last frame, as measured
	Offered   uint64         `json:"offered"`  // frames that left the tester, by the driver's counters
	Received  uint64         `json:"received"` // distinct, intact test frames that came back
	Streams   []StreamResult `json:"streams,omitempty"`
	Latency   Histogram      `json:"latency"`             // one way
	RoundTrip Histogram      `json:"round_trip,omitzero"` // of frames that were sent back through the DUT (Trial.Timed); empty where none were
	Ledger    Ledger         `json:"ledger"`
	Arms      []Ledger       `json:"arms,omitempty"` // that of each DUT that stood side by side with others (Traffic.Arms), of its windows
	Pacing    Pacing         `json:"pacing"`
	Host      HostLoad       `json:"host"`
	DUTCPU    time.Duration  `json:"dut_cpu"`            // CPU time that the DUT spent while frames were sent; 0 when unknown
	DUTIdle   time.Duration  `json:"dut_idle,omitempty"` // CPU time that the DUT's CPUs had left for other work; 0 when unknown
	Warnings  []Warning      `json:"warnings,omitempty"`
	Simulated bool           `json:"simulated"`
	Attempts  int            `json:"attempts,omitempty"` // how often the trial was measured until this one counted; 0 is once
	Backend   string         `json:"backend"`            // which tester: "xdp", "afpacket", "sim"

	Fates     []Fate          `json:"fates,omitempty"`     // of the streams, one after the other; none unless asked for (Tags.Fates)
	Tagged    []time.Duration `json:"tagged,omitempty"`    // latencies of the tagged frames that came back, in the order of sending, streams one after the other
	Variation *Variation      `json:"variation,omitempty"` // nil unless asked for
	Timeline  *Timeline       `json:"timeline,omitempty"`  // nil unless asked for
	Windows   []WindowResult  `json:"windows,omitempty"`   // what became of Trial.Windows, in their order
	Happened  *Happened       `json:"happened,omitempty"`  // what became of Trial.Event
	Probe     *Probe          `json:"probe,omitempty"`     // nil unless asked for
	Queries   *Queries        `json:"queries,omitempty"`   // what became of the management queries; nil without (Condition.Management())
	Readings  []Reading       `json:"readings,omitempty"`  // what the DUT's machine said of itself
	Profile   *Profile        `json:"profile,omitempty"`   // nil unless asked for

	Transferred *Transferred `json:"transferred,omitempty"` // what became of Trial.Transfer
}

// Variation is how the delay of a frame differed from that of the frame that
// was sent before it in its stream, to the same port, where both came back, in
// whichever order. Together the two histograms are the jitter of RFC 4689 section 3.2.5
// and the IPDV of RFC 8219 section 7.3.2 with its sign.
type Variation struct {
	Longer  Histogram `json:"longer"`  // by how much the delay grew, 0 included
	Shorter Histogram `json:"shorter"` // by how much it shrank
}

// Happened is when an Event took place, in time since the start of sending.
type Happened struct {
	Began time.Duration `json:"began"`
	Ended time.Duration `json:"ended"`
	Error string        `json:"error,omitempty"` // why it did not take place
}

// Probe is what a control plane said while frames were forwarded, over a link
// of its own.
type Probe struct {
	EchoSent     uint64        `json:"echo_sent"`
	EchoLost     uint64        `json:"echo_lost"`
	Echo         Histogram     `json:"echo"`          // round trips
	AcceptTried  uint64        `json:"accept_tried"`  // TCP connections
	AcceptFailed uint64        `json:"accept_failed"` // not accepted in time
	Accept       Histogram     `json:"accept"`        // from asking for a connection to the first octet of the program that took it
	Heartbeat    time.Duration `json:"heartbeat_gap"` // longest gap between two beats of a program that wants to run every few milliseconds
}

// Queries are management queries that a DUT was sent while it forwarded.
type Queries struct {
	Sent     uint64 `json:"sent"`
	Answered uint64 `json:"answered"`        // completely, before the next one was due
	Fault    string `json:"fault,omitempty"` // of the last one that was not
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

// DUTLoss is the share of the offered frames that did not come back, 0 to 1:
// what was lost of that which was sent, whatever the tester should have sent.
func (r TrialResult) DUTLoss() float64 {
	if r.Offered == 0 {
		return 0
	}
	return (float64(r.Offered) - float64(r.Received)) / float64(r.Offered)
}

// Unsent is the share of the intended frames that never left the tester, 0 to
// 1, which is part of the loss ratio; 0 unless the trial is Short.
func (r TrialResult) Unsent() float64 {
	if !r.Short() {
		return 0
	}
	base := float64(r.Trial.Frames())
	return (base - float64(r.Offered)) / base
}

// Short reports whether the offered load fell short of the intended load by
// more than 10 us worth of frames, and by more than one frame. Windows fall
// short each by itself.
func (r TrialResult) Short() bool {
	if r.Trial.Frames() == 0 || len(r.Trial.Windows) > 0 {
		return false
	}
	missing := float64(r.Trial.Frames()) - float64(r.Offered)
	grace := r.Trial.Intended * float64(r.Trial.Traffic.Ports()) * shortfallGrace
	return missing > math.Max(1, grace)
}

// Inconclusive reports whether the trial says nothing of its load for a goal of a loss
// ratio, 0 to 1: less was sent than was asked for, so much less that the loss
// ratio is above the goal's, but of what was sent no more was lost than that.
// Had all of it been sent, more might have been lost, or not.
func (r TrialResult) Inconclusive(ratio float64) bool {
	return r.LossRatio() > ratio && r.DUTLoss() <= ratio
}

// IntendedRate is the intended load in frames/s over all ports (RFC 2285 3.5.1): of
// several loads one after the other, the mean over the trial; 0 where nothing
// particular was intended, as the tester sent what it could (Trial.Maximum).
func (r TrialResult) IntendedRate() float64 {
	switch t := r.Trial; {
	case t.Maximum:
		return 0
	case t.Then == nil && len(t.Windows) == 0:
		return t.Intended * float64(t.Traffic.Ports())
	}
	return perSecond(r.Trial.Frames(), r.Trial.Length())
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
	if r.Sending > 0 && (r.Trial.Maximum || r.Trial.Count > 0) {
		return r.Sending
	}
	return r.Trial.Length()
}

func perSecond(frames uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(frames) / d.Seconds()
}
