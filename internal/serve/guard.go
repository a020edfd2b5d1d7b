package serve

import (
	"net"
	"net/http"
	"strings"
)

// policy is what pages may load: nothing from anywhere else.
const policy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// guard sets what browsers are to hold to, and refuses names that are not this server's.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with less, a form would not say that it is of this site
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		if at, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && !hostAllowed(at, req.Host) {
			http.Error(w, "this server is not called "+req.Host, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// hostAllowed reports whether a request that came to an address may name a host. On loopback only
// loopback's names are good: else a page of another site, whose name leads here, could read what a
// browser of this machine may.
func hostAllowed(at net.Addr, host string) bool {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
