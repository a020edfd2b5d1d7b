package sandbox

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"weir/internal/testenv"
)

func TestMain(m *testing.M) { Main(m) }

// leaves is the environment variable that has TestLeaves leave something behind.
const leaves = "WEIR_TEST_LEAVES"

// TestLeaves is the test of another program of tests, which TestLeftBehind runs.
func TestLeaves(t *testing.T) {
	what := os.Getenv(leaves)
	if what != "" {
		patience = 0 // what is left here stays
	}
	switch what {
	case "process":
		cmd := exec.Command("sleep", "600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	case "namespace":
		if out, err := exec.Command("ip", "netns", "add", "weir-left").CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	case "file":
		if err := os.WriteFile("/dev/shm/weir-left", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What tests leave behind fails them, and nothing of it outlives their sandbox.
func TestLeftBehind(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	for what, want := range map[string]string{
		"nothing": "PASS", "process": "left behind: process", "namespace": "left behind: namespace weir-left", "file": "left behind: folder /dev/shm/weir-left",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestLeaves$")
			cmd.Env = append(os.Environ(), leaves+"="+what)
			box, err := Prepare(cmd)
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), want) || (err == nil) != (what == "nothing") {
				t.Errorf("%v, and it prints %s; want %q", err, out, want)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
			if pids := members(box.name); len(pids) > 0 {
				t.Errorf("processes %v outlive the sandbox", pids)
			}
			if _, err := os.Stat(box.disk); err == nil {
				t.Errorf("%s outlives the sandbox", box.disk)
			}
		})
	}
}

// A sandbox has no interface but lo, and files of /run and /dev/shm are its own.
func TestAlone(t *testing.T) {
	testenv.NeedRoot(t)
	links, err := net.Interfaces()
	if !testenv.HostNetwork() && (err != nil || len(links) != 1 || links[0].Name != "lo" || links[0].Flags&net.FlagUp == 0) {
		t.Errorf("interfaces %v, %v; want lo alone, and up", links, err)
	}
	for _, folder := range []string{"/run/netns", "/dev/shm", "/var/tmp"} {
		if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
			t.Errorf("%s has %v, %v; want nothing", folder, files, err)
		}
	}
}
