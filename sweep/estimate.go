package sweep

import (
	"time"

	"weir"
)

// Interval is a rate with what is known of it. Lower <= Value <= Upper; all are
// 0 where there is no number.
type Interval struct {
	Value float64 `json:"value"` // frames/s per port
	// Lower and Upper hold the value of the minutes around the sweep in 95 of
	// 100 cases: what blocks and rounds differ by is in them, and how far a slow
	// wave that the blocks show may have taken all of them together. One that
	// takes longer to forget than half of what was measured without a break is
	// only as far as the rounds differ by it.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
	// LowerThen and UpperThen hold that of the time of the windows themselves,
	// as if the machine was never faster nor slower than then.
	LowerThen float64 `json:"lower_then"`
	UpperThen float64 `json:"upper_then"`
}

// Point is one load of the curve: medians over windows.
type Point struct {
	Load      float64 `json:"load"`      // intended, frames/s per port
	Loss      float64 `json:"loss"`      // median loss ratio of the windows that do not look interrupted, 0 to 1
	Lower     float64 `json:"lower"`     // of a 95 % interval of that median; 0 to 1
	Upper     float64 `json:"upper"`     //
	Disturbed float64 `json:"disturbed"` // median loss ratio of all windows that count, 0 to 1
	Forwarded float64 `json:"forwarded"` // median of received / length, frames/s per port
	Windows   int     `json:"windows"`   // that count
	LeftOut   int     `json:"left_out"`  // that do not
	Stalled   int     `json:"stalled"`   // that count and look interrupted
}

// Interruptions are stalls in windows that count: of the DUT, or of something
// that left no evidence of itself.
type Interruptions struct {
	Windows int           `json:"windows"`    // in which there was one
	Rate    float64       `json:"per_second"` // of the time of windows, with priming and silence; successive windows have one
	Share   float64       `json:"share"`      // of the windows that count, 0 to 1
	Median  time.Duration `json:"median"`     // length
	Longest time.Duration `json:"longest"`
}

// Reason is a cause for which windows were left out.
type Reason struct {
	Name    string  `json:"name"`    // one of those below
	Windows int     `json:"windows"` // a window with several causes counts at the first
	Share   float64 `json:"share"`   // of all windows, 0 to 1
}

// Why windows are left out.
const (
	GeneratorStood = "generator stood still" // for longer than the ring lasts and half a per cent of the window
	Preempted      = "dut preempted"         // its threads were kept from their CPUs for three quarters of what the ring lasts
	Unsent         = "less sent than asked"  // by more than 1 % and two frames
	Unknown        = "no counters"           // nothing was sent, or more came back than was sent
)

// What limits an estimate.
const (
	ByMinimum = "minimum" // even the lowest load lost too much: no knee
	ByTester  = "tester"  // even the highest load lost too little: the knee is no lower than that
	ByOutside = "outside" // more than 40 % of the windows were left out: no number
	// BySpeed: a faster speed was met that did not hold for long enough in two rounds, or by
	// neighbours alone, or for a tenth of the time loads were too low to tell how fast the
	// machine was. The numbers are those of a slower one, and lower bounds.
	BySpeed = weir.LimitedBySpeed
	ByTime  = "time" // not one whole block over the fine loads
)

// Flag is something that a reader of an estimate has to know.
type Flag string

// The flags.
const (
	// ShortWindows: priming did not fill the DUT's buffer, and windows are so
	// short that it may hide an overload of more than the resolution.
	ShortWindows Flag = "short windows"
	// Hidden: frames wait in the DUT for longer than most windows last, beyond the
	// quickest: it holds more than was sent in one.
	Hidden Flag = "hidden by a buffer"
	// FewFrames: a window at the knee has fewer frames than the loss ratio needs
	// to show: one lost frame is more.
	FewFrames Flag = "few frames"
	// Moved: windows of twice the length gave another knee; the numbers are from
	// the longer ones.
	Moved Flag = "moved"
	// Costs: overload costs: the saturated rate is more than 3 % below what is
	// forwarded at the knee.
	Costs Flag = "overload costs"
	// Unsaturated: what is forwarded still grows with the load beyond the knee:
	// the saturated rate depends on how much is sent.
	Unsaturated Flag = "unsaturated"
	// Sinking: what is forwarded sinks as the load grows beyond the knee: the
	// saturated rate depends on how much is sent.
	Sinking Flag = "sinking"
	// Short: the tester cannot send 1.18 times the knee: little or nothing is known of
	// overload.
	Short Flag = "tester short of overload"
	// Beyond: some loads are more than the tester sent; the numbers are from those
	// up to Sendable.
	Beyond Flag = "beyond the tester"
	// Uneven: rounds differ by more than their blocks explain: the machine, or
	// the DUT, was faster in one than in another.
	Uneven Flag = "uneven rounds"
	// Interrupted: windows with interruptions move the knee by more than 3 %.
	Interrupted Flag = "interrupted"
	// LeastDisturbed: most windows of all loads lost frames, and the knee is that of
	// the best quarter of them.
	LeastDisturbed Flag = "least disturbed"
	// Drifts: the capacity changed by more than a tenth over the time of the windows, and
	// all in one direction.
	Drifts Flag = "drifts"
	// OutsideGrid: the knee is below or above the fine loads of the last pass.
	OutsideGrid Flag = "outside grid"
)

// Verdict says how a DUT takes more than it can forward, by the lower one of
// Index and FRMOL / MFR.
type Verdict string

// The verdicts, in the words of the method overload.
const (
	Graceful  Verdict = "graceful"
	Degrading Verdict = "degrading" // below 0.9
	Livelock  Verdict = "livelock"  // below 0.1
)

// Estimate is what the passes of a sweep amount to. Rates are in frames/s per
// port; 0 where there is no number.
type Estimate struct {
	// Knee is the highest load at which the median window loses no more than
	// Goal.Loss, of the windows that count and do not look interrupted.
	Knee Interval `json:"knee"`
	// KneeZero is the same for no loss at all.
	KneeZero Interval `json:"knee_zero"`
	// Saturated is what is forwarded of 1.15 times the knee and more.
	Saturated Interval `json:"saturated"`

	// KneeDisturbed, ZeroDisturbed and SaturatedDisturbed are the same with the
	// windows that look interrupted.
	KneeDisturbed      Interval `json:"knee_disturbed"`
	ZeroDisturbed      Interval `json:"zero_disturbed"`
	SaturatedDisturbed Interval `json:"saturated_disturbed"`

	// Conditional is the highest load up to which the median over all windows,
	// none left out, lost no more than Goal.Loss: the relevant lower bound of RFC
	// 9971 for the goal {final duration: the window, exceed ratio 50 %, that loss
	// ratio}. Nothing is interpolated. ConditionalRate is what the median window
	// forwarded there.
	Conditional     float64 `json:"conditional"`
	ConditionalRate float64 `json:"conditional_rate"`
	// MLFRR is the highest load up to which the median over all windows lost
	// nothing, MLFRRUndisturbed that of windows that count and do not look
	// interrupted.
	MLFRR            float64 `json:"mlfrr"`
	MLFRRUndisturbed float64 `json:"mlfrr_undisturbed"`

	MFR     float64 `json:"mfr"`     // the most that was forwarded at any load, smoothed over neighbours (RFC 2285 3.6.3)
	FRMOL   float64 `json:"frmol"`   // what was forwarded of the highest load that was sent (RFC 2285 3.6.2)
	Ratio   float64 `json:"ratio"`   // Saturated / what is forwarded at the knee
	Index   float64 `json:"index"`   // Saturated / MFR
	Verdict Verdict `json:"verdict"` // "": nothing is known of overload

	Curve         []Point       `json:"curve"` // by rising load; fine passes, and coarse loads outside of them
	Interruptions Interruptions `json:"interruptions"`

	Windows      int           `json:"windows"` // of whole blocks, those left out included
	LeftOut      []Reason      `json:"left_out,omitempty"`
	LeftOutShare float64       `json:"left_out_share"` // of Windows, 0 to 1
	Rounds       int           `json:"rounds"`         // with a knee of their own
	Blocks       int           `json:"blocks"`         // over the fine loads
	Window       time.Duration `json:"window"`         // that the knee is from
	Buffer       float64       `json:"buffer"`         // frames that the DUT was seen to hold, per port; 0: not seen
	Primed       float64       `json:"primed"`         // share of the fine windows before which the buffer was full, 0 to 1
	Sendable     float64       `json:"sendable"`       // frames/s per port: the highest load of which half of the windows were sent as asked
	// Speeds are those that the DUT, or its machine, had in turn, the fastest first; none
	// where it had one. Knees, rates and the curve are those of the speed with Lead, to
	// which windows of other speeds were scaled; Conditional and MLFRR are of the loads
	// that were sent.
	Speeds []Speed `json:"speeds,omitempty"`
	// Track is the speed over time, where there are several.
	Track   []Moment `json:"track,omitempty"`
	Limited string   `json:"limited,omitempty"`
	Flags   []Flag   `json:"flags,omitempty"`
}

// Speed is a level of the capacity that phases come back to.
type Speed struct {
	Capacity float64 `json:"capacity"` // frames/s per port
	Share    float64 `json:"share"`    // of the time, that of neighbours included, 0 to 1
	Lead     bool    `json:"lead,omitempty"`
	// Inferred: neighbours alone met it, and the capacity follows from theirs.
	Inferred bool `json:"inferred,omitempty"`
}

// Moment is a phase in which a DUT keeps its speed, or the part of it within a pass.
type Moment struct {
	At       time.Duration `json:"at"` // since the first pass began
	Until    time.Duration `json:"until"`
	Capacity float64       `json:"capacity"`           // frames/s per port
	AtLeast  bool          `json:"at_least,omitempty"` // too little was lost to show more than that
}

// Has reports whether the estimate carries a flag.
func (e Estimate) Has(f Flag) bool {
	for _, have := range e.Flags {
		if have == f {
			return true
		}
	}
	return false
}
