package telemetry

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"weir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// replayed is a host that says what a transcript has: files by their paths, and
// commands by their words after a $. What begins with both: is so all the time,
// the rest before a trial or after it.
type replayed struct {
	weir.Host
	archive *txtar.Archive
	now     string // "before:" or "after:"
	ran     *[]string
}

func (r replayed) find(name string) (string, bool) {
	for _, f := range r.archive.Files {
		if f.Name == r.now+name || f.Name == "both:"+name {
			return string(f.Data), true
		}
	}
	return "", false
}

func (r replayed) ReadFile(_ context.Context, path string) (string, error) {
	if text, ok := r.find(path); ok {
		return text, nil
	}
	return "", os.ErrNotExist
}

func (r replayed) Run(_ context.Context, _ string, argv ...string) (string, error) {
	*r.ran = append(*r.ran, argv[0])
	if argv[0] == "sh" { // asks for what there is
		var out strings.Builder
		for _, pattern := range argv[4:] {
			for _, p := range r.paths() {
				if ok, err := path.Match(pattern, p); ok && err == nil {
					fmt.Fprintf(&out, "%s %s\n", pattern, p)
				}
			}
		}
		return out.String(), nil
	}
	if text, ok := r.find("$ " + strings.Join(argv, " ")); ok {
		return text, nil
	}
	return "", fmt.Errorf("%s: not found", argv[0])
}

// paths are the files of the transcript, and the folders that they are in.
func (r replayed) paths() (out []string) {
	for _, f := range r.archive.Files {
		_, p, _ := strings.Cut(f.Name, ":")
		for ; strings.HasPrefix(p, "/") && len(p) > 1; p = p[:strings.LastIndex(p, "/")] {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}

// subject is what the comment of a transcript asks for: "ports eth0 eth1",
// "cpus 0 1", "threads 812".
func subject(t *testing.T, comment string) (s Subject) {
	for line := range strings.Lines(comment) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		for _, word := range f[1:] {
			n, err := strconv.Atoi(word)
			switch {
			case f[0] == "ports":
				s.Ports = append(s.Ports, weir.Port{DUT: word})
			case f[0] == "cpus" && err == nil:
				s.CPUs = append(s.CPUs, n)
			case f[0] == "threads" && err == nil:
				s.Threads = append(s.Threads, n)
			case f[0] != "#":
				t.Fatalf("the transcript begins with %q", line)
			}
		}
	}
	return s
}

// Every transcript gives the readings that are at its end.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := subject(t, string(archive.Comment))
		var ran []string
		host := replayed{archive: archive, now: "before:", ran: &ran}
		m := NewMeter(host)
		before, err := m.Read(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		again := len(ran)
		host.now = "after:"
		m.host = host
		after, err := m.Read(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if slices.Contains(ran[again:], "sh") {
			t.Errorf("%s: it looked twice for what there is", file)
		}
		var got strings.Builder
		for _, r := range after.Since(before) {
			seen[r.Source] = true
			fmt.Fprintf(&got, "%s: %s %.6g %s\n", r.Source, r.Name, r.Value, r.Unit)
		}
		last := &archive.Files[len(archive.Files)-1]
		if last.Name != "readings" {
			t.Fatalf("%s does not end with its readings", file)
		}
		if *update {
			last.Data = []byte(got.String())
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(string(last.Data), got.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
	for _, s := range Sources() {
		if s.Name == "" || s.Summary == "" || !seen[s.Name] {
			t.Errorf("no transcript has a reading of %q", s.Name)
		}
	}
}

// A machine that has nothing of all this is no error, nor is one whose files
// cannot be read; texts that the kernel does not write are.
func TestReadAtTheEdges(t *testing.T) {
	s := Subject{Ports: []weir.Port{{DUT: "eth0"}}, Threads: []int{7}}
	for name, c := range map[string]struct{ files, want string }{
		"nothing":         {"", ""},
		"empty files":     {"-- both:/proc/stat --\n-- both:/proc/interrupts --\n-- both:/proc/net/snmp --\n", ""},
		"CPU":             {"-- both:/proc/stat --\ncpu0 1 2 x\n", `cpu: /proc/stat has the line "cpu0 1 2 x"`},
		"switches":        {"-- both:/proc/stat --\nctxt many\n", `scheduler: /proc/stat has the line "ctxt many"`},
		"softnet":         {"-- both:/proc/net/softnet_stat --\n0001\n", `softnet: /proc/net/softnet_stat has the line "0001"`},
		"softnet words":   {"-- both:/proc/net/softnet_stat --\n1 2 three\n", `softnet: /proc/net/softnet_stat has the line "1 2 three"`},
		"interrupts":      {"-- both:/proc/interrupts --\nNMI: 1\n", `interrupts: /proc/interrupts begins with "NMI: 1"`},
		"softirqs":        {"-- both:/proc/softirqs --\nHI: 1\n", `interrupts: /proc/softirqs begins with "HI: 1"`},
		"port":            {"-- both:/proc/net/dev --\n eth0: 1 2 3\n", `ports: /proc/net/dev has the line "eth0: 1 2 3"`},
		"other port":      {"-- both:/proc/net/dev --\n eth00: 1 2 3\n", ""},
		"values":          {"-- both:/proc/net/snmp --\nIp: A B\nIp: 1\n", `ip: /proc/net/snmp: the values of Ip do not fit their names: "1"`},
		"values of IPv6":  {"-- both:/proc/net/snmp6 --\nIp6InReceives many\n", `ip: /proc/net/snmp6: the line "Ip6InReceives many"`},
		"connections":     {"-- both:/proc/sys/net/netfilter/nf_conntrack_count --\n1\n-- both:/proc/net/stat/nf_conntrack --\nentries drop\n1\n", `conntrack: /proc/net/stat/nf_conntrack has the line "1"`},
		"memory":          {"-- both:/proc/meminfo --\nSlab: 1 MB\n", `memory: /proc/meminfo has the line "Slab: 1 MB"`},
		"clock":           {"-- both:/proc/cpuinfo --\nprocessor : 0\ncpu MHz : fast\n", `frequency: /proc/cpuinfo has the line "cpu MHz : fast"`},
		"number of a CPU": {"-- both:/proc/cpuinfo --\nprocessor : none\n", `frequency: /proc/cpuinfo has the line "processor : none"`},
		"thread":          {"-- both:/proc/7/schedstat --\n1\n", `threads: /proc/7/schedstat is "1"`},
		"two of them": {"-- both:/proc/meminfo --\nSlab: 1 MB\n-- both:/proc/stat --\nctxt many\n",
			"scheduler: /proc/stat has the line \"ctxt many\"\nmemory: /proc/meminfo has the line \"Slab: 1 MB\""},
	} {
		m := NewMeter(replayed{archive: txtar.Parse([]byte(c.files)), ran: new([]string)})
		snap, err := m.Read(t.Context(), s)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && got != c.want {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if r := snap.Since(snap); len(r) != 0 {
			t.Errorf("%s: %v", name, r)
		}
	}
}
