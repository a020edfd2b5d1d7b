// Command disturb takes 2 ms of every 20 ms of each CPU until it is stopped, as
// the work of others on a shared machine does. Tests of the lab must pass beside
// it. With a command it ends with that, and with its exit code:
//
//	go -C tools run ./disturb go -C .. test -count=1 -p 1 ./internal/tester
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	takes = 2 * time.Millisecond
	every = 20 * time.Millisecond
)

func main() {
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpus); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var loops int
	for cpu := 0; loops < cpus.Count(); cpu++ {
		if cpus.IsSet(cpu) {
			go spin(cpu)
			loops++
		}
	}
	if len(os.Args) == 1 {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt, unix.SIGTERM)
		<-stop
		return
	}
	os.Exit(beside(os.Args[1:]))
}

// spin takes time of one CPU, for ever.
func spin(cpu int) {
	runtime.LockOSThread()
	var one unix.CPUSet
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for next := time.Now(); ; next = next.Add(every) {
		time.Sleep(time.Until(next))
		for began := time.Now(); time.Since(began) < takes; {
		}
	}
}

// beside runs a command and returns its exit code. A terminal's Ctrl-C is told
// to the command too, whose end this one waits for.
func beside(argv []string) int {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
