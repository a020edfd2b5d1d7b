package plan

import (
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/schema"
)

// transferFields are what a plan may say of a transfer.
func transferFields(t *weir.Transfer) []field { return append(streamFields(t), fileFields(t)...) }

// streamFields are those of transfers that are streams.
func streamFields(t *weir.Transfer) []field {
	return []field{
		scalarField("test", &t.Test, schema.Line).means("of transfers: one of those that a program has by name: `weir list programs`", ""),
		scalarField("streams", &t.Streams, schema.Within(schema.Int, 1, mostStreams)).means("of transfers: streams side by side, 1 to 128", ""),
		scalarField("warm_up", &t.WarmUp, warmUp).means("of transfers: what of a trial does not count; `0`: all of it does", ""),
		scalarField("rate", &t.Rate, schema.Rate).means("of UDP alone: bit/s of each stream; all it can where it is left out", ""),
		scalarField("payload", &t.Payload, schema.Within(schema.Int, 1, mostPayload)).means("of transfers: octets of each datagram, 16 to 65507; of TCP, what it is given at once; of `TCP_RR`, each request and response", ""),
		scalarField("sessions", &t.Sessions, schema.Within(schema.Count, 1, mostSessions)).means("PPPoE subscribers that come, 1 to 60000", ""),
		scalarField("flood", &t.Flood, schema.Within(schema.Rate, 1, mostPADIs)).means("PADIs in a second: `100k`", ""),
	}
}

// fileFields are those of transfers of files.
func fileFields(t *weir.Transfer) []field {
	return []field{
		scalarField("files", &t.Files, schema.Within(schema.Int, 1, mostFiles)).means("of a file transfer: how many", ""),
		scalarField("size", &t.FileSize, schema.Octets).means("of a file transfer: the size of each, `1.9 GB`; k is 1000, Ki 1024", ""),
		oneOf("storage", &t.Storage, weir.Memory, weir.Disk).means("of a file transfer: `memory` or `disk`, at both ends", ""),
	}
}

// warmUp is a duration, of which 0 is not: whatever is usual.
var warmUp = schema.Custom(schema.Span, func(s string) (time.Duration, error) {
	d, err := schema.Within(schema.Duration, 0, longest).Read(s)
	if err == nil && d == 0 {
		d = method.NoWarmUp
	}
	return d, err
})
