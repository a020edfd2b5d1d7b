package processes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"weir"
	"weir/internal/testenv"
)

// here is this machine.
type here struct{ weir.Host }

func (here) Run(ctx context.Context, _ string, argv ...string) (string, error) {
	said, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	return string(said), err
}

const statOf7 = "7 (weir) S 1 7 7 0 -1 4194560 1 2 3 4 100 200 300 400 20 0 9 0 1 0 0"

func TestParse(t *testing.T) {
	for text, name := range map[string]string{
		statOf7: "weir",
		"7 (a ) S 9 (\n8 (b) S 1 7 7 0 -1 4194560 1 2 3 4 100 200 300 400 20 0 9 0 1 0 0": "a ) S 9 (\n8 (b",
	} {
		s, err := Parse(text)
		if err != nil || s.Name != name || s.Field(Parent) != 1 || s.Field(WaitedSystemTime) != 400 || s.Field(Policy) != 0 || s.OfKernel() {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	for _, wrong := range []string{"", "7 (weir) S 1", "7 )weir( S 1 7 7 0 -1 4194560 1 2 3 4 100 200 300 400"} {
		if s, err := Parse(wrong); err == nil {
			t.Errorf("%q is %+v", wrong, s)
		}
	}
}

func TestReadOwn(t *testing.T) {
	if s, err := ReadOwn(os.Getpid()); err != nil || s.Field(Parent) != os.Getppid() || s.OfKernel() {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := ReadOwn(1 << 30); err == nil {
		t.Error("a process that is not there has statistics")
	}
}

// A process of another user whose name has a line end, and after it what the statistics of
// this one begin with, is one with that name, and changes nothing about this one.
func TestNamesOfOthers(t *testing.T) {
	testenv.NeedRoot(t)
	name := fmt.Sprintf("\n%d (a", os.Getpid())
	liar := exec.Command("sh", "-c", `printf %s "$0" >/proc/self/comm; echo ready; read -r until`, name)
	liar.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := liar.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := liar.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := liar.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	all, err := ReadAll(t.Context(), here{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := ReadOwn(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]Stat{os.Getpid(): own, liar.Process.Pid: {Name: name}} {
		if all[pid].Name != want.Name {
			t.Errorf("process %d is called %q, want %q", pid, all[pid].Name, want.Name)
		}
	}
	if is := all[os.Getpid()].Field(Parent); is != os.Getppid() {
		t.Errorf("the parent of this process is %d", is)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = liar.Wait() // which fails, as there is no line for it to read
}

// Whatever the files hold, who speaks is of whose path.
func FuzzParseAll(f *testing.F) {
	f.Add("/proc/7/stat:" + statOf7 + "\n/proc/8/stat:8 (\n/proc/8/stat:" + statOf7 + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := "8 (" + text + ") S 1 7 7 0 -1 4194560 1 2 3 4 100 200 300 400"
		said := "/proc/8/stat:" + strings.ReplaceAll(file, "\n", "\n/proc/8/stat:") + "\n/proc/7/stat:" + statOf7 + "\n"
		all := ParseAll(said)
		if len(all) != 2 || all[7].Name != "weir" || all[8].Name != text {
			t.Errorf("%q is read as %+v", said, all)
		}
	})
}
