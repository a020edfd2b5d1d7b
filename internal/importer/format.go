package importer

import (
	"errors"
	"fmt"
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
	trex,
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
		c, err := g.format.Read(g.files, o)
		if err != nil {
			return nil, err
		}
		doubt(&c)
		out = append(out, c)
	}
	return out, nil
}

// group is what becomes one campaign.
type group struct {
	format Format
	files  []File
}

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
	if known < len(named) {
		for i := range named {
			if _, ok := formatOf(named[i], format); !ok {
				return nil, named[i].strange()
			}
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
		for i := range files {
			f := &files[i]
			if err := f.peek(); err != nil {
				return nil, err
			}
			known, ok := formatOf(*f, format)
			if !ok {
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
			here = slices.DeleteFunc(here, func(g group) bool { return g.format.Name == numbers.Name })
		}
		out = append(out, here...)
	}
	return out, nil
}

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
