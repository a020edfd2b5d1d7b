package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// task is one of sh(1).
func task(t *testing.T, script string) Task {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "job")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return Task{Who: "me", What: "sh", Command: []string{"/bin/sh", "-c", script}, Folder: folder}
}

// add enters a task.
func add(t *testing.T, q *Queue, of Task) int {
	t.Helper()
	j, err := q.Add(of)
	if err != nil {
		t.Fatal(err)
	}
	return j.Number
}

// await returns a job as soon as it is so.
func await(t *testing.T, q *Queue, number int, is func(Job) bool) Job {
	t.Helper()
	for end := time.After(10 * time.Minute); ; {
		next := q.Next()
		if j, _ := q.Get(number); is(j) {
			return j
		}
		select {
		case <-next:
		case <-time.After(10 * time.Millisecond): // what it says is no change of its state
		case <-end:
			t.Fatalf("job %d stays %+v", number, q.All())
		}
	}
}

// start runs a queue until the test ends.
func start(t *testing.T, q *Queue) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); q.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// waits is a command that waits for a Ctrl-C, and for another one where that is to end it at once.
const waits = `echo began; read line || echo gone; echo interrupted; `

func TestOneAtATime(t *testing.T) {
	q := New()
	first, second, third := add(t, q, task(t, waits+`exit 3`)), add(t, q, task(t, `pwd; ls`)), add(t, q, task(t, `true`))
	start(t, q)
	await(t, q, first, func(j Job) bool { return strings.Contains(j.Output, "began") })
	if j, _ := q.Get(second); j.State != Waiting {
		t.Errorf("beside the first one the second one is %s", j.State)
	}
	if !q.Stop(third) {
		t.Error("one that waits cannot be stopped")
	}
	if !q.Stop(first) {
		t.Error("one that runs cannot be stopped")
	}
	j := await(t, q, first, Job.Over)
	if j.Output != "began\ninterrupted\n" || j.Failed != "exit status 3" || j.Began.IsZero() || j.Ended.Before(j.Began) {
		t.Errorf("the first one is %+v", j)
	}
	if j = await(t, q, second, Job.Over); j.Failed != "" || j.Output != j.Folder+"\n" {
		t.Errorf("the second one is %+v", j)
	}
	if _, err := os.Stat(j.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
	if j, _ = q.Get(third); j.State != Ended || !strings.Contains(j.Failed, "before it began") || j.Output != "" {
		t.Errorf("the third one is %+v", j)
	}
	if q.Stop(first) || q.Stop(99) {
		t.Error("what has ended was stopped")
	}
	if _, there := q.Get(99); there {
		t.Error("there is a job that nobody entered")
	}
}

// A second Ctrl-C comes to the command, too.
func TestStopTwice(t *testing.T) {
	q := New()
	n := add(t, q, task(t, waits+`read line && echo again`))
	start(t, q)
	await(t, q, n, func(j Job) bool { return j.State == Running && strings.Contains(j.Output, "began") })
	q.Stop(n)
	await(t, q, n, func(j Job) bool { return j.State == Stopping && strings.Contains(j.Output, "interrupted") })
	q.Stop(n)
	if j := await(t, q, n, Job.Over); !strings.HasSuffix(j.Output, "again\n") {
		t.Errorf("it is %+v", j)
	}
}

// At the end of the queue what runs is interrupted and awaited, and what waits does not begin.
func TestEnd(t *testing.T) {
	q := New()
	running, waiting := add(t, q, task(t, waits+`sleep 0.1; echo done`)), add(t, q, task(t, `true`))
	stop := start(t, q)
	await(t, q, running, func(j Job) bool { return strings.Contains(j.Output, "began") })
	stop()
	if j, _ := q.Get(running); j.Output != "began\ninterrupted\ndone\n" || !j.Over() {
		t.Errorf("what ran is %+v", j)
	}
	if j, _ := q.Get(waiting); !j.Over() || j.Failed == "" || !j.Began.IsZero() {
		t.Errorf("what waited is %+v", j)
	}
}

func TestBounds(t *testing.T) {
	q := New()
	for range mostWaiting {
		add(t, q, task(t, `yes | head -c 100000`))
	}
	if _, err := q.Add(task(t, `true`)); !errors.As(err, new(FullError)) {
		t.Errorf("one more is taken: %v", err)
	}
	start(t, q)
	if j := await(t, q, mostWaiting, Job.Over); len(j.Output) != mostOutput {
		t.Errorf("%d octets of 100000 are kept", len(j.Output))
	}
	for range mostKept {
		await(t, q, add(t, q, task(t, `true`)), Job.Over)
	}
	if n := len(q.All()); n != mostKept {
		t.Errorf("%d jobs are kept", n)
	}
}

func TestNoCommand(t *testing.T) {
	q := New()
	of := task(t, "")
	of.Command = []string{"/no/such/command"}
	n := add(t, q, of)
	start(t, q)
	if j := await(t, q, n, Job.Over); !strings.Contains(j.Failed, "no such file") {
		t.Errorf("it is %+v", j)
	}
}

func TestDo(t *testing.T) {
	if out, err := Do(t.Context(), task(t, `echo out; echo more >&2`)); err != nil || out != "out\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := Do(t.Context(), task(t, `echo why >&2; exit 1`)); err == nil || err.Error() != "why" {
		t.Errorf("it failed with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Do(ctx, task(t, `exec sleep 3600`)); err == nil {
		t.Error("it goes on when nobody waits for it")
	}
}
