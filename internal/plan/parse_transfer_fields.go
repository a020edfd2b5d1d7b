package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/claim"
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

// taken checks that a method takes what a step says of it, and what it says of a
// transfer.
func (r *reader) taken(n node, s Step) {
	for _, e := range n.entries {
		if why := untaken(e.key.text, s.Method); why != "" && s.Method.Name != "" {
			r.wrong(e.key, "%s: leave %s out", why, e.key.text)
		}
	}
	if !s.Method.Application {
		return
	}
	p, t := s.Params, s.Params.Transfer
	if slices.Contains(s.Method.Takes, "trial") && t.WarmUp >= p.Trial {
		r.wrong(n, "a warm-up of %v leaves nothing of a trial of %v: make it shorter (warm_up), or the trial longer", t.WarmUp, p.Trial)
	}
	if tests := s.Method.Tests; t.Test != "" && !slices.Contains(tests, t.Test) {
		if at, ok := n.find("test"); ok && len(tests) > 0 {
			r.wrong(at, "%s has no test %s; it has %s", s.Method.Name, t.Test, strings.Join(tests, ", "))
		}
		return // which of the rest it takes is up to the test
	}
	r.datagrams(n, s)
}

// datagrams checks what is of datagrams alone, and what of anything else.
func (r *reader) datagrams(n node, s Step) {
	m, t := s.Method, s.Params.Transfer
	ofUDP := slices.IndexFunc(m.Tests, claim.Datagrams)
	if !claim.Datagrams(cmp.Or(t.Test, m.Name)) {
		if at, ok := n.find("rate"); ok && ofUDP >= 0 && slices.Contains(m.Takes, "rate") {
			r.wrong(at, "TCP sends all it can, and a rate is of datagrams: leave rate out, or add test: %s", m.Tests[ofUDP])
		}
		return
	}
	if at, ok := n.find("warm_up"); ok && ofUDP >= 0 && slices.Contains(m.Takes, "warm_up") {
		r.wrong(at, "%s counts all of its datagrams, and has a warm-up for TCP alone: leave warm_up out", m.Name)
	}
	if at, ok := n.find("payload"); ok && t.Payload > 0 && t.Payload < leastPayload {
		r.wrong(at, "payload: %d octets have no room for what says which datagram it is: %d to %d", t.Payload, leastPayload, mostPayload)
	}
}

// ofEvery are the fields that all methods take.
var ofEvery = []string{"method", "trials", "within", "claim"}

// untaken says why a method does not take a field of methods; "" where it does, or
// there is no such field.
func untaken(name string, m method.Method) string {
	var s Step
	switch {
	case slices.Contains(ofEvery, name), slices.Contains(m.Takes, name), !slices.Contains(names((&reader{}).methodFields(&s)), name):
		return ""
	case !m.Application && slices.Contains(names(transferFields(&s.Params.Transfer)), name):
		return fmt.Sprintf("%s is of transfers, and %s sends test frames", name, m.Name)
	case !m.Application:
		return fmt.Sprintf("%s has no use for %s: it takes %s", m.Name, name, strings.Join(append(slices.Clone(m.Takes), ofEvery[1:]...), ", "))
	}
	switch {
	case name == "trial", slices.Contains(names(streamFields(&s.Params.Transfer)), name):
		return untakenOfStream(name, m)
	case slices.Contains(names(fileFields(&s.Params.Transfer)), name):
		return fmt.Sprintf("%s moves no files, and %s is of these", m.Name, name)
	}
	return fmt.Sprintf("%s is of test frames, and %s sends none", name, m.Name)
}

// untakenOfStream says why a transfer does not take a field of streams.
func untakenOfStream(name string, m method.Method) string {
	files := slices.Contains(m.Takes, "files")
	switch {
	case files && name == "trial":
		return m.Name + " moves files, and lasts until all are where they belong"
	case files:
		return fmt.Sprintf("%s moves files, and %s is of streams", m.Name, name)
	case name == "warm_up":
		return m.Name + " has no warm-up, and all of its time counts"
	case name == "rate":
		return m.Name + " holds no rate (udp does)"
	case name == "test":
		return m.Name + " has one test only"
	}
	return fmt.Sprintf("%s has no %s", m.Name, name)
}
