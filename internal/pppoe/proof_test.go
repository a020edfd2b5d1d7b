package pppoe

import (
	"fmt"
	"testing"
)

// TestResponse is the example of RFC 2865 section 7.2, with the password of section 7.1.
func TestResponse(t *testing.T) {
	challenge := []byte("\x2a\xee\x86\xf0\x8d\x0d\x55\x96\x9c\xa5\x97\x8e\x0d\x33\x67\xa2")
	if got := fmt.Sprintf("%x", response(22, "arctangent", challenge)); got != "e97557c316185895f293ff6344077275" {
		t.Error(got)
	}
}
