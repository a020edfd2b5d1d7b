package testbed

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/testenv"
)

// What commands have left in a lab's namespaces ends with the lab, and with what was
// left of a lab whose process was killed; what lives elsewhere does not, though it
// had the inode of one of them, nor what nobody of weir has started.
func TestStrays(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir())
	for _, arms := range []int{0, 3} {
		l, err := OpenNetns(t.Context(), NetnsConfig{Arms: arms})
		if err != nil {
			t.Fatal(err)
		}
		last := nsHost{name: "dut", ns: l.dut}
		if arms > 0 {
			last.ns = l.beside[arms-2]
		}
		said, err := last.Run(t.Context(), "", "sh", "-c", "setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 & echo $!")
		if err != nil {
			t.Fatal(err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(said))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		// One that ends has left its namespaces before it is a zombie.
		testenv.Await(t, "what was left has ended", func() bool { return gone(t, child) })
		if left, err := inside(l.spaces, mark(os.Getpid())); err != nil || len(left) > 0 {
			t.Errorf("%d arms: %v are left, %v", arms, left, err)
		}
	}
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	h := nsHost{name: "other", ns: ns}
	one, err := h.Run(t.Context(), "", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(one))
	defer unix.Kill(pid, unix.SIGKILL)
	var is space
	if err := ns.Do(func() (err error) { is, err = spaceHere(); return err }); err != nil {
		t.Fatal(err)
	}
	other := space{Inode: is.Inode, Cookie: is.Cookie + 1, Boot: is.Boot}
	if err := endStrays([]space{other}, os.Getpid()); err != nil || gone(t, pid) {
		t.Errorf("what lives in another namespace was ended: %v", err)
	}
	if err := endStrays([]space{is}, os.Getpid()+1); err != nil || gone(t, pid) {
		t.Errorf("what another process has started was ended: %v", err)
	}
	killed := Entry{ID: "killd", PID: os.Getpid(), Made: time.Now(), Spaces: []space{is}}
	if err := killed.write(); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "what a killed weir left has ended", func() bool { return gone(t, pid) })
	if _, err := os.Stat(entryFile("killd")); err == nil {
		t.Error("so is its entry")
	}
}
