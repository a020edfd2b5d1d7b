package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"time"

	"weir/internal/infile"
)

const (
	hookTime     = 10 * time.Second
	hookPeriod   = time.Minute // between two tries after one that failed
	mostHookFile = 1 << 20     // octets
	mostSent     = 5000        // changes that are known as sent, the last ones
)

// A webhook tells an address of each change once, also over a restart.
type webhook struct {
	address string
	file    string    // of what was sent
	sent    []string  // ids of changes, the oldest first
	begun   bool      // changes that are there now are news
	failed  time.Time // the last try; zero: it did not fail
}

// A hookMessage is what a webhook sends.
type hookMessage struct {
	Text     string  `json:"text"` // one sentence, which chat programs show
	Name     string  `json:"name"`
	DUT      string  `json:"dut"`
	Testbed  string  `json:"testbed"`
	Method   string  `json:"method"`
	Size     string  `json:"size"`
	Arm      string  `json:"arm,omitempty"`
	From     string  `json:"from"`   // the first campaign after it
	Before   string  `json:"before"` // the last campaign before it
	Effect   float64 `json:"effect"` // relative change
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
	Reason   string  `json:"reason"`   // what is known to have changed
	History  string  `json:"history"`  // path of the page of the history
	Compared string  `json:"compared"` // path of the page that compares both sides
}

// openWebhook reads what was sent. Where there is no file nothing was, and the changes that are there
// then are no news.
func openWebhook(address, file string) (*webhook, error) {
	h := &webhook{address: address, file: file}
	text, err := infile.Read(file, mostHookFile)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &h.sent)
	}
	if err != nil {
		return nil, fmt.Errorf("what the webhook has sent: %w; remove %s, and it begins anew", err, file)
	}
	h.begun = true
	return h, nil
}

// knows reports whether a change was sent, here or where it lay before, or by a weir that knew no cases.
func (h *webhook) knows(c foundChange) bool {
	was := c
	was.Case = ""
	return slices.ContainsFunc(c.near, func(id string) bool {
		return slices.Contains(h.sent, c.at(id)) || slices.Contains(h.sent, was.at(id))
	})
}

// tell sends the changes that were not sent yet, the oldest first. What fails is tried again later.
func (h *webhook) tell(ctx context.Context, all []foundChange) error {
	if time.Since(h.failed) < hookPeriod {
		return nil
	}
	for _, c := range slices.Backward(all) {
		if h.knows(c) {
			continue
		}
		if h.begun {
			if err := h.send(ctx, c); err != nil {
				h.failed = time.Now()
				return fmt.Errorf("webhook: %w; it is tried again in %s", err, hookPeriod)
			}
		}
		h.sent = append(h.sent, c.at(c.from.ID))
		if err := h.keep(); err != nil {
			return err
		}
	}
	if h.begun {
		return nil
	}
	h.begun = true
	return h.keep()
}

// keep writes what was sent.
func (h *webhook) keep() error {
	h.sent = h.sent[max(len(h.sent)-mostSent, 0):]
	text, err := json.Marshal(h.sent)
	if err != nil {
		return err
	}
	return place(h.file, text)
}

// notify tells a webhook of changes until ctx ends.
func (s *Server) notify(ctx context.Context, h *webhook) {
	for {
		next := s.index.next()
		if s.index.isSettled() {
			if err := h.tell(ctx, s.index.lastChanges()); err != nil && ctx.Err() == nil {
				s.Log.Error("changes were not sent", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-time.After(hookPeriod):
		}
	}
}

// send sends one change.
func (h *webhook) send(ctx context.Context, c foundChange) error {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	var at addresses
	text, err := json.Marshal(hookMessage{
		c.sentence(), c.Name, c.DUT, c.Testbed, c.Method, c.Size, c.Arm, c.from.ID, c.before.ID, c.Effect.Estimate, c.Effect.Lower, c.Effect.Upper,
		c.reason, c.path(), at.compared(c.from.ID, c.before.ID),
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(req)
	if wrong := (*url.Error)(nil); errors.As(err, &wrong) {
		return wrong.Err // without the address, which may have a secret
	}
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}
