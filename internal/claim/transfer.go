package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
)

// Names of the results of transfers.
const (
	tcpName          = "TCP goodput"
	udpName          = "UDP goodput"
	transactionsName = "transaction rate"
	connectionsName  = "connection rate"
	loadedName       = "latency under load"
	filesName        = "file transfer"
)

// leastTransfer is how long a stream lasts at least not to be called short. No
// RFC names a number; TCP takes seconds to find its rate, and a stream of so many
// seconds shows whether it keeps it.
const leastTransfer = 10 * time.Second

// Transacts reports whether a test of a program is one of requests and responses.
func Transacts(test string) bool { return test == "TCP_RR" || test == "TCP_CRR" }

// Datagrams reports whether a test of a program is one of UDP.
func Datagrams(test string) bool { return test == "udp" || test == "UDP_STREAM" }

// testOf is the test of the program in the trials.
func testOf(e Evidence) string {
	if t := e.Trials[0].Trial.Transfer; t != nil {
		return t.Test
	}
	return ""
}

// CheckStream is the checklist of a stream by a program that has several tests.
func CheckStream(e Evidence) weir.Claim {
	switch test := testOf(e); {
	case Transacts(test):
		return streamed(e, transactionsName, "the value is the transactions in a second", weir.Transferred.PerSecond)
	case Datagrams(test):
		return CheckUDPStream(e)
	}
	return streamed(e, tcpName, goodputText, weir.Transferred.Goodput)
}

// goodputText is what the value of most transfers is.
const goodputText = "the value is the payload that arrived, over the time that counts"

// CheckUDPStream is that of a stream of datagrams.
func CheckUDPStream(e Evidence) weir.Claim {
	counted := e.every(func(t weir.TrialResult) bool {
		return t.Transferred != nil && hasFigure(*t.Transferred, weir.DatagramsSent) && hasFigure(*t.Transferred, weir.DatagramsReceived)
	})
	d := demand{id: "datagrams-counted", source: "weir", level: weir.Must, text: "the datagrams that were sent and that arrived are counted, so that the loss is known", found: "they are not", kept: counted}
	if counted {
		d.found = "of those that were sent, " + percent(e.LossRatio) + " % were lost"
	}
	return streamed(e, udpName, goodputText, weir.Transferred.Goodput, d)
}

// CheckConnections is that of connections in a second.
func CheckConnections(e Evidence) weir.Claim {
	return streamed(e, connectionsName, "the value is the connections that were completed in a second", weir.Transferred.PerSecond)
}

// CheckLoadedLatency is that of round trips under load.
func CheckLoadedLatency(e Evidence) weir.Claim {
	idle := demand{id: "idle-round-trip", source: "weir", level: weir.Should, text: "the round trip without load stands beside it", found: "it is not known",
		kept: e.every(func(t weir.TrialResult) bool { return t.Transferred != nil && t.Transferred.IdleRTT > 0 })}
	if idle.kept {
		idle.found = "it is a figure beside the value"
	}
	return streamed(e, loadedName, "the value is the median of the round trips while the path was loaded",
		func(t weir.Transferred) float64 { return t.RTT.Quantile(.5) }, idle)
}

// streamed is the checklist of a stream of a program.
func streamed(e Evidence, name, text string, value func(weir.Transferred) float64, more ...demand) weir.Claim {
	return held(e, name, "a stream lasts at least %v, warm-up included", "it lasted %v", text, value, append(more, programs(e)...))
}

// held is the checklist of what lasts as long as it is asked to.
func held(e Evidence, name, length, found, text string, value func(weir.Transferred) float64, more checklist) weir.Claim {
	if e.Unmeasured != "" {
		return nothingMeasured
	}
	d := shortest(e.Trials)
	l := slices.Concat(checklist{
		{id: "trial-length", source: "weir", level: weir.Should, label: shortTrials, text: fmt.Sprintf(length, leastTransfer),
			found: fmt.Sprintf(found, d), kept: d >= leastTransfer},
	}, valueOf(e, text, value), more)
	return l.claim(name, name)
}

// CheckFileTransfer is the checklist of a transfer of files.
func CheckFileTransfer(e Evidence) weir.Claim {
	if e.Unmeasured != "" {
		return nothingMeasured
	}
	verified := demand{id: "verified", source: "weir", level: weir.Must, label: unverified, text: "what arrived is what was sent", found: "nobody looked at it",
		kept: e.every(func(t weir.TrialResult) bool { return t.Transferred != nil && t.Transferred.Verified })}
	if verified.kept {
		verified.found = "all files have the hash that they were sent with"
	}
	storage := demand{id: "storage", source: "weir", level: weir.Should, text: "the storage of both sides is faster than the transfer", found: "it was not measured alone", optional: true,
		kept: e.every(func(t weir.TrialResult) bool { return t.Transferred != nil && len(t.Transferred.Disks) > 0 })}
	if storage.kept {
		storage.found = "by more than 10 %"
	}
	for _, t := range e.Trials {
		if b, bound := StorageBound(t); bound {
			storage.kept, storage.found = false, "that of the "+string(b.Side)+" is not, or hardly"
		}
	}
	l := slices.Concat(checklist{verified}, valueOf(e, "the value is the octets of all files, over the time from the first that arrived until all are where they belong", weir.Transferred.Goodput),
		checklist{storage}, programs(e))
	return l.claim(filesName, filesName)
}

// nothingMeasured is the claim of a result without a value.
var nothingMeasured = Named("nothing measured")

// valueOf is the demand that the value is what the trials show: that of the
// median one, the lower of two in the middle.
func valueOf(e Evidence, text string, value func(weir.Transferred) float64) checklist {
	d := demand{id: "value", source: "weir", level: weir.Must, text: text + ", of the median trial", found: "this is another figure"}
	var values []float64
	for _, t := range e.Trials {
		if t.Transferred != nil && t.Transferred.Failed == "" {
			values = append(values, value(*t.Transferred))
		}
	}
	slices.Sort(values)
	if n := len(values); n > 0 && alike(e.Value, values[(n-1)/2]) {
		d.found, d.kept = "of "+plural(n, "trial"), true
	}
	return checklist{d}
}

// programs is the demand that the programs of the end hosts are not the limit.
// No name depends on it: a result has a warning instead, so that runs of one
// comparison, some of them just below the limit, have one name.
func programs(e Evidence) checklist {
	d := demand{id: "cpu-left", source: "weir", level: weir.Should, text: "the programs of the end hosts have CPU time left", found: "theirs is not known", optional: true}
	d.kept = e.every(func(t weir.TrialResult) bool {
		return t.Transferred != nil && t.Transferred.CPU.Source > 0 && t.Transferred.CPU.Destination > 0
	})
	if d.kept {
		d.found = fmt.Sprintf("at both ends they used less than %s %% of a CPU", percent(busyProgram))
	}
	for _, t := range e.Trials {
		if side, _, busy := BusyProgram(t); busy {
			d.kept, d.found = false, "those of the "+string(side)+" had none"
		}
	}
	return checklist{d}
}

// busyProgram is the share of a CPU from which on a program is taken for the
// limit of a transfer.
const busyProgram = 0.95

// BusyProgram is the side of a transfer whose programs used more than 95 % of a
// CPU, the busier one of two, and the share of a CPU that they used; false when
// there is none. Of both directions, each has half of the CPU time.
func BusyProgram(t weir.TrialResult) (weir.Side, float64, bool) {
	if t.Transferred == nil || t.Transferred.Took <= 0 {
		return "", 0, false
	}
	over := t.Transferred.Took.Seconds() * float64(t.Trial.Traffic.Ports())
	source, destination := t.Transferred.CPU.Source.Seconds()/over, t.Transferred.CPU.Destination.Seconds()/over
	side, most := weir.Source, source
	if destination > source {
		side, most = weir.Destination, destination
	}
	return side, most, most > busyProgram
}

// nearStorage is how much slower than storage a transfer is at most that is
// taken for as fast.
const nearStorage = 0.1

// Storage is the storage of one side of a transfer.
type Storage struct {
	Side    weir.Side
	Alone   float64 // bit/s that it reads at the source, or writes at the destination, when nothing else is done
	Goodput float64 // bit/s of the transfer, in one direction
}

// StorageBound is the slowest storage among those that were at most 10 % faster
// than a transfer, or slower than it; false when there is none. Of both
// directions, each is taken for half as fast as both. One disk at both sides has
// to read and to write each octet: what both take one after the other is what it
// can do.
func StorageBound(t weir.TrialResult) (Storage, bool) {
	slowest := Storage{Alone: math.Inf(1)}
	if t.Transferred == nil {
		return slowest, false
	}
	goodput := t.Transferred.Goodput() / float64(t.Trial.Traffic.Ports())
	for _, d := range t.Transferred.Disks {
		alone := d.Read
		if d.Side == weir.Destination {
			alone = d.Write
		}
		if alone > 0 && alone < slowest.Alone {
			slowest = Storage{d.Side, alone, goodput}
		}
	}
	if t.Transferred.OneDisk && t.Trial.Transfer != nil && t.Trial.Transfer.Storage == weir.Disk {
		each := 0. // seconds for a bit
		for _, d := range t.Transferred.Disks {
			switch {
			case d.Side == weir.Source && d.Read > 0:
				each += 1 / d.Read
			case d.Side == weir.Destination && d.Write > 0:
				each += 1 / d.Write
			}
		}
		if each > 0 {
			slowest.Alone = 1 / each
		}
	}
	return slowest, goodput > 0 && goodput >= (1-nearStorage)*slowest.Alone
}

func hasFigure(t weir.Transferred, name string) bool {
	return slices.ContainsFunc(t.Figures, func(f weir.Figure) bool { return f.Name == name })
}
