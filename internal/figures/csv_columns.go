package figures

import (
	"strconv"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// data is a column of results that programs have, and people do not see.
func data(key string, value func(r resultRow) string) document.Column[resultRow] {
	return document.Column[resultRow]{Key: key, Value: value}
}

// numeral is a column of a number that is always known.
func numeral(key string, of func(r resultRow) float64) document.Column[resultRow] {
	return data(key, func(r resultRow) string { return Exact(of(r)) })
}

// identityColumns say which result it is.
var identityColumns = []document.Column[resultRow]{
	data("campaign", func(r resultRow) string { return r.c.ID }),
	data("simulated", func(r resultRow) string { return strconv.FormatBool(r.Simulated) }),
	data("method", func(r resultRow) string { return r.Method }),
	data("claim", func(r resultRow) string { return r.Claim.Name }),
}

// runColumns are the place of a run in the order.
var runColumns = []document.Column[resultRow]{
	data("run", func(r resultRow) string { return strconv.Itoa(r.Run.Number) }),
	data("block", func(r resultRow) string { return strconv.Itoa(r.Run.Block) }),
	data("replicate", func(r resultRow) string { return strconv.Itoa(r.Run.Replicate) }),
	data("arm", func(r resultRow) string { return r.Run.Arm }),
	data("again", func(r resultRow) string { return strconv.FormatBool(r.Run.Again) }),
}

// valueColumns are what every result has.
var valueColumns = []document.Column[resultRow]{
	data("value", func(r resultRow) string { return r.known(r.Value) }),
	data("unit", func(r resultRow) string { return r.Unit }),
	data("lower", func(r resultRow) string { return r.bound(r.Lower) }),
	data("upper", func(r resultRow) string { return r.bound(r.Upper) }),
	numeral("loss_ratio", func(r resultRow) float64 { return r.LossRatio }),
	numeral("exceed_ratio", func(r resultRow) float64 { return r.ExceedRatio }),
	numeral("width", func(r resultRow) float64 { return r.Width }),
	numeral("trial_seconds", func(r resultRow) float64 { return r.TrialSeconds }),
	data("trials", func(r resultRow) string { return strconv.Itoa(r.Trials) }),
	numeral("search_seconds", func(r resultRow) float64 { return r.SearchTime }),
	delay("min", func(l *weir.Latency) float64 { return l.Min }),
	delay("p50", func(l *weir.Latency) float64 { return l.P50 }),
	delay("p90", func(l *weir.Latency) float64 { return l.P90 }),
	delay("p99", func(l *weir.Latency) float64 { return l.P99 }),
	delay("p99.9", func(l *weir.Latency) float64 { return l.P999 }),
	delay("max", func(l *weir.Latency) float64 { return l.Max }),
	delay("mean", func(l *weir.Latency) float64 { return l.Mean }),
	data("dut_cpu_seconds_per_frame", func(r resultRow) string { return knownExact(r.CPUPerFrame) }),
	data("dut_cpu_share", func(r resultRow) string { return knownExact(r.CPUShare) }),
	numeral("mean_frame_size", func(r resultRow) float64 { return r.MeanSize }),
	data("offered", func(r resultRow) string { return strconv.FormatUint(r.Ledger.Offered, 10) }),
	data("received", func(r resultRow) string { return strconv.FormatUint(r.Ledger.Received, 10) }),
	data("drops", func(r resultRow) string { return joinedWith("; ", r.Ledger.Drops, dropText) }),
	data("unexplained", func(r resultRow) string { return strconv.FormatInt(r.Ledger.Unexplained, 10) }),
	data("warnings", func(r resultRow) string { return codeList(r.Warnings) }),
	data("verdict", func(r resultRow) string { return r.Verdict }),
	data("figures", func(r resultRow) string { return joinedWith("; ", r.Figures, figureText) }),
	data("curve", func(r resultRow) string { return joinedWith("; ", r.Curve, pointText) }),
	data("load_share", func(r resultRow) string {
		if l := loadOf(*r.c, r.Result); l.Rate > 0 {
			return Exact(l.Share)
		}
		return ""
	}),
}

// clockColumns are those of testers whose sender and receiver have clocks of their own: how
// far latencies may be off, and round trips.
var clockColumns = []document.Column[resultRow]{
	delay("within", func(l *weir.Latency) float64 { return l.Within }),
	roundTrip("min", func(l *weir.Latency) float64 { return l.Min }),
	roundTrip("p50", func(l *weir.Latency) float64 { return l.P50 }),
	roundTrip("p90", func(l *weir.Latency) float64 { return l.P90 }),
	roundTrip("p99", func(l *weir.Latency) float64 { return l.P99 }),
	roundTrip("p99.9", func(l *weir.Latency) float64 { return l.P999 }),
	roundTrip("max", func(l *weir.Latency) float64 { return l.Max }),
	roundTrip("mean", func(l *weir.Latency) float64 { return l.Mean }),
}

// ownClocks reports whether these are known of a result.
func ownClocks(r *weir.Result) bool { return turned(r) || r.Latency != nil && r.Latency.Within > 0 }

// known is a value of a result; empty where it has none.
func (r resultRow) known(v float64) string {
	if result.Unknown(r.Result) {
		return ""
	}
	return Exact(v)
}

// bound is one of a value.
func (r resultRow) bound(v float64) string {
	if result.Early(r.Result) {
		return ""
	}
	return r.known(v)
}

// delay is a column of latency.
func delay(name string, of func(l *weir.Latency) float64) document.Column[resultRow] {
	return data("latency_"+name, func(r resultRow) string { return exactTime(r.Latency, of) })
}

// roundTrip is a column of round trips.
func roundTrip(name string, of func(l *weir.Latency) float64) document.Column[resultRow] {
	return data("round_trip_"+name, func(r resultRow) string { return exactTime(r.RoundTrip, of) })
}

// exactTime is a figure of latencies; empty where there are none.
func exactTime(l *weir.Latency, of func(l *weir.Latency) float64) string {
	if l == nil {
		return ""
	}
	return Exact(of(l))
}

// transferredColumns are why a result has no value, the server's side, the test, the
// streams, the files with their size and storage, and the rates of the seconds.
var transferredColumns = []document.Column[resultRow]{
	data("unmeasured", func(r resultRow) string { return r.Unmeasured }),
	data("server", func(r resultRow) string { return string(r.Server) }),
	transferData("test", func(t *weir.Transfer) string { return t.Test }),
	transferData("streams", func(t *weir.Transfer) string { return strconv.Itoa(max(t.Streams, 1)) }),
	transferData("files", func(t *weir.Transfer) string { return strconv.Itoa(t.Files) }),
	transferData("file_size", func(t *weir.Transfer) string { return strconv.FormatInt(t.FileSize, 10) }),
	transferData("storage", func(t *weir.Transfer) string { return string(t.Storage) }),
	data("rates", func(r resultRow) string { return joinedWith(" ", r.Rates, Exact) }),
}

// transferData is a column of what a transfer was.
func transferData(key string, of func(t *weir.Transfer) string) document.Column[resultRow] {
	return data(key, func(r resultRow) string {
		if r.Transfer == nil {
			return ""
		}
		return of(r.Transfer)
	})
}

// windowedColumns are what sweeps have found beside their value, which is the knee at
// the loss ratio; rates in frames/s, times in seconds.
var windowedColumns = []document.Column[resultRow]{
	rateData("knee_zero", func(s *weir.Sweep) float64 { return s.KneeZero.Value }),
	boundData("knee_zero_lower", func(s *weir.Sweep) (of weir.Bounds, bound float64) { return s.KneeZero, s.KneeZero.Lower }),
	boundData("knee_zero_upper", func(s *weir.Sweep) (of weir.Bounds, bound float64) { return s.KneeZero, s.KneeZero.Upper }),
	rateData("saturated", func(s *weir.Sweep) float64 { return s.Saturated.Value }),
	boundData("saturated_lower", func(s *weir.Sweep) (of weir.Bounds, bound float64) { return s.Saturated, s.Saturated.Lower }),
	boundData("saturated_upper", func(s *weir.Sweep) (of weir.Bounds, bound float64) { return s.Saturated, s.Saturated.Upper }),
	windowData("interruptions_per_second", func(r resultRow) string { return Exact(r.Interruptions.PerSecond) }),
	windowData("interruptions_p50", func(r resultRow) string { return Exact(r.Interruptions.P50) }),
	windowData("interruptions_max", func(r resultRow) string { return Exact(r.Interruptions.Max) }),
	windowData("windows", func(r resultRow) string { return strconv.Itoa(r.Windows) }),
	windowData("left_out_share", func(r resultRow) string { return Exact(r.LeftOutShare) }),
	windowData("rounds", func(r resultRow) string { return strconv.Itoa(r.Sweep.Rounds) }),
	windowData("doubtful", func(r resultRow) string {
		return strconv.FormatBool(!result.Unknown(r.Result) && (result.ZeroDoubted(r.Result) || result.SaturatedDoubted(r.Result) || result.AtHalfDoubted(r.Result)))
	}),
}

// windowData is a column of sweeps.
func windowData(key string, of func(r resultRow) string) document.Column[resultRow] {
	return data(key, func(r resultRow) string {
		if !result.InWindows(r.Result) {
			return ""
		}
		return of(r)
	})
}

// rateData is a column of a rate of sweeps, where they have found one.
func rateData(key string, of func(s *weir.Sweep) float64) document.Column[resultRow] {
	return windowData(key, func(r resultRow) string {
		if v := of(r.Sweep); v != 0 {
			return Exact(v)
		}
		return ""
	})
}

// boundData is a column of a bound of a rate, where there is an interval.
func boundData(key string, of func(s *weir.Sweep) (of weir.Bounds, bound float64)) document.Column[resultRow] {
	return windowData(key, func(r resultRow) string {
		if b, v := of(r.Sweep); b.Value != 0 && !result.Early(r.Result) {
			return Exact(v)
		}
		return ""
	})
}
