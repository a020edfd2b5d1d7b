package processes

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestMain has the test's program, where it is started as one of weir's own, start a command as
// that does.
func TestMain(m *testing.M) {
	if os.Getenv("WEIR_TEST_STARTS") == "" {
		os.Exit(m.Run())
	}
	cmd := adjOf()
	cmd.Stdout = os.Stdout
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err == nil {
		fmt.Print(string(own))
		err = Run(cmd)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// adjOf is a command that says how it is chosen.
func adjOf() *exec.Cmd { return exec.Command("cat", "/proc/self/oom_score_adj") }

// readAdj returns how this process is chosen.
func readAdj(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// spareNow has this process spared until the test ends, and returns how it is chosen then, and was
// before. To stand back less than the tests do takes CAP_SYS_RESOURCE.
func spareNow(t *testing.T) (now, was string) {
	t.Helper()
	before := readAdj(t)
	n, err := strconv.Atoi(before)
	now, was = strconv.Itoa(n+1), strconv.Itoa(n+2)
	if err == nil {
		err = setAdj("self", was)
	}
	if err != nil {
		t.Fatal(err)
	}
	usual := spared
	spared = n + 1
	Spare()
	t.Cleanup(func() {
		inherited.adj, spared = "", usual
		if err := setAdj("self", before); err != nil {
			t.Error(err)
		}
	})
	return now, was
}

// What weir starts is chosen as weir would have been, weir's own program is spared with it, and
// what that starts is not.
func TestStartUnspared(t *testing.T) {
	now, was := spareNow(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(own)
	agent.Env = append(os.Environ(), "WEIR_TEST_STARTS=yes")
	for want, cmd := range map[string]*exec.Cmd{was + "\n": adjOf(), now + "\n" + was + "\n": agent} {
		var said bytes.Buffer
		cmd.Stdout = &said
		if err := Run(cmd); err != nil || said.String() != want {
			t.Errorf("%v says %q, want %q: %v", cmd.Args, said.String(), want, err)
		}
	}
	if adj := readAdj(t); adj != now {
		t.Errorf("this process is at %s afterwards, want %s", adj, now)
	}
}

// A program that would stay spared does not start: no machine or command is to be the last one
// that the kernel ends.
func TestStartRefusesWhatStaysSpared(t *testing.T) {
	now, _ := spareNow(t)
	inherited.adj = "nonsense" // which the kernel refuses
	cmd := exec.Command("sleep", "1000")
	if err := Start(cmd); err == nil || cmd.Process != nil {
		t.Errorf("it runs: %v", err)
	}
	if adj := readAdj(t); adj != now {
		t.Errorf("this process is at %s, want %s", adj, now)
	}
}
