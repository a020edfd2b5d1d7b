package weir

// MaxFates is the largest number of frames of each stream of which a trial keeps what
// became of every one (Tags.Fates).
const MaxFates = 1 << 14

// Fate says which frames of one stream came back, of the first ones that it sent
// (Tags.Fates).
type Fate struct {
	Port int    `json:"port"` // the one that sent them: even ones send forward, odd ones in reverse
	Sent int    `json:"sent"` // how many it is about
	Back []byte `json:"back"` // bit i % 8 of octet i / 8: frame i, from 0 on, came back intact
}

// NewFate makes the fate of the first frames of a stream, none of which came back yet.
func NewFate(port, sent int) Fate {
	return Fate{Port: port, Sent: sent, Back: make([]byte, (sent+7)/8)}
}

// Return notes that a frame came back.
func (f Fate) Return(frame int) { f.Back[frame/8] |= 1 << (frame % 8) }

// Returned reports whether a frame came back.
func (f Fate) Returned(frame int) bool {
	return frame/8 < len(f.Back) && f.Back[frame/8]&(1<<(frame%8)) != 0
}
