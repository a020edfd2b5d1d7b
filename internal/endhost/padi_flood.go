package endhost

import (
	"errors"
	"time"
)

// PADIFlood are the settings of the role "padi-flood": it sends PADIs, each from an
// Ethernet address that is made up, and takes no answer.
type PADIFlood struct {
	Port     string        `json:"port"`
	Service  string        `json:"service,omitempty"` // that they ask for; "": any
	Rate     float64       `json:"rate"`              // in a second; what a pause has held up is not made up for
	Duration time.Duration `json:"duration"`
	Seed     uint64        `json:"seed,omitempty"` // of the addresses
}

// PADIFlooded is what comes of it.
type PADIFlooded struct {
	Sent   uint64        `json:"sent"`
	Unsent uint64        `json:"unsent,omitempty"` // that the port did not take
	Took   time.Duration `json:"took"`
	CPU    time.Duration `json:"cpu"`
}

func (f PADIFlood) check() error {
	if f.Rate < 1 || f.Rate > 10e6 || f.Duration <= 0 || f.Duration > time.Hour {
		return errors.New("a flood has 1 to 10,000,000 PADIs a second, for at most an hour")
	}
	return nil
}
