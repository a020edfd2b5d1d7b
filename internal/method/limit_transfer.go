package method

import (
	"weir"
	"weir/internal/claim"
)

// nearLink is the share of a link's rate, with what frames have around them, from which
// on a transfer has filled it: of frames of 1518 octets preamble and gap are 1.3 %.
const nearLink = .95

// limitTransfer returns what keeps a transfer from being faster, by what its trials show.
func limitTransfer(env Env, r *weir.Result, trials []weir.TrialResult) *weir.Limit {
	l := &weir.Limit{By: weir.ByUnknown}
	program, storage, busyHosts := weir.Limit{By: weir.ByHost}, weir.Limit{By: weir.ByStorage}, false
	for _, t := range trials {
		if t.Transferred == nil || t.Trial.Transfer == nil || t.Trial.Transfer.Program != r.Transfer.Program {
			continue
		}
		if cpu, busy, work := busiestCPU(t, env.DUTCPUs); busy > l.Busy {
			l.CPU, l.Busy, l.Work = cpu, busy, work
		}
		if side, used, busy := claim.BusyProgram(t); busy && used > program.Busy {
			program.End, program.Busy = side, used
		}
		if s, bound := claim.StorageBound(t); bound {
			storage.End = s.Side
		}
		busyHosts = busyHosts || weir.HasWarning(t.Warnings, weir.TesterLimited)
	}
	rates := 0.
	for _, v := range r.Rates {
		rates += v / float64(len(r.Rates))
	}
	ways := float64(env.Traffic.Ports())
	switch asked := r.Transfer.Rate * float64(max(r.Transfer.Streams, 1)) * ways; {
	case asked > 0 && r.Value >= nearTop*asked:
		l.By = weir.ByPlan
	case env.LinkRate > 0 && rates >= nearLink*env.LinkRate*ways:
		l.By = weir.ByMedium
	case l.Busy >= leastBusy:
		l.By = weir.ByCPU
	case storage.End != "":
		*l = storage
	case program.End != "":
		*l = program
	case busyHosts:
		*l = weir.Limit{By: weir.ByHost} // all CPUs of both were busy
	}
	return l
}
