package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"weir/internal/tokens"
)

// An access is how a server knows whom it lets do something.
type access struct {
	file        string // of the tokens
	guarded     bool   // reading takes a token, too
	secure      bool   // cookies go by TLS alone
	behindProxy bool   // X-Forwarded-For of this machine is believed
	now         func() time.Time
	sessions    sessions
	throttle    throttle
}

// errNoToken says why a request was not answered: nobody has said who they are.
var errNoToken = statusError{http.StatusUnauthorized, "this takes a token: sign in, or send it (Authorization: Bearer)"}

// visitor returns the token by which a request comes: the one that it shows, or that of its session.
// The error is errNoToken where it has none.
func (a *access) visitor(req *http.Request) (tokens.Token, error) {
	if shown, is := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); is {
		return a.check(req, shown)
	}
	cookie, err := req.Cookie(a.cookie(req))
	if err != nil {
		return tokens.Token{}, errNoToken
	}
	sum := a.sessions.find(cookie.Value, a.now())
	all, err := tokens.Load(a.file)
	if err != nil {
		return tokens.Token{}, err
	}
	at := slices.IndexFunc(all, func(t tokens.Token) bool { return t.SHA256 == sum })
	if sum == "" || at < 0 {
		return tokens.Token{}, errNoToken
	}
	return all[at], nil
}

// check returns the token that somebody has shown. Who shows one that is none has to wait.
func (a *access) check(req *http.Request, shown string) (is tokens.Token, err error) {
	found := false
	looked := a.throttle.try(addressOf(req, a.behindProxy), a.now(), func() bool {
		var all []tokens.Token
		if all, err = tokens.Load(a.file); err == nil {
			is, found = tokens.Find(all, shown)
		}
		return found || err != nil
	})
	switch {
	case !looked:
		return is, statusError{http.StatusTooManyRequests, "too many tokens that are none came from your address: wait some seconds"}
	case err == nil && !found:
		return is, statusError{http.StatusUnauthorized, "this token is none of those that this server knows"}
	}
	return is, err
}

// permit returns the token by which a request comes, if it is good for something.
func (a *access) permit(req *http.Request, what tokens.Scope) (tokens.Token, error) {
	who, err := a.visitor(req)
	if err == nil && !who.May(what) {
		err = statusError{http.StatusForbidden, fmt.Sprintf("the token %s is not good for this: it has no scope %q", who.Name, what)}
	}
	return who, err
}

// permitted returns what answers those who may do something.
func permitted(what tokens.Scope, answer func(*Server, http.ResponseWriter, *http.Request, tokens.Token) error) answerer {
	return func(s *Server, w http.ResponseWriter, req *http.Request) error {
		who, err := s.access.permit(req, what)
		if err != nil {
			return s.ask(w, req, err)
		}
		w.Header().Set("Cache-Control", "no-store")
		return answer(s, w, req, who)
	}
}

// ask leads a person who has not signed in to where one does; what is no browser that wants a page
// gets the error.
func (s *Server) ask(w http.ResponseWriter, req *http.Request, err error) error {
	if !errors.Is(err, errNoToken) {
		return err
	}
	if req.Method != http.MethodGet || !strings.Contains(req.Header.Get("Accept"), "text/html") {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return err
	}
	next := strings.TrimPrefix(req.URL.RequestURI(), "/")
	seeOther(w, root(req)+"sign-in?"+url.Values{"next": {next}}.Encode())
	return nil
}

// seeOther leads to a page, by an address as a page would have it: relative, as the site may lie
// below another path.
func seeOther(w http.ResponseWriter, address string) {
	w.Header().Set("Location", cmp.Or(address, "./"))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// open are the patterns of what anybody may see of a server that is guarded.
var open = []string{"GET /static/{name}", "GET /favicon.ico", "GET /sign-in", "POST /sign-in"}

// reading lets those read who may.
func (s *Server) reading(mux *http.ServeMux) http.Handler {
	if !s.access.guarded {
		return mux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, pattern := mux.Handler(req); !slices.Contains(open, pattern) {
			if _, err := s.access.permit(req, tokens.Read); err != nil {
				if err = s.ask(w, req, err); err != nil {
					s.fail(w, req, err)
				}
				return
			}
		}
		mux.ServeHTTP(w, req)
	})
}

// signing reports whether there is anything to sign in for.
func (s *Server) signing() bool { return s.Guarded || len(s.Allow) > 0 }

// cookie is what the one of sessions is called: a browser sends those of all ports of a machine.
func (a *access) cookie(req *http.Request) string {
	name := "weir"
	if at, ok := req.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		name = fmt.Sprintf("weir-%d", at.Port)
	}
	if a.secure {
		return "__Host-" + name
	}
	return name
}

// setCookie gives a browser a session, or takes it away: an id of "".
func (a *access) setCookie(w http.ResponseWriter, req *http.Request, id string) {
	age := int(sessionTime.Seconds())
	if id == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: a.cookie(req), Value: id, Path: "/", MaxAge: age, HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteStrictMode})
}

// A signInPage is the form that takes a token.
type signInPage struct{ Next, Wrong string }

// signInForm answers with the form that takes a token.
func (s *Server) signInForm(w http.ResponseWriter, req *http.Request) error {
	return s.showSignIn(w, req, http.StatusOK, signInPage{Next: localPage(req.URL.Query().Get("next"))})
}

func (s *Server) showSignIn(w http.ResponseWriter, req *http.Request, status int, p signInPage) error {
	w.Header().Set("Cache-Control", "no-store")
	return s.showForm(w, req, status, "sign-in", "sign in", p)
}

// signIn begins a session for the token of a form.
func (s *Server) signIn(w http.ResponseWriter, req *http.Request) error {
	if err := req.ParseForm(); err != nil {
		return unreadable(err)
	}
	next := localPage(req.PostForm.Get("next"))
	is, err := s.access.check(req, strings.TrimSpace(req.PostForm.Get("token")))
	wrong := statusError{}
	if errors.As(err, &wrong) {
		return s.showSignIn(w, req, wrong.status, signInPage{next, wrong.text})
	}
	if err != nil {
		return err
	}
	s.access.setCookie(w, req, s.access.sessions.begin(is.SHA256, s.access.now()))
	s.Log.Info("signed in", "who", is.Name)
	seeOther(w, "./"+next)
	return nil
}

// signOut ends a session.
func (s *Server) signOut(w http.ResponseWriter, req *http.Request) error {
	if cookie, err := req.Cookie(s.access.cookie(req)); err == nil {
		s.access.sessions.end(cookie.Value)
	}
	s.access.setCookie(w, req, "")
	seeOther(w, root(req))
	return nil
}

// localPage returns the address of a page of this site, from the first page on, or "" for one that
// is elsewhere.
func localPage(address string) string {
	at, err := url.Parse(address)
	if err != nil || at.IsAbs() || at.Host != "" || at.Opaque != "" || strings.HasPrefix(address, "/") || strings.ContainsAny(address, "\\\x00\r\n\t") || strings.Contains(at.Path, "..") {
		return ""
	}
	return address
}

// unreadable is the error of a form that could not be read.
func unreadable(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("what you sent is too large: at most %d octets", large.Limit)}
	}
	return statusError{http.StatusBadRequest, "the form cannot be read: " + err.Error()}
}
