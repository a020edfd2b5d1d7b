package endhost

import (
	"bufio"
	"strings"
	"testing"
)

// FuzzRequest reads what a client of HTTP may send.
func FuzzRequest(f *testing.F) {
	f.Add("GET /a%20b HTTP/1.1\r\nAuthorization: Basic dTpw\r\n\r\n")
	f.Add("PUT /x HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello")
	f.Fuzz(func(t *testing.T, text string) {
		in := bufio.NewReader(strings.NewReader(text))
		r, err := readRequest(in)
		if err != nil {
			return
		}
		_, _ = r.user()
		if r.method == "" && !strings.HasPrefix(text, " ") {
			t.Errorf("a request without a method: %q", text)
		}
	})
}
