package claim

import "weir"

// CheckJitter is the checklist of RFC 4689 section 3.2.5. Its forwarding delay must
// not hold anything of the tester, which no tester of software can take out of
// it: so there is no stronger name.
func CheckJitter(e Evidence) weir.Claim {
	const source = "RFC 4689 section 3.2.5"
	pairs := e.every(func(t weir.TrialResult) bool {
		return t.Variation != nil && t.Variation.Longer.N+t.Variation.Shorter.N > 0
	})
	l := checklist{
		{id: "own-path", source: "RFC 4689 section 3.2.4", level: weir.Must, text: "the delay MUST NOT include what components other than the DUT add",
			found: "the tester's own path is part of each delay, and cancels in a difference only as far as it is constant"},
		{id: "value", source: source, level: weir.Must, text: "jitter is the absolute difference of the delays of two consecutive frames of a stream", found: "of every pair that came back in order", kept: pairs},
		{id: "without-loss", source: source, level: weir.Must, text: "jitter MUST be able to benchmark the delay variation independently of packet loss",
			found: "a pair counts only where both came back", kept: pairs},
	}
	for i := range l {
		if i > 0 && !l[i].kept {
			l[i].found = "no differences were recorded"
		}
	}
	l = append(l, seconds(e)...)
	return l.claim("jitter", "jitter")
}
