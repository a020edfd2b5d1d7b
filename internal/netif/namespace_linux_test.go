package netif

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// No namespace is on the first thread of the process, which would keep it and what was
// started there until the process ends.
func TestNamespacesEnd(t *testing.T) {
	testenv.NeedRoot(t)
	for range 20 {
		n, err := NewNamespace()
		if err != nil {
			t.Fatal(err)
		}
		if n.tid == os.Getpid() {
			t.Fatal("a namespace is on the first thread of the process")
		}
		path := n.Path()
		n.Close()
		testenv.Await(t, "the namespace's thread ends", func() bool { return unix.Access(path, unix.F_OK) != nil })
	}
}
