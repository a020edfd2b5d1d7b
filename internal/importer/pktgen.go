package importer

import (
	"slices"
	"strings"

	"weir"
)

// The endings of the logs of the two ends.
const (
	senderLog   = ".sender"
	receiverLog = ".receiver"
)

// The figures that are kept beside a number that was received.
const (
	figureSent     = "frames sent"
	figureReceived = "frames received"
)

// pktGen are the logs of netmap's pkt-gen: two of a run, NAME.sender and
// NAME.receiver, or one.
var pktGen = Format{
	Name: "pkt-gen", Summary: "logs of netmap's pkt-gen: NAME.sender and NAME.receiver are one run",
	Recognise: isPktGen,
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("pkt-gen", "FRMOL: the median of the frames/s that pkt-gen received in each second, at the highest load that another one could send; never a throughput, as frames were lost", files, o)
		logs := map[string]pktGenLog{}
		for _, f := range files {
			l, err := readPktGen(f)
			if err != nil {
				return weir.Campaign{}, err
			}
			logs[f.Path] = l
		}
		for _, f := range files {
			r, arm, ok := pktGenRun(f, logs)
			if ok {
				add(&c, arm, r)
			}
		}
		for _, r := range c.Results {
			if _, ok := r.Figure(weir.OfferedLoad); !ok {
				note(&c, "of runs without the log of a sender the offered load and the loss are not known")
			}
		}
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

// pktGenRun is the result of the run that a log is of; false for that of a
// sender whose receiver has one too.
func pktGenRun(f File, logs map[string]pktGenLog) (weir.Result, string, bool) {
	path := strings.TrimSuffix(f.Path, ".gz")
	own := logs[f.Path]
	stem, sender := strings.CutSuffix(path, senderLog)
	if sender || own.sender && !strings.HasSuffix(path, receiverLog) {
		if _, paired := logs[stem+receiverLog]; paired {
			return weir.Result{}, "", false
		}
		arm := armOf(File{Path: stem})
		return weir.Result{
			Claim: weir.PublishedAs("what a generator sent"), Value: own.offered(), Unit: "frames/s", MeanSize: own.frameSize(),
			TrialSeconds: own.seconds, Factors: sized(weir.Factors{set: arm}, own),
		}, arm, true
	}
	stem = strings.TrimSuffix(path, receiverLog)
	arm := armOf(File{Path: stem})
	r := weir.Result{
		Claim: weir.PublishedAs("frames received"), Value: own.typical(), Unit: "frames/s", MeanSize: own.frameSize(),
		Factors: sized(weir.Factors{set: arm}, own), TrialSeconds: float64(len(own.rates)),
	}
	if sender, ok := logs[stem+senderLog]; ok {
		withLoad(&r, sender, own)
		r.Factors = sized(r.Factors, sender)
	}
	judge(&r, facts{backwards: own.backwards, parts: slices.Max(own.rates)})
	return r, arm, true
}

// withLoad adds to a result what the logs of its sender and receiver say of its
// load and loss. The rates decide: the receiver was stopped before it had
// counted its last second, or counted frames before the sender began.
func withLoad(r *weir.Result, sender, receiver pktGenLog) {
	offered := sender.offered()
	r.Claim = weir.PublishedAs("FRMOL")
	r.LossRatio = max(0, 1-r.Value/offered)
	r.MeanSize = sender.frameSize()
	r.TrialSeconds = sender.seconds
	r.Figures = []weir.Figure{
		{Name: weir.OfferedLoad, Value: offered, Unit: "frames/s"},
		{Name: figureSent, Value: sender.sent, Unit: "frames"},
		{Name: figureReceived, Value: receiver.counted, Unit: "frames"},
	}
	if counted, sent := float64(len(receiver.rates)), sender.seconds; counted < shortest*sent {
		r.Warnings = append(r.Warnings, weir.Warn(weir.NoisyResult, "frames came in during %.0f s of the %.0f s in which they were sent; the rate is that of these seconds", counted, sent))
	}
}

// shortest is for how much of the time of a sender frames have to come in, for the seconds
// with frames to be all of the run.
const shortest = 0.8

// sized are factors with the frame size that a sender's log says.
func sized(f weir.Factors, l pktGenLog) weir.Factors {
	if size := l.frameSize(); size > 0 {
		f["frame_size"] = int(size)
	}
	return f
}
