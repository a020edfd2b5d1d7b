package importer

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir"
)

// Format is a kind of files that results are published in.
type Format struct {
	Name    string
	Summary string
	// Recognise reports whether a file looks like one of them.
	Recognise func(File) bool
	// Read makes a campaign of files that belong together: the runs of one or
	// several sets. Its ID is empty and its Ended "complete".
	Read func([]File, Options) (weir.Campaign, error)
}

// Options are what the files themselves do not say.
type Options struct {
	Column int       // of plain numbers that counts, from 1; 0: the first
	Unit   string    // of plain numbers; "": frames/s of files that end in .pps, and unknown of others
	Now    time.Time // when they are imported; the zero time: now
}

// To add a format, write it in a file of its own and enter it here. The first
// that recognises a file has it, so those that look closest come first.
var formats = []Format{
	netbenches,
	pktGen,
	iperf3,
	csit,
	csitOld,
	flent,
	trex,
	netperf,
	trexConsole,
	xdpBench,
	ipgen,
	iperfText,
	numbers,
}

// Formats are those that can be read, in the order in which files are tried.
func Formats() []Format { return slices.Clone(formats) }

// names are those of the formats.
func names() []string {
	out := make([]string, len(formats))
	for i, f := range formats {
		out[i] = f.Name
	}
	return out
}

// Import reads what was published at paths: each folder that holds results is a
// campaign, and so are the files of one format that are named themselves. With
// "" each format is recognised.
//
// The errors name the file, the line where there is one, what is wrong with it,
// and what to do. Of several campaigns either all are read, or none.
func Import(format string, paths []string, o Options) ([]weir.Campaign, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if format != "" && !slices.Contains(names(), format) {
		return nil, fmt.Errorf("unknown format %q: one of %s", format, strings.Join(names(), ", "))
	}
	groups, err := sorted(format, paths)
	if err != nil {
		return nil, err
	}
	return campaigns(groups, o)
}

// Given reads what is no file, as what came through a pipe, in one of the formats
// for single files; name stands for it in what is said of it. The errors are those
// of Import.
func Given(name string, text []byte, o Options) (weir.Campaign, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if text == nil {
		text = []byte{}
	}
	groups, err := single("", []File{{Path: name, given: text}})
	if err != nil {
		return weir.Campaign{}, err
	}
	cs, err := campaigns(groups, o)
	if err != nil {
		return weir.Campaign{}, err
	}
	return cs[0], nil
}

// campaigns are those of the groups.
func campaigns(groups []group, o Options) ([]weir.Campaign, error) {
	var out []weir.Campaign
	for _, g := range groups {
		c, err := g.read(o)
		if err != nil {
			return nil, err
		}
		for i := range c.Results {
			judge(&c.Results[i], facts{})
		}
		out = append(out, c)
	}
	return out, nil
}

// group is what becomes one campaign.
type group struct {
	format Format
	files  []File
	left   []string // what lies beside them in their folder and is not read, with the reason
}

// read reads the files of a group. Those of a folder that cannot be read are named, and
// the others are read.
func (g group) read(o Options) (weir.Campaign, error) {
	c, err := g.format.Read(g.files, o)
	if err != nil && len(g.files) > 1 && g.files[0].inFolder {
		var whole []File
		for _, f := range g.files {
			if _, wrong := g.format.Read([]File{f}, o); wrong != nil {
				g.left = append(g.left, wrong.Error())
			} else {
				whole = append(whole, f)
			}
		}
		if len(whole) == 0 {
			return c, err
		}
		c, err = g.format.Read(whole, o)
	}
	if err != nil {
		return c, err
	}
	for i, left := range g.left {
		if i == mostLeft && len(g.left) > mostLeft+1 {
			note(&c, "and %d more files were left out", len(g.left)-i)
			break
		}
		note(&c, "%s%s", leftOut, left)
	}
	return c, nil
}

// leftOut begins the notes on files that were not read.
const leftOut = "left out: "

// Left returns the notes on files that were not read.
func Left(in weir.Imported) (notes []string) {
	for _, note := range in.Notes {
		if strings.HasPrefix(note, leftOut) {
			notes = append(notes, note)
		}
	}
	return notes
}

// mostLeft is how many files that are not read are named.
const mostLeft = 5

// sorted are the files at paths, by folder and format.
func sorted(format string, paths []string) ([]group, error) {
	if len(paths) == 0 {
		return nil, errors.New("there is nothing to import: name files or folders")
	}
	var out []group
	var named []File // by themselves
	for _, path := range paths {
		files, folder, err := list(path)
		if err != nil {
			return nil, err
		}
		if !folder {
			named = append(named, files...)
			continue
		}
		here, err := byFormat(format, byFolder(files))
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", path, err)
		}
		if len(here) == 0 {
			return nil, fmt.Errorf("the folder %s holds no results that weir can read; it knows %s", path, strings.Join(names(), ", "))
		}
		out = append(out, here...)
	}
	mine, err := single(format, named)
	return append(out, mine...), err
}

// single are files that were named themselves, by format. It is an error when one
// of them is in none.
func single(format string, named []File) ([]group, error) {
	out, err := byFormat(format, [][]File{named})
	if err != nil {
		return nil, err
	}
	known := 0
	for _, g := range out {
		known += len(g.files)
	}
	for i := range named {
		if _, ok := formatOf(named[i], format); !ok && known < len(named) {
			return nil, named[i].strange()
		}
		if slices.ContainsFunc(named[:i], func(f File) bool { return filepath.Clean(f.Path) == filepath.Clean(named[i].Path) }) {
			return nil, fmt.Errorf("%s is there twice: each file is read once", named[i].Path)
		}
	}
	return out, nil
}

// byFormat sorts each folder's files by their formats. What a folder holds
// beside results, such as notes, is left out; and files of plain numbers count
// only where there is nothing else, as almost anything has numbers in it.
func byFormat(format string, folders [][]File) ([]group, error) {
	var out []group
	for _, files := range folders {
		at := map[string]int{}
		var here []group
		var left []string
		for i := range files {
			f := &files[i]
			if err := f.peek(); err != nil {
				if !f.inFolder {
					return nil, err
				}
				left = append(left, err.Error())
				continue
			}
			known, ok := formatOf(*f, format)
			if !ok {
				if f.resembles() {
					left = append(left, f.strange().Error())
				}
				if f.inFolder {
					f.Head = nil
				}
				continue
			}
			if _, there := at[known.Name]; !there {
				at[known.Name] = len(here)
				here = append(here, group{format: known})
			}
			g := at[known.Name]
			taken := *f
			taken.Head = nil // which has told what it is
			if f.inFolder {
				f.Head = nil
			}
			here[g].files = append(here[g].files, taken)
		}
		if len(here) > 1 && files[0].inFolder {
			_, sets := at[netbenches.Name]
			here = slices.DeleteFunc(here, func(g group) bool {
				return g.format.Name == numbers.Name || sets && g.format.Name == pktGen.Name // the logs of the sets
			})
		}
		for i := range here {
			here[i].left = left
		}
		out = append(out, here...)
	}
	return out, nil
}

// resembles reports whether a file of a folder was meant to hold results, though it is of
// no format that weir knows: it is empty, or JSON.
func (f File) resembles() bool {
	text := bytes.TrimSpace(f.Head)
	ending := filepath.Ext(f.base())
	return len(text) == 0 && slices.Contains(resultEndings, ending) || len(text) > 0 && (text[0] == '{' || text[0] == '[') && ending == ".json"
}

// resultEndings are those of files of results.
var resultEndings = []string{".json", ".log", ".txt", ".pps", senderLog, receiverLog, ".info", ".csv", ".out"}

// formatOf is the format of a file, which is the one asked for where one is.
func formatOf(f File, asked string) (Format, bool) {
	for _, k := range formats {
		if k.Name == asked && (!f.inFolder || k.Recognise(f)) {
			return k, true
		}
		if asked == "" && k.Recognise(f) {
			return k, true
		}
	}
	return Format{}, false
}
