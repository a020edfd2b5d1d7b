package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// The parameters of a transfer are those of weir.Transfer, so that what a plan
// says of one is what its program is asked.

// NoWarmUp is the warm-up of a transfer of which all the time counts, where the
// default has one.
const NoWarmUp time.Duration = -1

// orTransfer is p with the zero fields filled in from d.
func orTransfer(p, d weir.Transfer) weir.Transfer {
	fill(&p.Test, d.Test)
	fill(&p.Streams, d.Streams)
	fill(&p.WarmUp, d.WarmUp)
	fill(&p.Rate, d.Rate)
	fill(&p.Payload, d.Payload)
	fill(&p.Sessions, d.Sessions)
	fill(&p.Flood, d.Flood)
	fill(&p.Files, d.Files)
	fill(&p.FileSize, d.FileSize)
	fill(&p.Storage, d.Storage)
	return p
}

// quickerTransfer is p cut down to what q allows.
func quickerTransfer(p, q weir.Transfer) weir.Transfer {
	shorten(&p.WarmUp, q.WarmUp)
	shorten(&p.Sessions, q.Sessions)
	shorten(&p.Files, q.Files)
	shorten(&p.FileSize, q.FileSize)
	return p
}

// asked is what the parameters ask of a program.
func (s *session) asked(program string) weir.Transfer {
	t := s.params.Transfer
	t.Program, t.Seed = program, s.env.Traffic.Seed
	if t.WarmUp < 0 || claim.Datagrams(t.Test) { // programs that have tests count all datagrams
		t.WarmUp = 0
	}
	return t
}
