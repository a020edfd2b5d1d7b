package serve

import (
	"fmt"
	"net/http"
	"time"
)

const (
	eventPeriod = time.Second      // between two events of a campaign
	eventSilent = 15 * time.Second // after which a connection that has nothing to say says so
	eventWrite  = 10 * time.Second // in which a reader has to take an event

	mostListeners = mostOpen / 2 // at once: others still get pages
)

// events tells the page of a campaign when that has changed, as server-sent events. The id of an
// event is the state of the campaign: who comes back with the last one that was seen hears what
// changed meanwhile, and misses nothing.
func (s *Server) events(w http.ResponseWriter, req *http.Request) error {
	id := req.PathValue("id")
	if _, err := s.index.find(id); err != nil {
		return err
	}
	select {
	case s.listening <- struct{}{}:
		defer func() { <-s.listening }()
	default:
		return statusError{http.StatusServiceUnavailable, fmt.Sprintf("%d readers follow campaigns already: load this page anew to see how far it is", mostListeners)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if req.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	seen := req.Header.Get("Last-Event-ID")
	silent := time.NewTimer(eventSilent)
	defer silent.Stop()
	for {
		next := s.index.next()
		e, err := s.index.find(id)
		if whole, wrong := s.index.state(); err != nil && (!whole || wrong != nil) {
			return nil // the store is read anew: the reader comes back
		}
		if err != nil {
			send(w, out, "event: gone\ndata: \n\n")
			return nil
		}
		if tag := stateTag(e); tag != seen {
			seen = tag
			if send(w, out, fmt.Sprintf("id: %s\nevent: changed\ndata: %d\n\n", tag, e.Trials)) != nil {
				return nil
			}
			silent.Reset(eventSilent)
		}
		if !e.Runs() {
			return nil
		}
		select {
		case <-req.Context().Done():
			return nil
		case <-next:
		case <-silent.C:
			if send(w, out, ": nothing new\n\n") != nil {
				return nil
			}
			silent.Reset(eventSilent)
		}
		select { // many changes in a second are one
		case <-req.Context().Done():
			return nil
		case <-time.After(eventPeriod):
		}
	}
}

// send sends a part of an answer at once.
func send(w http.ResponseWriter, out *http.ResponseController, text string) error {
	if err := out.SetWriteDeadline(time.Now().Add(eventWrite)); err != nil {
		return err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	return out.Flush()
}
