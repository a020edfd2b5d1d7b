package agent

import "encoding/json"

// request is one line to a role. The first one opens it, with its settings.
type request struct {
	ID   int             `json:"id"`
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"`
}

// answer is one line from a role. Answers come in the order of the requests.
type answer struct {
	ID    int             `json:"id"` // of its request
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// open is what the first request does.
const open = "open"
