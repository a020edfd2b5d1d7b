package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"weir"
)

// rawFolder holds the logs that the numbers beside it were made of.
const rawFolder = "RAW"

// agreement is how far a number that was published may be from the median of its
// own log, relative; ten of which both are known differ by 0.1 % at most.
const agreement = 0.005

// netbenches are folders in the manner of github.com/ocochard/netbenches: a
// .pps file is a set, with the packets/s of one run in each line, and the names
// of the files say what was varied. Below them RAW has pkt-gen's logs of both
// ends of each run.
var netbenches = Format{
	Name: "netbenches", Summary: "folders of .pps files, a line for each run, with pkt-gen's logs in RAW: the factors are in the names of the files",
	Recognise: func(f File) bool {
		_, ok := setOf(f)
		return ok
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("netbenches", "FRMOL: of each run about the median of the packets/s that pkt-gen received in a second, at the highest load that another one could send; never a throughput, as frames were lost", files, o)
		place(&c)
		folder := filepath.Dir(files[0].Path)
		levels, factors := levelsOf(files)
		withLoss := 0
		for i, f := range files {
			read, err := f.column(1)
			if err == nil && read.unit.name != "" && read.unit.name != "frames/s" {
				err = fmt.Errorf("%s: its numbers are %s, where frames/s belong", f.Path, read.unit.said())
			}
			if err != nil {
				return weir.Campaign{}, err
			}
			name := setName(f)
			for n, v := range read.values {
				if read.unit.scale > 0 {
					v *= read.unit.scale
				}
				r := weir.Result{Claim: weir.PublishedAs("FRMOL"), Value: v, Unit: "frames/s", Factors: factorsOf(levels[i])}
				if withRaw(&c, &r, folder, fmt.Sprintf("bench.%s.%d", name, n+1)) {
					withLoss++
				}
				add(&c, armOfLevels(levels[i]), r)
			}
			if err := image(&c, folder, "bench."+name+".info"); err != nil {
				return weir.Campaign{}, err
			}
		}
		if found := summaries(folder, files); len(found) > 0 {
			note(&c, "%s: summaries of the runs beside them, which count once", strings.Join(found, ", "))
		}
		if withLoss == 0 {
			note(&c, "neither the offered load nor the loss was published")
		} else if withLoss < len(c.Results) {
			note(&c, "the offered load and the loss are known of %d of %d runs: those whose logs were published too; the others were measured in the same way, and lost frames as well", withLoss, len(c.Results))
		}
		began(&c, nil)
		finish(&c, factors...)
		if e := c.Manifest.Experiment; e != nil {
			e.Levels = make(map[string][]weir.ArmLevel)
			for _, l := range levels {
				e.Levels[armOfLevels(l)] = l
			}
		}
		return c, nil
	},
}

// setOf is the name of the set that a file holds, NAME.pps or pps.NAME, as older folders
// have it; false where it is no such file.
func setOf(f File) (string, bool) {
	if name, ok := strings.CutSuffix(f.base(), ".pps"); ok {
		return name, true
	}
	name, ok := strings.CutPrefix(f.base(), "pps.")
	return name, ok && name != "" && numbers.Recognise(f)
}

// setName is the name of the set of a file that holds one.
func setName(f File) string {
	name, _ := setOf(f)
	return name
}

// summaries are the files NAME.data of sets, which have their median, minimum and maximum.
func summaries(folder string, files []File) (found []string) {
	for _, f := range files {
		name := setName(f)
		if _, err := os.Stat(filepath.Join(folder, name+".data")); err == nil {
			found = append(found, name+".data")
		}
	}
	return found
}

// factorsOf returns levels as a result has them.
func factorsOf(levels []weir.ArmLevel) weir.Factors {
	out := weir.Factors{}
	for _, one := range levels {
		out[one.Factor] = one.Name
	}
	return out
}

// armOfLevels names the combination of levels.
func armOfLevels(levels []weir.ArmLevel) string {
	names := make([]string, len(levels))
	for i, one := range levels {
		names[i] = one.Name
	}
	return strings.Join(names, ", ")
}

// named is IMAGE.CONFIGURATION.TRAFFIC, where the image may have points.
var named = regexp.MustCompile(`^(.+)\.([^.]+)\.(inet6?|inet4)$`)

// levelsOf are the levels of each file, and the names of the factors: where all
// names are made alike, those of their three parts, and else one alone.
func levelsOf(files []File) ([][]weir.ArmLevel, []string) {
	out := make([][]weir.ArmLevel, len(files))
	for i, f := range files {
		m := named.FindStringSubmatch(setName(f))
		if m == nil {
			for j, f := range files {
				out[j] = []weir.ArmLevel{{Factor: set, Name: setName(f)}}
			}
			return out, []string{set}
		}
		out[i] = []weir.ArmLevel{{Factor: "version", Name: m[1]}, firewallOf(m[2]), {Factor: "family", Name: m[3]}}
	}
	return out, []string{"version", "firewall", "family"}
}

// firewallOf is "pf stateful" for "pf-statefull", and "none" for forwarding
// alone, which is the baseline.
func firewallOf(configuration string) weir.ArmLevel {
	l := weir.ArmLevel{Factor: "firewall", Name: configuration}
	if configuration == "forwarding" {
		l.Name = "none"
	} else if name, state, ok := strings.Cut(configuration, "-"); ok {
		state = strings.Replace(state, "statefull", "stateful", 1)
		l.Name = name + " " + state
		if kind := weir.FirewallKind(state); kind.Known() {
			l.Set = weir.ConditionOf(weir.Firewall{Kind: kind, With: name})
		}
	}
	return l
}

// withRaw adds what the logs of a run say, if there are any.
func withRaw(c *weir.Campaign, r *weir.Result, folder, stem string) bool {
	sender, sent, err := raw(folder, stem+senderLog)
	receiver, received, also := raw(folder, stem+receiverLog)
	if err := errors.Join(err, also); err != nil {
		note(c, "a log was left out: %v", err)
		return false
	}
	if !sent || !received {
		return false
	}
	for _, further := range furtherSenders {
		second, there, err := raw(folder, stem+further)
		if err != nil {
			note(c, "a log was left out, so that the load of its run is not known: %v", err)
			return false
		}
		if there {
			sender = sender.with(second)
		}
	}
	withLoad(r, sender, receiver)
	// A reader should know where the number does not follow from its own logs. It
	// is the median of not quite all of the seconds, which is not said either.
	if median := receiver.typical(); math.Abs(median-r.Value) > agreement*r.Value {
		r.Warnings = append(r.Warnings, weir.Warn(weir.NoisyResult, "%.1f frames/s were published, and the median of the receiver's log is %.1f", r.Value, median))
	}
	return true
}

// furtherSenders are the endings of the logs of generators beside the first one.
var furtherSenders = []string{".sender_2", ".sender_gen2", ".sender_gen2_2"}

// raw is a log of the folder RAW, or beside the numbers, as older folders have it; false
// where there is none.
func raw(folder, name string) (pktGenLog, bool, error) {
	for _, path := range []string{filepath.Join(folder, rawFolder, name), filepath.Join(folder, name)} {
		if _, err := os.Stat(path); err == nil {
			l, err := readPktGen(File{Path: path})
			return l, err == nil, err
		}
	}
	return pktGenLog{}, false, nil
}

// image notes which system a set was measured on.
func image(c *weir.Campaign, folder, name string) error {
	text, err := fs.ReadFile(os.DirFS(folder), rawFolder+"/"+name)
	if err != nil {
		return nil // most sets have none, and nothing depends on it
	}
	said := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		said[name] = strings.Join(strings.Fields(strings.Trim(value, `"`)), " ")
	}
	s := weir.Setting{Where: "dut", Name: "system of " + cmp.Or(said["IMAGE"], name), Value: said["UNAME"]}
	if s.Value != "" && !slices.Contains(c.Manifest.Settings, s) {
		c.Manifest.Settings = append(c.Manifest.Settings, s)
	}
	return nil
}

// place notes what the folders above say: CPU/NIC/BENCH/results/NAME.
func place(c *weir.Campaign) {
	parts := strings.Split(filepath.ToSlash(c.Manifest.Imported.Source), "/")
	i := slices.Index(parts, "results")
	if i < 3 {
		return
	}
	c.Name = strings.Join(append([]string{parts[i-1]}, parts[i+1:]...), " ") + ", netbenches"
	c.Manifest.CPUModel = strings.ReplaceAll(parts[i-3], "_", " ")
	c.Manifest.Settings = append(c.Manifest.Settings, weir.Setting{Where: "dut", Name: "interfaces", Value: strings.ReplaceAll(parts[i-2], "_", " ")})
}
