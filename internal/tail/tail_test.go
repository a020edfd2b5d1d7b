package tail

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The end is what stays, and lines that say something are what is told.
func TestTail(t *testing.T) {
	var kept Tail
	for range 3 {
		if n, err := kept.Write([]byte(strings.Repeat("x", size-2) + "\ny")); n != size || err != nil {
			t.Error(n, err)
		}
	}
	if got := kept.String(); len(got) != size || !strings.HasSuffix(got, "x\ny") {
		t.Errorf("%d octets, the end is %q", len(got), got[len(got)-4:])
	}
	if diff := cmp.Diff([]string{"two", "three"}, Last("\x1b[31mone\r\n\n two\n\t\nthree\x07\n", 2)); diff != "" {
		t.Error(diff)
	}
	if got := Last("\n \n", 2); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
