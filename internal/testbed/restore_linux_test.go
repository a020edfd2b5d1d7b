package testbed

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testenv"
)

// elsewhere is a host in a namespace that is not there any more.
type elsewhere struct{ weir.Host }

func (elsewhere) Name() string { return fmt.Sprintf(hereName, 1, 1) }

// TestRestored has processes change the MTU of a link, and kills them. What they
// changed is undone, unless they live, or somebody has changed it since; with its
// namespace it is gone.
func TestRestored(t *testing.T) {
	const doomed = "WEIR_TEST_DOOMED"
	link := settings.Setting{Kind: settings.MTU, Device: "d0"}
	if os.Getenv(doomed) != "" { // in the process that is killed, in the namespace
		h, err := Here()
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(Journalled(func(j *settings.Journal) error {
			u := settings.Undo{Journal: j}
			now, err := u.Set(t.Context(), h, link, "1400")
			fmt.Println("set", now, err)
			bufio.NewReader(os.Stdin).ReadString('\n')
			return fmt.Errorf("it was not killed: %w", u.Close())
		}))
	}
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	t.Setenv("WEIR_RUN", t.TempDir()+"/run")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	h := Machine("here", ns)
	if _, err := h.Run(t.Context(), "", "ip", "link", "add", "d0", "type", "veth", "peer", "name", "d1"); err != nil {
		t.Fatal(err)
	}
	mtu := func() string {
		t.Helper()
		now, err := link.Get(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	begin := func(apart uintptr) (kill func()) {
		t.Helper()
		cmd := exec.Command(os.Args[0], "-test.run=^TestRestored$")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: apart}
		cmd.Env = append(os.Environ(), doomed+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := ns.Do(cmd.Start); err != nil {
			t.Fatal(err)
		}
		if said, err := bufio.NewReader(out).ReadString('\n'); said != "set 1400 <nil>\n" {
			t.Errorf("it said %q, %v", said, err)
		}
		return func() {
			cmd.Process.Kill()
			cmd.Wait()
			in.Close()
		}
	}
	restore := func(forget bool, wantUndone, wantLeft int, wantMTU, wantErr string) {
		t.Helper()
		r, err := Restore(t.Context(), Restoring{Forget: forget, Say: func(line string) { t.Log(line) }})
		if (err != nil) != (wantErr != "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("error %v, want %q", err, wantErr)
		}
		if now := mtu(); r.Undone != wantUndone || len(r.Left) != wantLeft || now != wantMTU {
			t.Errorf("undone %d, left %v, and the MTU is %s; want %d, %d, %s", r.Undone, r.Left, now, wantUndone, wantLeft, wantMTU)
		}
	}

	for _, apart := range []uintptr{0, syscall.CLONE_NEWPID} { // there its number is 1
		kill := begin(apart)
		restore(false, 0, 0, "1400", "")
		kill()
		restore(false, 1, 0, "1500", "")
		restore(false, 0, 0, "1500", "")
	}

	begin(0)()
	if _, err := h.Run(t.Context(), "", "ip", "link", "set", "dev", "d0", "mtu", "1300"); err != nil {
		t.Fatal(err)
	}
	restore(false, 0, 1, "1300", "NOT RESTORED: d0 mtu was 1500: weir had set it to 1400, and somebody has set it to 1300 since; by hand: ip link set dev d0 mtu 1500\nwhat is done by hand is then forgotten with: weir lab restore --forget")
	if err := Sweep(t.Context()); err == nil {
		t.Error("the next one begins although something is left changed")
	}
	restore(true, 0, 0, "1300", "")
	if err := Sweep(t.Context()); err != nil {
		t.Error(err)
	}

	j, err := settings.OpenJournal(filepath.Join(lastingDir(), "killed"))
	if err != nil {
		t.Fatal(err)
	}
	u := settings.Undo{Journal: j}
	if _, err := u.Set(t.Context(), elsewhere{h}, link, "1200"); err != nil {
		t.Fatal(err)
	}
	if r, err := Restore(t.Context(), Restoring{Say: func(line string) { t.Error(line) }}); err != nil || r.Undone != 0 || r.Gone != 1 {
		t.Errorf("without its namespace: %+v, %v", r, err)
	}
	if _, err := os.Stat(RunDir()); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

// A journal that is damaged, or of another version of weir, keeps nobody from anything. The
// first is set aside, and both are named.
func TestDamagedJournals(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir()+"/run")
	var told []string
	before := warn
	warn = func(line string) { told = append(told, line) }
	t.Cleanup(func() { warn = before })
	write := func(number int64, text string) string {
		t.Helper()
		file := filepath.Join(journalDir(), fmt.Sprint("killed", number))
		if err := os.MkdirAll(journalDir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	damaged, newer := write(1, `{"version":2,"changes":[null]}`), write(2, `{"version":9}`)
	for range 2 {
		if err := Sweep(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(damaged); !os.IsNotExist(err) {
		t.Errorf("the damaged one is where it was: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(damagedDir(), filepath.Base(damaged))); err != nil || !strings.Contains(string(text), "null") {
		t.Errorf("the damaged one is not set aside: %q, %v", text, err)
	}
	if _, err := os.Stat(newer); err != nil {
		t.Errorf("the newer one is not where it was: %v", err)
	}
	if len(told) != 3 || !strings.Contains(told[0], "is damaged: change 1 is empty; it is set aside as "+damagedDir()) ||
		!strings.Contains(told[1], newer) || !strings.Contains(told[2], newer) {
		t.Errorf("it says %q", told)
	}
}
