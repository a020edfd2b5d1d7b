package tester

import (
	"weir"
	"weir/internal/xdp"
)

// The ports of a trial are those of its pairs, or of its arms, each of which has one: frames go from even to odd ones,
// from odd to even ones, or both. The ports that send are its sides.

// directions are those in which a trial sends: 0 forward and 1 in reverse.
func directions(trial weir.Trial) []int {
	if trial.Traffic.Bidirectional && !trial.Bypass {
		return []int{0, 1}
	}
	return []int{trial.Traffic.Direction()}
}

// sides is how many ports of the tester a trial sends through.
func sides(trial weir.Trial) int {
	if trial.Bypass {
		return 1
	}
	return trial.Traffic.Ports()
}

// source is the number of the port that a trial sends through as one of its
// sides.
func source(trial weir.Trial, side int) int {
	all := directions(trial)
	return side/len(all)*2 + all[side%len(all)]
}

// identities is how many streams of a traffic each port may send: one for each
// thread. Of one pair, thread n sends stream n forward and 32 + n in reverse.
func identities(t weir.Traffic) int { return xdp.Streams / (2 * t.PortPairs()) }

// identity is that of the stream which a thread sends through a side.
func identity(trial weir.Trial, side, thread int) int {
	return source(trial, side)*identities(trial.Traffic) + thread
}

// toward are the receivers at which the frames of a direction arrive, 0
// forward and 1 in reverse: those of all ports of the other side that are here.
func (t *XDP) toward(trial weir.Trial, direction int) []*xdp.Receiver {
	if trial.Bypass {
		return []*xdp.Receiver{t.self}
	}
	var all []*xdp.Receiver
	for pair := range trial.Traffic.PortPairs() {
		if own := t.receivers[2*pair+1-direction]; own != nil {
			all = append(all, own)
		}
	}
	return all
}

// listening are the receivers of all directions of a trial.
func (t *XDP) listening(trial weir.Trial) []*xdp.Receiver {
	var all []*xdp.Receiver
	for _, direction := range directions(trial) {
		all = append(all, t.toward(trial, direction)...)
	}
	return all
}

// seen are the streams of a trial by identity, as the receivers of their
// direction saw them together. Each of these recognises duplicate and late
// frames among its own.
func (t *XDP) seen(trial weir.Trial) (map[int]xdp.Stream, error) {
	all := make(map[int]xdp.Stream)
	for _, direction := range directions(trial) {
		for _, receiver := range t.toward(trial, direction) {
			streams, err := receiver.Seen()
			if err != nil {
				return nil, err
			}
			for _, s := range streams {
				if s.ID/identities(trial.Traffic)%2 != direction {
					continue // it came back where it had left from
				}
				sum := all[s.ID]
				sum.Received += s.Received
				sum.Duplicate += s.Duplicate
				sum.Late += s.Late
				sum.Corrupt += s.Corrupt
				sum.WrongSession += s.WrongSession
				all[s.ID] = sum
			}
		}
	}
	return all, nil
}
