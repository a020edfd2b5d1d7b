package serve

import (
	"context"
	"net/http"

	"weir/internal/sqlite"
	"weir/internal/tokens"
)

// deleteForm answers with the page that asks whether a campaign is really to be deleted.
func (s *Server) deleteForm(w http.ResponseWriter, req *http.Request, _ tokens.Token) error {
	e, err := s.index.find(req.PathValue("id"))
	if err != nil {
		return err
	}
	return s.showForm(w, req, http.StatusOK, "delete", "delete "+e.ID, e)
}

// delete deletes a campaign, and says what is gone with it.
func (s *Server) delete(w http.ResponseWriter, req *http.Request, who tokens.Token) error {
	gone, err := s.forget(req.Context(), req.PathValue("id"), who)
	if err != nil {
		return err
	}
	return s.showForm(w, req, http.StatusOK, "deleted", "deleted "+gone.ID, gone)
}

// forget deletes a campaign, also for somebody who does not wait for it, and waits for the pages to know that.
func (s *Server) forget(ctx context.Context, id string, who tokens.Token) (gone sqlite.Forgotten, err error) {
	e, err := s.index.find(id)
	if err != nil {
		return gone, err
	}
	err = s.change(context.WithoutCancel(ctx), func(ctx context.Context, store *sqlite.Store) error {
		all, err := store.Forget(ctx, e.ID)
		if len(all) == 0 {
			return err
		}
		gone = all[0]
		if err != nil { // its page stays, and the campaign is gone
			s.Log.Warn("delete", "campaign", e.ID, "error", err)
		}
		return nil
	})
	if err != nil {
		return gone, err
	}
	s.Log.Info("deleted", "who", who.Name, "campaign", e.ID, "trials", gone.Trials, "results", gone.Results)
	s.index.await(ctx, func() bool { _, err := s.index.find(e.ID); return err != nil })
	return gone, nil
}
