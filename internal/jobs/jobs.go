// Package jobs runs commands in processes of their own, one at a time, with a short queue, and keeps
// the end of what they say. A command is one of weir's that is controlled: a line on its standard
// input, or the end of that, is a Ctrl-C to it, also where its process is another user's, which
// takes no signal from this one.
//
// It knows nothing of campaigns and requests.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"weir/internal/processes"
	"weir/internal/tail"
)

const (
	mostWaiting = 8
	mostKept    = 50       // jobs that have ended
	mostOutput  = 64 << 10 // octets that are kept of what a command says
	holdTime    = 10 * time.Second
)

// The states of jobs.
const (
	Waiting  = "waiting"
	Running  = "running"
	Stopping = "stopping"
	Ended    = "ended"
)

// A Task is a command that is to be run.
type Task struct {
	Who, What string // who has asked, and for what
	Command   []string
	Folder    string // where it runs; it is removed at the end
}

// A Job is what has become of a task.
type Job struct {
	Task
	Number              int // from 1 on
	State               string
	Asked, Began, Ended time.Time
	Failed              string // why; "": it has not, or not yet
	Output              string // the end of what it says
}

// Over reports whether a job has ended.
func (j Job) Over() bool { return j.State == Ended }

// job is one in the queue.
type job struct {
	Job
	said  tail.Tail
	input io.WriteCloser // of its process
}

// A Queue has jobs, of which one runs at a time.
type Queue struct {
	mu     sync.Mutex
	last   int
	all    []*job // the oldest first
	change chan struct{}
}

// New makes a queue. Nothing runs before Run.
func New() *Queue { return &Queue{change: make(chan struct{})} }

// FullError says that too many jobs wait.
type FullError struct{}

func (FullError) Error() string {
	return fmt.Sprintf("%d campaigns wait already: stop one, or try again later", mostWaiting)
}

// Add enters a task.
func (q *Queue) Add(t Task) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := 0
	for _, j := range q.all {
		if j.State == Waiting {
			waiting++
		}
	}
	if waiting >= mostWaiting {
		return Job{}, FullError{}
	}
	q.last++
	j := &job{Job: Job{Task: t, Number: q.last, State: Waiting, Asked: time.Now()}, said: tail.Tail{Most: mostOutput}}
	q.all = append(q.all, j)
	q.announce()
	return j.Job, nil
}

// announce wakes those who wait for a change.
func (q *Queue) announce() {
	close(q.change)
	q.change = make(chan struct{})
}

// Next returns a channel that is closed at the next change of a job's state.
func (q *Queue) Next() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.change
}

// Get returns a job by its number.
func (q *Queue) Get(number int) (Job, bool) {
	for _, j := range q.All() {
		if j.Number == number {
			return j, true
		}
	}
	return Job{}, false
}

// All returns the jobs, the newest first.
func (q *Queue) All() (out []Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range slices.Backward(q.all) {
		is := j.Job
		is.Output = j.said.String()
		out = append(out, is)
	}
	return out
}

// Stop ends a job as Ctrl-C does: a second time it ends at once. One that waits does not begin. It
// reports whether there was anything to stop.
func (q *Queue) Stop(number int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.IndexFunc(q.all, func(j *job) bool { return j.Number == number && j.State != Ended })
	if at < 0 {
		return false
	}
	j := q.all[at]
	if j.State == Waiting {
		q.end(j, errors.New("it was stopped before it began"))
		return true
	}
	j.interrupt()
	q.announce()
	return true
}

// interrupt is a Ctrl-C to the process of a job.
func (j *job) interrupt() {
	j.State = Stopping
	if j.input != nil {
		io.WriteString(j.input, "\n") // where it has ended, there is nobody to hear it
	}
}

// end notes that a job has ended, and forgets the oldest of those that have.
func (q *Queue) end(j *job, err error) {
	j.State, j.Ended, j.input = Ended, time.Now(), nil
	if err != nil {
		j.Failed = err.Error()
	}
	os.RemoveAll(j.Folder)
	ended := 0
	for _, j := range q.all {
		if j.State == Ended {
			ended++
		}
	}
	if ended > mostKept {
		at := slices.IndexFunc(q.all, func(j *job) bool { return j.State == Ended })
		q.all = slices.Delete(q.all, at, at+1)
	}
	q.announce()
}

// Run runs the jobs, until ctx ends. Then it ends the one that runs as Ctrl-C does, and waits for it;
// none begins any more.
func (q *Queue) Run(ctx context.Context) {
	for ctx.Err() == nil {
		next := q.Next()
		if j := q.begin(); j != nil {
			q.run(ctx, j)
			continue
		}
		select {
		case <-next:
		case <-ctx.Done():
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range slices.Clone(q.all) {
		if j.State == Waiting {
			q.end(j, errors.New("the server ended before it began"))
		}
	}
}

// begin takes the job that waits longest.
func (q *Queue) begin() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.IndexFunc(q.all, func(j *job) bool { return j.State == Waiting })
	if at < 0 {
		return nil
	}
	q.all[at].State, q.all[at].Began = Running, time.Now()
	q.announce()
	return q.all[at]
}

// run runs a job to its end.
func (q *Queue) run(ctx context.Context, j *job) {
	cmd := command(j.Task, &j.said, &j.said)
	input, err := cmd.StdinPipe()
	if err == nil {
		err = processes.Start(cmd)
	}
	if err == nil {
		q.mu.Lock()
		j.input = input
		if j.State == Stopping { // meanwhile
			j.interrupt()
		}
		q.mu.Unlock()
		stop := context.AfterFunc(ctx, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if j.State == Running {
				j.interrupt()
			}
		})
		err = cmd.Wait()
		stop()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(j, err)
}

// command makes the process of a task. It has a session of its own: what is typed at this terminal is
// for this process.
func command(t Task, out, errOut io.Writer) *exec.Cmd {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.Folder, out, errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = holdTime // for what it has started, and is none of it
	return cmd
}

// mostAnswer is how many octets of what a task prints are kept: all of them, where it is asked for that.
const mostAnswer = 16 << 20

// Do runs a task at once, beside the queue, and returns what it printed. The error has what it said.
func Do(ctx context.Context, t Task) (string, error) {
	defer os.RemoveAll(t.Folder)
	out, said := tail.Tail{Most: mostAnswer}, tail.Tail{Most: mostOutput}
	cmd := command(t, &out, &said)
	if err := processes.Start(cmd); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	defer stop()
	err := cmd.Wait()
	if text := strings.TrimSpace(said.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out.String(), err
}
