package browser

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weir"
	"weir/internal/serve"
	"weir/internal/sqlite"
	"weir/internal/testenv"
	"weir/internal/testenv/samples"
	"weir/internal/tokens"
)

// What makes this program a server: the store that it serves, and where.
const (
	serveStore   = "WEIR_BROWSER_STORE"
	serveAddress = "WEIR_BROWSER_ADDRESS"
	serveTokens  = "WEIR_BROWSER_TOKENS" // file of those who may do all that there is; "": nobody may do anything
)

func TestMain(m *testing.M) {
	if store := os.Getenv(serveStore); store != "" {
		if err := serveHere(store, os.Getenv(serveAddress)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if r, err := theReader(); err == nil {
		r.close()
	}
	os.Exit(code)
}

// waits and refuses stand for weir where it measures, and where it imports.
var (
	waits   = []string{"/bin/sh", "-c", "echo measures the plan; read line; echo undoes what it has changed; read line", "weir"}
	refuses = []string{"/bin/sh", "-c", "echo the file is in no format that weir knows >&2; exit 1", "weir"}
)

// serveHere serves a store until it is interrupted.
func serveHere(store, address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	on, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	o := serve.Options{Store: store, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Tokens: os.Getenv(serveTokens), Runner: waits, Weir: refuses}
	if o.Tokens != "" {
		o.Allow = actions
	}
	return serve.New(o).Serve(ctx, on)
}

// A server is a process that serves a store.
type server struct {
	t       *testing.T
	store   string
	tokens  string // file of those who may do something; ""
	address string
	process *exec.Cmd
}

// newServer starts a server of a store, at a port that was free.
func newServer(t *testing.T, store string) *server {
	t.Helper()
	return startServer(&server{t: t, store: store})
}

// actions are all that people may do but read.
var actions = []tokens.Scope{tokens.Annotate, tokens.Run, tokens.Import, tokens.Delete}

// newActing starts a server that allows all actions to those who have the token that is returned.
func newActing(t *testing.T, store string) (s *server, token string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens", "tokens.json")
	token, err := tokens.Add(file, "anna", actions)
	if err != nil {
		t.Fatal(err)
	}
	return startServer(&server{t: t, store: store, tokens: file}), token
}

func startServer(s *server) *server {
	t := s.t
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = free.Addr().String()
	free.Close()
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) site() string { return "http://" + s.address + "/" }

// start starts the process, and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	program, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.process = exec.Command(program)
	s.process.Env = append(os.Environ(), serveStore+"="+s.store, serveAddress+"="+s.address, serveTokens+"="+s.tokens, "TMPDIR="+s.t.TempDir()) // where a job of one that is killed leaves its plan
	s.process.Stdout, s.process.Stderr = s.t.Output(), s.t.Output()
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	testenv.Await(s.t, "the server answers", func() bool {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// kill ends the process as a crash does.
func (s *server) kill() {
	s.process.Process.Kill()
	s.process.Wait()
}

// record keeps a campaign in a store as if it had been measured.
func record(t *testing.T, store *sqlite.Store, c weir.Campaign) (id string) {
	t.Helper()
	ctx := context.Background()
	n, err := store.Begin(ctx, weir.Campaign{Name: c.Name, Manifest: c.Manifest})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Trials {
		if err := n.RecordTrial(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.RecordResults(ctx, c.Results); err != nil {
		t.Fatal(err)
	}
	if c.Ended != "" {
		if err := n.End(ctx, c.Ended); err != nil {
			t.Fatal(err)
		}
	}
	return n.ID()
}

// A sample is a store with campaigns of several kinds, which a server shows.
type sample struct {
	store                       string
	bench, other, study, failed string // ids: two of a bench, an experiment, and one that failed
	history                     string // path of the history of the bench, with a change in it
	live, armHistory            string // id of one that is measured, and the path of a history of an experiment; ""
}

const (
	days   = 14 // benches, one a day
	since  = 8  // the first one with another kernel, which forwards less
	markup = `<b>nightly</b> & "more"`
)

// fill makes the store.
func fill(t *testing.T) (s sample) {
	t.Helper()
	s.store = filepath.Join(t.TempDir(), "weir.db")
	store, err := sqlite.Open(t.Context(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := samples.Campaign()
	first := c.Manifest.Started
	for day := range days {
		c := samples.Campaign()
		c.Name = "nightly"
		c.Manifest.Started = first.AddDate(0, 0, day)
		factor := 1 + .01*float64(day%3)
		if day >= since {
			factor *= .8
			c.Manifest.Kernel = "6.19.0-amd64"
		}
		for i := range c.Results {
			r := &c.Results[i]
			r.Value, r.Lower, r.Upper = r.Value*factor, r.Lower*factor, r.Upper*factor
		}
		s.other, s.bench = s.bench, record(t, store, c)
	}
	s.study = record(t, store, samples.Study())
	named := samples.Doubtful(weir.StealTime, map[int][]weir.Sentence{64: {weir.Say("the hypervisor took %s", "<i>much</i>")}})
	named.Name, named.Manifest = markup, c.Manifest
	named.Manifest.Started = first.AddDate(0, 0, days)
	record(t, store, named)
	failed := samples.Further()
	failed.Name, failed.Ended, failed.Manifest.Started = "further", "failed: the DUT does not answer any more", first.AddDate(0, 0, days).Add(time.Hour)
	s.failed = record(t, store, failed)
	s.history = "history?name=nightly&dut=linux&testbed=netns&method=throughput&size=64"
	return s
}

// pages are the pages of the site, by what they are called.
func (s sample) pages() map[string]string {
	return map[string]string{
		"list": "", "filtered": "?q=nightly&state=complete&page=1", "nothing": "?q=nothing+like+it", "bench": "c/" + s.bench, "study": "c/" + s.study, "failed": "c/" + s.failed,
		"compare": strings.Join([]string{"compare?c=" + s.bench, "c=" + s.other}, "&"), "history": s.history, "changes": "changes", "error": "c/nope",
	}
}
