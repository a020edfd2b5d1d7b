package plan

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"weir"
	"weir/internal/visible"
)

//go:embed bench.yaml
var benchPlan []byte

//go:embed quick.yaml
var quickPlan []byte

// Bench is the plan behind "weir bench": sweeps over frame sizes and a mix, in
// rounds, and then what a stateful firewall costs. It is a plan like any other,
// and fits a minute; the quick one a quarter of that.
func Bench(quick bool) Plan {
	if quick {
		return own("quick.yaml", quickPlan)
	}
	return own("bench.yaml", benchPlan)
}

//go:embed tcp.yaml
var tcpPlan []byte

// TCP is the plan behind "weir tcp": a stream in each direction.
func TCP() Plan { return own("tcp.yaml", tcpPlan) }

// AtPorts is a plan of weir's own for a box behind ports, a router (layer 3) or a switch (layer 2):
// without what weir would have to set there. It is a weir.Problems where they are none of a
// testbed.
func (p Plan) AtPorts(ports []string, layer int) (Plan, error) {
	text, _, _ := strings.Cut(string(p.Text), "\nthen:")
	quoted := make([]string, len(ports))
	for i, port := range ports {
		quoted[i] = strconv.Quote(port)
	}
	at := fmt.Sprintf("testbed: {kind: ports, ports: [%s]}\ndut: {layer: %d}", strings.Join(quoted, ", "), layer)
	text = strings.Replace(text, "testbed: {kind: netns}", at, 1)
	_, rest, _ := strings.Cut(text, "\nname:") // what precedes is about the kernel
	return Parse(p.Name, []byte("# What \""+p.Name+" --ports\" measures: a box behind two ports.\nname:"+rest+"\n"))
}

// own is a plan of weir's own.
func own(name string, text []byte) Plan {
	p, err := Parse(name, text)
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return p
}

// Versus is what is asked of two DUTs side by side, each of which the user sets up:
// "weir versus".
type Versus struct {
	Name       string        // of the campaign
	Method     string        // one of VersusMethods
	Arms       [2]string     // command lines
	Foreground bool          // whether they stay, and are what forwards
	Size       string        // of the frames
	Runs       int           // builds
	Within     time.Duration // for the windows of each, or its search
}

// VersusLatency is the method of VersusMethods whose plan is that of "saturated": its result has
// the latency, too.
const VersusLatency = "latency"

// versusMethods is the table of what two DUTs can be asked for, the usual first, and with which
// step of a plan.
var versusMethods = []struct {
	name string
	step func(Versus) yaml.MapSlice
}{
	{saturatedName, Versus.saturated},
	{VersusLatency, Versus.saturated},
	{"throughput", func(v Versus) yaml.MapSlice {
		return yaml.MapSlice{{Key: "method", Value: "throughput"}, {Key: "trial", Value: "200ms"}, {Key: "within", Value: v.Within.String()}}
	}},
	{"tcp", func(Versus) yaml.MapSlice {
		return yaml.MapSlice{{Key: "method", Value: "tcp"}, {Key: "trial", Value: "2s"}, {Key: "warm_up", Value: "500ms"}}
	}},
}

// saturatedName is the method that measures DUTs side by side.
const saturatedName = "saturated"

func (v Versus) saturated() yaml.MapSlice {
	return yaml.MapSlice{{Key: "method", Value: saturatedName}, {Key: "within", Value: v.Within.String()}}
}

// VersusMethods returns the names of what two DUTs can be asked for, the usual first.
func VersusMethods() (names []string) {
	for _, m := range versusMethods {
		names = append(names, m.name)
	}
	return names
}

// Text is the plan that answers it. It is a plan like any other.
func (v Versus) Text() ([]byte, error) {
	var levels []yaml.MapSlice
	for i, name := range []string{"A", "B"} {
		line := v.Arms[i]
		if v.Foreground {
			levels = append(levels, yaml.MapSlice{{Key: "name", Value: name}, {Key: "run", Value: line}})
			continue
		}
		levels = append(levels, yaml.MapSlice{{Key: "name", Value: name}, {Key: "do", Value: line}, {Key: "undo", Value: "true"}}) // each is built anew
	}
	factor := commandName
	if v.Foreground {
		factor = programName
	}
	at := slices.Index(VersusMethods(), v.Method)
	if at < 0 {
		return nil, fmt.Errorf("unknown method %q: one of %s", v.Method, strings.Join(VersusMethods(), ", "))
	}
	step := versusMethods[at].step(v)
	order, text := weir.Abreast, yaml.MapSlice{
		{Key: "name", Value: v.Name},
		{Key: "testbed", Value: yaml.MapSlice{{Key: "kind", Value: NetNS}}},
	}
	if step[0].Value != saturatedName {
		order = weir.Blocks
	}
	if v.Method != "tcp" { // streams have frames as large as they like
		text = append(text, yaml.MapItem{Key: "traffic", Value: yaml.MapSlice{{Key: "sizes", Value: []string{v.Size}}}})
	}
	return yaml.Marshal(append(text, yaml.MapSlice{
		{Key: "factors", Value: yaml.MapSlice{{Key: factor, Value: levels}}},
		{Key: "methods", Value: []yaml.MapSlice{step}},
		{Key: "runs", Value: yaml.MapSlice{{Key: "count", Value: v.Runs}, {Key: "order", Value: string(order)}}},
		{Key: "waits", Value: yaml.MapSlice{{Key: "residual", Value: "10ms"}}},
	}...))
}

// VersusName is what a campaign of two arms is called that nobody names: by its arms, files by
// their names.
func VersusName(arms [2]string) string {
	var names [2]string
	for i, arm := range arms {
		name := visible.Line(strings.Join(strings.Fields(arm), " "))
		if info, err := os.Stat(arm); err == nil && info.Mode().IsRegular() {
			name = visible.Line(filepath.Base(arm))
		}
		if letters := []rune(name); len(letters) > longestArm {
			name = strings.TrimSpace(string(letters[:longestArm-3])) + "..."
		}
		names[i] = cmp.Or(name, plainLevel)
	}
	return names[0] + " vs " + names[1]
}

// longestArm is how much of an arm the name of a campaign has, in characters.
const longestArm = 40

// SetUp is the command line of an arm: itself, or that for a file. One that stays in
// the foreground and does nothing leaves the forwarding to the kernel.
func SetUp(arm string, foreground bool) (string, error) {
	switch {
	case strings.TrimSpace(arm) == "" && foreground:
		return "exec sleep infinity", nil
	case strings.TrimSpace(arm) == "":
		return "true", nil
	}
	info, err := os.Stat(arm)
	if err != nil || !info.Mode().IsRegular() {
		if filepath.Ext(arm) == ".nft" && !strings.ContainsAny(arm, " \t\n") {
			return "", fmt.Errorf("there is no rule set %s: give a file that is there, or a command", arm)
		}
		return arm, nil
	}
	path, err := filepath.Abs(arm)
	if err != nil {
		return "", err
	}
	quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	switch {
	case filepath.Ext(path) == ".nft":
		return "nft -f " + quoted, nil
	case info.Mode()&0o111 != 0:
		return quoted, nil
	}
	return "sh " + quoted, nil
}
