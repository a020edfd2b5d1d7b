package xdp

import (
	"crypto/sha256"
	"encoding/hex"
)

// Object is a file of compiled BPF programs.
type Object struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Objects are those that this program loads into the kernel: those of two programs with the
// same checksums are the same.
func Objects() (out []Object) {
	for _, o := range []struct {
		name    string
		content []byte
	}{
		{"access", _AccessBytes}, {"assorted", _AssortedBytes}, {"forwarder", _ForwarderBytes},
		{"generator", _GeneratorBytes}, {"plain", _PlainBytes}, {"preempt", _PreemptBytes}, {"receiver", _ReceiverBytes},
	} {
		sum := sha256.Sum256(o.content)
		out = append(out, Object{o.name, hex.EncodeToString(sum[:])})
	}
	return out
}
