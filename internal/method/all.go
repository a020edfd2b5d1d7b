package method

import (
	"slices"

	"weir"
	"weir/internal/claim"
)

// methods is the table of them, in the order in which a user meets them.
var methods = []Method{
	selfTest, sweeping, saturated, frmol, throughput, latency,
	typicalLatency, pdv, ipdv, jitter,
	mfr, overload, learning, convergence,
	mlrSearch,
	lossRate, backToBack, buffer, recovery, reset, soak,
	profile,
	tcpStream, udpStream, connections, loadedLatency, tcpThroughput,
	pppoeSetup, pppoeFlood,
	iperf3Stream, iperfStream, netperfStream,
	ftpFiles, smbFiles, httpFiles, sftpFiles, rsyncFiles, pipeFiles,
}

// All are the methods, in the order in which a user meets them.
func All() []Method { return slices.Clone(methods) }

// Add adds a method to the table until it is removed: for tests of what is shown to
// take one line.
func Add(m Method) (remove func()) {
	methods = append(methods, m)
	return func() {
		methods = slices.DeleteFunc(methods, func(o Method) bool { return o.Name == m.Name })
	}
}

// ByName is the method that a plan calls by name.
func ByName(name string) (Method, bool) {
	if i := indexOf(name); i >= 0 {
		return methods[i], true
	}
	return Method{}, false
}

func indexOf(name string) int {
	for i := range methods {
		if methods[i].Name == name {
			return i
		}
	}
	return -1
}

// KindOf is the kind of what a method finds; Other of one that is not known.
func KindOf(name string) Kind {
	if i := indexOf(name); i >= 0 {
		return methods[i].Kind
	}
	return Other
}

// AtLeast reports whether a result says what there is at least: its search ended at
// the edge of its range, which the tester, the medium or the plan had set, or its
// name says it.
func AtLeast(r *weir.Result) bool {
	edge := KindOf(r.Method) == Rate && weir.HasWarning(r.Warnings, weir.SearchLimit)
	return r.Value > 0 && (r.Unit == "frames/s" || r.Unit == "frames") && (edge || claim.AtLeast(r.Claim))
}

// TitleOf is how people call what a method finds; "" where its name says it.
func TitleOf(name string) string {
	if i := indexOf(name); i >= 0 {
		return methods[i].Title
	}
	return ""
}

// MeaningOf is what the value of a method is; "" where its name says it.
func MeaningOf(name string) string {
	if i := indexOf(name); i >= 0 {
		return methods[i].Means
	}
	return ""
}

// BriefOf returns what of a method is shown beside its value where there is room for little.
func BriefOf(name string) (leads []Lead, curved bool) {
	if i := indexOf(name); i >= 0 {
		return methods[i].Leads, methods[i].Curved
	}
	return nil, false
}

// Claim is the claim of a result, from the trials that were made for it: those
// of its method, in the order of measuring. Attempts that were repeated may be
// among them or not. A result of a method without a checklist, or of none that is
// known, is called by the method's name.
func Claim(r weir.Result, trials []weir.TrialResult) weir.Claim {
	m, _ := ByName(r.Method)
	return m.claim(r, trials)
}

func (m Method) claim(r weir.Result, trials []weir.TrialResult) weir.Claim {
	if m.Check == nil {
		return claim.Named(r.Method)
	}
	return m.Check.Claim(r, trials)
}

// Names are the names that a result can be asked to have earned: those of the
// ladder, the weakest first, and then those of the methods.
func Names() []string {
	out := claim.Ladder()
	for _, ladder := range ladders() {
		for _, name := range ladder {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func ladders() (out [][]string) {
	for _, m := range methods {
		out = append(out, m.Earns...)
	}
	return out
}

// CanEarn reports whether any result can earn a name.
func CanEarn(name string) bool {
	return claim.OnLadder(name) || slices.ContainsFunc(ladders(), func(l []string) bool { return slices.Contains(l, name) })
}

// Satisfies reports whether a claim is the demanded name or a stronger one.
func Satisfies(have weir.Claim, demanded string) bool {
	return claim.Satisfies(have, demanded, ladders())
}
