package claim

import (
	"fmt"
	"slices"
	"time"

	"weir"
)

// CheckTesterCeiling is no claim about a DUT.
func CheckTesterCeiling(Evidence) weir.Claim { return Named("tester ceiling") }

// leastTrial is how long a trial lasts at least for which no RFC names a
// duration, not to be called short.
const leastTrial = time.Second

// seconds asks for that of all trials.
func seconds(e Evidence) checklist {
	d := shortest(e.Trials)
	return checklist{{id: "trial-length", source: "weir", level: weir.Should, label: shortTrials, text: "trials last at least 1 s", found: fmt.Sprintf("these lasted %v", d), kept: d >= leastTrial}}
}

// CheckFRMOL is the checklist of RFC 2285 section 3.6.2.
func CheckFRMOL(e Evidence) weir.Claim {
	most := where(e.Trials, func(t weir.TrialResult) bool { return t.Trial.Maximum || e.atMedium(t) })
	l := checklist{
		{id: "maximum-load", source: "RFC 2285 section 3.6.2", level: weir.Must, text: "frames are sent at the maximum offered load", kept: len(most) == len(e.Trials),
			found: fmt.Sprintf("%d of %s sent all that the medium carries or the tester can", len(most), plural(len(e.Trials), "trial"))},
		{id: "maximum-load-cited", source: "RFC 2285 section 3.6.2", level: weir.Must, text: "the maximum offered load MUST be cited", kept: e.Ledger.Offered > 0,
			found: "it is the offered load in the ledger"},
	}
	plain := frmolName
	ran := running(e)
	if !l[0].kept || !l[1].kept || len(ran) > 0 {
		plain = "forwarding rate"
	}
	l = slices.Concat(l, ran, seconds(e))
	l = append(l, demand{id: "no-throughput", source: "RFC 2544 section 26.1", level: weir.Must, text: "the throughput is the fastest rate without loss",
		found: "only the maximum load was offered, and the throughput may be lower or higher"})
	return l.claim("", plain)
}

// CheckMFR is the checklist of RFC 2285 section 3.6.3.
func CheckMFR(e Evidence) weir.Claim {
	if e.Verdict == NotEnded {
		return Named(NotEnded)
	}
	const source = "RFC 2285 section 3.6.3"
	loads := make(map[float64]bool)
	best := e.Trials[0]
	for _, t := range e.Trials {
		loads[t.Trial.Intended] = true
		if t.ForwardingRate() > best.ForwardingRate() {
			best = t
		}
	}
	_, cited := e.Figure(weir.OfferedLoad)
	l := checklist{
		{id: "offered-load-cited", source: "RFC 2285 section 3.5.2", level: weir.Must, text: "the offered load MUST be indicated beside a forwarding rate",
			found: "each point of the curve has it", kept: len(e.Curve) > 0},
		{id: "highest", source: source, level: weir.Must, text: "the rate is the highest of an iterative set of forwarding rate measurements",
			found: "this is another one, or there is one load alone", kept: len(loads) > 1 && e.Value >= best.ForwardingRate()*(1-1e-9)},
		{id: "load-cited", source: source, level: weir.Must, text: "the load applied must be cited", found: "it is not", kept: cited},
		beyond(e, source),
	}
	for i, found := range []string{1: fmt.Sprintf("of %s", plural(len(loads), "load")), 2: "it is a figure beside the value"} {
		if l[i].kept && found != "" {
			l[i].found = found
		}
	}
	if !l[0].kept {
		l[0].found = "there is no curve"
	}
	l = slices.Concat(l, running(e), seconds(e))
	c := l.claim("maximum forwarding rate", "forwarding rate")
	if e.traffic().Layer != 2 || len(c.Missed) > 0 {
		return c
	}
	return append(l, throughSwitch(e)...).claim("RFC 2889 maximum forwarding rate", c.Name)
}

// running is what is missed where the generator did not run throughout: the rates count the
// time in which nothing was sent. Nothing, where it did.
func running(e Evidence) checklist {
	paused := where(e.Trials, func(t weir.TrialResult) bool { return weir.HasWarning(t.Warnings, weir.GeneratorPaused) })
	if len(paused) == 0 {
		return nil
	}
	return checklist{{id: "sent-throughout", source: "RFC 2285 section 3.5.1", level: weir.Must, text: "the frames are transmitted for the whole time of a trial",
		found: fmt.Sprintf("in %d of %s the generator did not run for a part of it", len(paused), plural(len(e.Trials), "trial"))}}
}

// beyond asks for a load that was more than the DUT forwards: else the most that
// it forwards is what tester, medium or plan allowed.
func beyond(e Evidence, source string) demand {
	d := demand{id: "beyond", source: source, level: weir.Must, label: atLeast, text: "the loads go beyond what the DUT forwards", found: noneBeyond}
	if d.kept = len(where(e.Trials, func(t weir.TrialResult) bool { return lost(t, 0) })) > 0; d.kept {
		d.found = "it lost frames at the highest"
	}
	if medium, known := e.Figure(TheoreticalMaximum); !d.kept && known && e.every(func(t weir.TrialResult) bool { return t.Trial.Intended*e.ports() <= medium }) && slices.ContainsFunc(e.Trials, e.atMedium) {
		d.kept, d.found = true, forwardsAll
	}
	return d
}

// What there is to say of loads that the DUT forwards all.
const (
	noneBeyond  = "none did: it may forward more"
	forwardsAll = "it forwards all that the medium carries"
)
