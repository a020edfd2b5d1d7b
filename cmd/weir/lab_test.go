//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/testenv/wires"
)

// TestLabScripts runs the whole program in labs of network namespaces.
func TestLabScripts(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	scripts, err := filepath.Glob("testdata/lab/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	// Whatever they measure, nothing of it is seen on an interface of this machine.
	watch, err := wires.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if ours, err := watch.End(); err != nil || len(ours) > 0 {
			t.Errorf("seen on interfaces of this machine: %v (%v)", ours, err)
		}
	}()
	// The scripts count labs, so one follows the other: a group ends before the
	// next one begins, although the scripts in it are parallel tests.
	for _, script := range scripts {
		t.Run("one", func(t *testing.T) {
			switch filepath.Base(script) {
			case "ports.txtar":
				testenv.NeedTool(t, "tshark")
			case "far-clocks.txtar":
				testenv.NeedTool(t, "ptp4l", "pmc")
			case "witness.txtar":
				testenv.NeedTool(t, "snmpd")
			case "ssh-logins.txtar":
				testenv.NeedTool(t, "bsd-csh", "tcsh", "fish", "bash", "mksh", "original-awk")
			}
			runLabScript(t, script)
		})
	}
}

func runLabScript(t *testing.T, script string) {
	// Labs of others are neither seen nor touched. (t.Setenv cannot be had: the
	// scripts are parallel tests.)
	run, before := t.TempDir(), os.Getenv("WEIR_RUN")
	os.Setenv("WEIR_RUN", run)
	t.Cleanup(func() {
		if _, err := testbed.Down(context.Background(), "", true); err != nil {
			t.Error(err)
		}
		os.Setenv("WEIR_RUN", before)
	})
	background := make(map[string]*running)
	left := testenv.Leftovers()
	box, err := filepath.Abs("../../examples/box/box.sh")
	if err != nil {
		t.Fatal(err)
	}
	truth, err := filepath.Abs("../truth")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: []string{script},
		Setup: func(e *testscript.Env) error {
			e.Setenv("BOX", box)
			e.Setenv("HOSTS", filepath.Join(truth, "hosts.sh"))
			e.Setenv("MACHINE", filepath.Join(truth, "machine.sh"))
			e.Setenv("WEIR_STORE", filepath.Join(e.WorkDir, "data", "weir.db"))
			e.Setenv("WEIR_RUN", run)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"newest": newest, "same": same, "zero": zero, "killed": killed, "interrupted": interruptedAfter,
			"nothingleft": func(ts *testscript.TestScript, _ bool, _ []string) { nothingLeft(ts, left) },
			"withagent":   withAgent,
			"background": func(ts *testscript.TestScript, _ bool, args []string) {
				background[args[0]] = start(ts, args[2:])
			},
			"slain": func(ts *testscript.TestScript, _ bool, args []string) {
				r := background[args[0]]
				ts.Check(syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)) // its shell and what that runs
				r.cmd.Wait()
			},
			"collect": func(ts *testscript.TestScript, _ bool, args []string) {
				r := background[args[0]]
				ts.Check(syscall.Kill(-r.cmd.Process.Pid, syscall.SIGINT)) // its shell and what that runs
				if r.cmd.Wait(); r.out.Len() == 0 {
					ts.Fatalf("%s said nothing: %v", args[0], r.cmd.ProcessState)
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), r.out.Bytes(), 0o644))
			},
		},
	})
}

type running struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// start begins a command and gives it the time to attach what it attaches.
func start(ts *testscript.TestScript, argv []string) *running {
	r := &running{cmd: command(ts, argv)}
	r.cmd.Stdout = &r.out
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ts.Check(r.cmd.Start())
	time.Sleep(300 * time.Millisecond)
	return r
}

func command(ts *testscript.TestScript, argv []string) *exec.Cmd {
	// The script's PATH has the program under test.
	path := argv[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, argv[0])); err == nil {
			path = found
			break
		}
	}
	cmd := exec.Command(path, argv[1:]...)
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "WEIR_STORE=" + ts.Getenv("WEIR_STORE"), "WEIR_RUN=" + ts.Getenv("WEIR_RUN"), "HOME=" + ts.Getenv("HOME")}
	return cmd
}

// withAgent copies weir to a folder, and builds there what it carries to a DUT of this
// system: withagent FOLDER. With the name of another system it is the program for end hosts
// of that, but built for this one: withagent FOLDER freebsd-amd64.
func withAgent(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[0])
	self, err := os.Executable()
	ts.Check(err)
	ts.Check(os.MkdirAll(folder, 0o755))
	program, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(folder, "weir"), program, 0o755))
	system, tags := runtime.GOOS+"-"+runtime.GOARCH, ""
	if len(args) > 1 {
		system, tags = args[1], "ends"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-tags", tags, "-o", filepath.Join(folder, "weir-agent-"+system), "weir/cmd/agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		ts.Fatalf("go build: %v: %s", err, said)
	}
}

// newest names the youngest lab: newest A sets A, A_T0, A_T1 and A_D0MAC.
func newest(ts *testscript.TestScript, _ bool, args []string) {
	labs, err := testbed.Labs()
	ts.Check(err)
	if len(labs) == 0 {
		ts.Fatalf("there is no lab")
	}
	e := labs[len(labs)-1]
	ts.Setenv(args[0], e.ID)
	ts.Setenv(args[0]+"_T0", e.Ports[0].Tester)
	ts.Setenv(args[0]+"_T1", e.Ports[1].Tester)
	ts.Setenv(args[0]+"_D0MAC", e.Ports[0].DUTMAC)
}

func wanted(ts *testscript.TestScript, file string) map[string]any {
	var o map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &o))
	return o
}

// same demands that two wanted are equal and not 0: same FILE KEY FILE KEY.
func same(ts *testscript.TestScript, _ bool, args []string) {
	a, b := wanted(ts, args[0])[args[1]], wanted(ts, args[2])[args[3]]
	if a != b || a == 0.0 || a == nil {
		ts.Fatalf("%s is %v, %s is %v", args[1], a, args[3], b)
	}
}

// zero demands that wanted are 0: zero FILE KEY...
func zero(ts *testscript.TestScript, _ bool, args []string) {
	o := wanted(ts, args[0])
	for _, k := range args[1:] {
		if o[k] != 0.0 {
			ts.Fatalf("%s is %v", k, o[k])
		}
	}
}

// killed starts a command, waits until it measures in a lab, and kills it.
func killed(ts *testscript.TestScript, _ bool, args []string) {
	cmd := command(ts, args)
	measuring(ts, cmd)
	time.Sleep(500 * time.Millisecond) // so that frames are under way
	ts.Check(cmd.Process.Signal(syscall.SIGKILL))
	cmd.Wait()
}

// interruptedAfter starts a command, waits until it has measured in a lab for a time,
// interrupts it as a terminal does, and keeps what it says: interrupted TIME STDOUT
// STDERR COMMAND... It has to end by itself, with the exit code for that.
func interruptedAfter(ts *testscript.TestScript, _ bool, args []string) {
	after, err := time.ParseDuration(args[0])
	ts.Check(err)
	cmd := command(ts, args[3:])
	cmd.Dir = ts.Getenv("WORK")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	measuring(ts, cmd)
	time.Sleep(after)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		ts.Fatalf("it ended with %v: %s%s", cmd.ProcessState, &out, &errOut)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), errOut.Bytes(), 0o644))
}

// measuring starts a command and waits until it measures in a lab.
func measuring(ts *testscript.TestScript, cmd *exec.Cmd) {
	ts.Check(cmd.Start())
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		labs, err := testbed.Labs()
		ts.Check(err)
		if len(labs) > 0 && labs[0].Running {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s made no lab", strings.Join(cmd.Args, " "))
		}
	}
}

// nothingLeft demands that no namespace, port or file is there that was not
// there before. The kernel takes a moment to remove them.
func nothingLeft(ts *testscript.TestScript, before []string) {
	var left []string
	for range 50 {
		left = nil
		for _, l := range testenv.Leftovers() {
			// The program under test is itself a process named weir.
			if !strings.HasPrefix(l, "process ") && !slices.Contains(before, l) {
				left = append(left, l)
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("left behind: %s", strings.Join(left, "; "))
}
