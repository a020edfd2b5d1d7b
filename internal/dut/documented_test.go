package dut

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir/internal/settings"
)

// documented is a BSD as its public documentation describes it. It answers questions
// from a transcript, testdata/SYSTEM/says.txt, and keeps what it is told. A command that
// is neither is an error, so that each is in a transcript.
type documented struct {
	t      *testing.T
	says   map[string]string // what commands say that are questions
	values map[string]string // sysctls, ports' lines of ifconfig, and what else was set
	told   []string
	fail   string // the change that fails
	equals string // between a sysctl's name and its value
}

// source is how each transcript begins: nothing of it was run.
var source = regexp.MustCompile(`^source: .*\(from documentation, not run here\)\n`)

// readTranscript reads a file of commands, each after "$ ", with what they say below.
func readTranscript(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !source.Match(data) {
		t.Fatalf("%s does not say where it is from", path)
	}
	says := make(map[string]string)
	command := ""
	for line := range strings.Lines(string(data)) {
		if next, ok := strings.CutPrefix(line, "$ "); ok {
			command = strings.TrimSuffix(next, "\n")
			says[command] = ""
			continue
		}
		if command != "" {
			says[command] += line
		}
	}
	return says
}

func newDocumented(t *testing.T, system string) *documented {
	d := &documented{t: t, says: readTranscript(t, filepath.Join("testdata", system, "says.txt")), values: make(map[string]string)}
	for line := range strings.Lines(d.says["sysctl -a"]) {
		w := shownSysctl.FindStringSubmatch(line)
		d.values["sysctl "+w[1]], d.equals = w[3], w[2]
	}
	for command, text := range d.says {
		if strings.HasPrefix(command, "ifconfig ") && !strings.Contains(command, "-") && len(strings.Fields(command)) == 2 {
			d.values[command] = text
		}
	}
	return d
}

func (*documented) Name() string { return "documented" }

func (d *documented) ReadFile(context.Context, string) (string, error) { return "", fs.ErrNotExist }

func (d *documented) WriteFile(_ context.Context, path, _ string) error {
	return fmt.Errorf("%s is written at a system without such files", path)
}

func (d *documented) Run(_ context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	switch {
	case strings.HasPrefix(line, "sysctl -n "):
		return d.sysctls(argv[2:])
	case strings.HasPrefix(line, "sh -c weir_id="): // settings.BootOf
		return d.says["sysctl -n kern.boottime; date +%s"], nil
	case strings.HasPrefix(line, "sh -c sysctl "): // weir's own question for several
		var out strings.Builder
		for _, name := range strings.Fields(strings.TrimSuffix(argv[2], "2>/dev/null; true"))[1:] {
			if v, ok := d.values["sysctl "+name]; ok {
				out.WriteString(name + d.equals + v + "\n")
			}
		}
		return out.String(), nil
	case d.values[line] != "" && strings.HasPrefix(line, "ifconfig "):
		return d.values[line], nil
	case asksNeighbour.MatchString(line):
		if text, there := d.values[strings.Replace(line, " -n", "", 1)]; there {
			return text, nil
		}
		return "", fmt.Errorf("%s -- no entry", argv[2])
	case strings.HasPrefix(line, "sh -n "): // a question to any shell
		return "", nil
	case line == "ipfw -S list" && d.values["ipfw /dev/stdin"] != "":
		return "00005 set 30 allow ip from any to any\n", nil
	}
	if text, ok := d.says[line]; ok {
		if strings.HasPrefix(text, "error: ") {
			return "", fmt.Errorf("%s", strings.TrimSpace(text[7:]))
		}
		return text, nil
	}
	d.told = append(d.told, "$ "+line)
	for in := range strings.Lines(stdin) {
		d.told = append(d.told, "< "+strings.TrimSuffix(in, "\n"))
	}
	if d.fail != "" && strings.Contains(line, d.fail) {
		return "", fmt.Errorf("it failed")
	}
	return "", d.obey(line, stdin)
}

var asksNeighbour = regexp.MustCompile(`^(arp|ndp) -n \S+$`)

func (d *documented) sysctls(names []string) (string, error) {
	var out []string
	for _, name := range names {
		v, ok := d.values["sysctl "+name]
		if !ok {
			return "", fmt.Errorf("unknown oid '%s'", name)
		}
		out = append(out, strings.ReplaceAll(v, `\n`, "\n"))
	}
	return strings.Join(out, "\n") + "\n", nil
}

// does are changes, and what they make of a thing: it is there, or gone.
var does = []struct {
	pattern *regexp.Regexp
	there   bool
}{
	{regexp.MustCompile(`^ifconfig (\S+ inet6? )([^/ ]+)/\d+ alias$`), true},
	{regexp.MustCompile(`^ifconfig (\S+ inet6? )([^/ ]+) -alias$`), false},
	{regexp.MustCompile(`^ifconfig (\S+ )(up)$`), true},
	{regexp.MustCompile(`^ifconfig (\S+ )down$`), false},
	{regexp.MustCompile(`^ifconfig (\S+ inet6) -ifdisabled$`), true},
	{regexp.MustCompile(`^ifconfig (\S+ inet6) ifdisabled$`), false},
	{regexp.MustCompile(`^(arp|ndp) (?:-F )?-s (\S+) [0-9a-f:]{17}(?: permanent)?$`), true},
	{regexp.MustCompile(`^(arp|ndp) -d (\S+)$`), false},
	{regexp.MustCompile(`^route -n add (-inet6? -net \S+ \S+)$`), true},
	{regexp.MustCompile(`^route -n delete (-inet6? -net \S+ \S+)$`), false},
	{regexp.MustCompile(`^(pfctl) (?:-o none )?(-a weir )?-f -$`), true},
	{regexp.MustCompile(`^(pfctl) (-a weir )?-f /dev/null$`), false},
	{regexp.MustCompile(`^(pfctl) -e$`), true},
	{regexp.MustCompile(`^(pfctl) -d$`), false},
	{regexp.MustCompile(`^ipfw -q nat (\d+) config ip \S+$`), true},
	{regexp.MustCompile(`^ipfw -q nat (\d+) delete$`), false},
	{regexp.MustCompile(`^(ipfw) -q (/dev/stdin)$`), true},
	{regexp.MustCompile(`^(ipfw) -q delete set 30$`), false},
	{regexp.MustCompile(`^(npfctl) reload /dev/stdin$`), true},
	{regexp.MustCompile(`^(npfctl) flush$`), false},
	{regexp.MustCompile(`^(npfctl st)art$`), true},
	{regexp.MustCompile(`^(npfctl st)op$`), false},
	{regexp.MustCompile(`^env WEIR_PORT0=(.*) sh -c do it$`), true},
	{regexp.MustCompile(`^env WEIR_PORT0=(.*) sh -c take it back$`), false},
}

// idle are commands that change nothing that is looked at again.
var idle = []string{"pfctl -k label -k weir"}

var (
	capabilityWord = regexp.MustCompile(`^(ifconfig \S+) (-?)(lro|tso4|tso6|polling|tcplro)$`)
	mtuWord        = regexp.MustCompile(`^(ifconfig \S+) mtu (\d+)$`)
	shownMTU       = regexp.MustCompile(`\bmtu \d+`)
)

// shownSysctl is a line of sysctl -a: "name: value", "name=value" or "name = value".
var shownSysctl = regexp.MustCompile(`^([\w.%]+)(: | = |=)(.*)\n`)

// shownList is the line of ifconfig that lists capabilities: the last of these.
var shownList = regexp.MustCompile(`(?m)^(?:\S+: flags|\s+options|\s+enabled)=[0-9a-fx]+<([^>]*)>`)

// listed is what ifconfig says with a word among those of its list, or without it, in
// the order that they had at first.
func listed(first, now, word string, there bool) string {
	all := shownList.FindAllStringSubmatchIndex(now, -1)
	at := all[len(all)-1]
	words := strings.Split(now[at[2]:at[3]], ",")
	words = slices.DeleteFunc(words, func(w string) bool { return w == word })
	if there {
		words = append(words, word)
	}
	slices.SortStableFunc(words, func(a, b string) int { return strings.Index(first, a) - strings.Index(first, b) })
	return now[:at[2]] + strings.Join(words, ",") + now[at[3]:]
}

// obey does what the manuals say that a command does.
func (d *documented) obey(line, stdin string) error {
	if name, v, ok := strings.Cut(strings.TrimPrefix(line, "sysctl -w "), "="); ok && strings.HasPrefix(line, "sysctl -w ") {
		d.values["sysctl "+name] = v
		return nil
	}
	if w := mtuWord.FindStringSubmatch(line); w != nil {
		d.values[w[1]] = shownMTU.ReplaceAllString(d.values[w[1]], "mtu "+w[2])
		return nil
	}
	if w := capabilityWord.FindStringSubmatch(line); w != nil {
		d.values[w[1]] = listed(d.says[w[1]], d.values[w[1]], settings.CapabilityWord(w[3]), w[2] == "")
		return nil
	}
	if forced, ok := strings.CutPrefix(line, "arp -F -s "); ok {
		delete(d.values, "arp "+strings.Fields(forced)[0])
	}
	if rest, ok := strings.CutPrefix(line, "sh -c "+afresh+" sh "); ok {
		line = rest
		delete(d.values, strings.Fields(line)[0]+" "+strings.Fields(line)[2])
	}
	for _, do := range does {
		found := do.pattern.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		key := strings.Join(found[1:], " ")
		if key == "pfctl" {
			key = "pfctl is on"
		}
		if strings.HasPrefix(line, "pfctl") && strings.Contains(line, " -f ") {
			key = "pfctl rules" + found[2]
		}
		if strings.HasPrefix(line, "ipfw -q delete") {
			key = "ipfw /dev/stdin"
		}
		if strings.HasSuffix(line, " down") {
			key = found[1] + " up"
		}
		if _, there := d.values[key]; there == do.there {
			return fmt.Errorf("%s: it is so already", line)
		}
		if do.there {
			d.values[key] = "yes " + stdin
		} else {
			delete(d.values, key)
		}
		return nil
	}
	if slices.Contains(idle, line) {
		return nil
	}
	return fmt.Errorf("%q is in no transcript", line)
}

// script is what was told since the last time.
func (d *documented) script() string {
	told := strings.Join(d.told, "\n")
	d.told = nil
	if told == "" {
		return ""
	}
	return told + "\n"
}
