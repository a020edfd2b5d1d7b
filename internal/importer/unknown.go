package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A look is how files of a kind begin that weir does not read.
type look struct {
	begins string // one of these, divided by bars
	is     string // what it is
	do     string // what to do; "": there is nothing to do
}

// What is said of captures of both kinds.
const (
	captured = "a capture of frames (pcap)"
	sendIt   = "a plan sends its frames: docs/plans.md, replay"
)

// looks are the kinds that people name by mistake.
var looks = []look{
	{"PK\x03\x04", "a ZIP archive", "unpack it, and name its files or folder"},
	{"\xfd7zXZ\x00", "packed with xz", "unpack it: xz -d"},
	{"\x28\xb5\x2f\xfd", "packed with zstd", "unpack it: zstd -d"},
	{"BZh", "packed with bzip2", "unpack it: bzip2 -d"},
	{"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\xa1\xb2\x3c\x4d", captured, sendIt},
	{"%PDF", "a PDF", ""},
	{"\x89PNG|\xff\xd8\xff|GIF8", "a picture", ""},
	{"\x7fELF", "a program", ""},
	{"SQLite format 3", "a database of SQLite", "a store of weir is named with --db"},
	{"<!doctype html|<html|<head|<body|<!DOCTYPE html|<HTML|<!DOCTYPE HTML", "HTML, a page of a site", "save the file itself, and not the page that shows it"},
	{"<?xml|<svg", "XML", ""},
}

// pcapng is how such a capture begins (its block type is LF CR CR LF, which is read as three ends
// of lines; then a length and a number that tells the order of octets).
var pcapng = regexp.MustCompile(`(?s)^\n\n\n.{3,4}(?:M<\+\x1a|\x1a\+<M)`)

// commas are between the columns of a table, in its first two lines.
var commas = regexp.MustCompile(`^[^,;\n]*[A-Za-z][^,;\n]*(?:[,;][^,;\n]*){2,}\n[^,;\n]*(?:[,;][^,;\n]*){2,}`)

// looksLike is the kind of files that a file begins as.
func (f File) looksLike() (look, bool) {
	head := string(f.Head)
	for _, l := range looks {
		for _, begin := range strings.Split(l.begins, "|") {
			if strings.HasPrefix(head, begin) || begin[0] == '<' && strings.HasPrefix(strings.TrimSpace(head), begin) {
				return l, true
			}
		}
	}
	if pcapng.MatchString(head) {
		return look{is: captured, do: sendIt}, true
	}
	if commas.MatchString(head) {
		return look{is: "a table with commas", do: "take a column of numbers out of it, one a line: cut -d, -f2"}, true
	}
	return look{}, false
}

// strange is what a file of no known format, whose beginning was read, looks like:
// whoever names a file for a comparison mostly means one of numbers.
func (f File) strange() error {
	if len(bytes.TrimSpace(f.Head)) == 0 {
		return fmt.Errorf("%s is empty: a file of numbers has one a line", f.Path)
	}
	known := "weir reads " + strings.Join(names(), ", ")
	if l, ok := f.looksLike(); ok {
		do := ""
		if l.do != "" {
			do = "; " + l.do
		}
		return fmt.Errorf("%s is %s, which holds no results that weir can read%s (%s)", f.Path, l.is, do, known)
	}
	if bytes.IndexByte(f.Head, 0) >= 0 {
		return fmt.Errorf("%s is no text: it has octets that are 0 (%s)", f.Path, known)
	}
	if c := bytes.TrimSpace(f.Head)[0]; c == '{' || c == '[' {
		return f.strangeJSON(known)
	}
	n := 0
	for line := range strings.Lines(string(f.Head)) {
		n++
		word := field(line, 1)
		if word == "" {
			continue
		}
		hint := advice(word)
		if hint == "" {
			hint = "; put a # before a line of words"
		}
		return fmt.Errorf("%s:%d: %q is no number, and no format that weir knows begins like this (%s): a file of numbers has one a line%s",
			f.Path, n, shortened(word), strings.Join(names(), ", "), hint)
	}
	return fmt.Errorf("%s holds remarks alone, and no number: a file of numbers has one a line", f.Path)
}

// strangeJSON is what is wrong with JSON of a kind that is not known: its own fault where
// it has one, and else its keys.
func (f File) strangeJSON(known string) error {
	text, err := f.text()
	if err != nil {
		return err
	}
	plain, _ := nulled(text)
	d := json.NewDecoder(bytes.NewReader(plain))
	var whole json.RawMessage
	if err := d.Decode(&whole); err != nil {
		return f.faulty(plain, 0, err)
	}
	keys := keysOf(whole)
	of := "an array without objects"
	if len(keys) > 0 {
		of = "its keys: " + strings.Join(keys, ", ")
	}
	return fmt.Errorf("%s is JSON of a kind that weir does not know (%s); %s", f.Path, of, known)
}

// mostKeys is how many keys of strange JSON a message has.
const mostKeys = 6

// keysOf are the keys of an object, or of the first one of an array, in their order.
func keysOf(value json.RawMessage) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	first, err := d.Token()
	if err != nil {
		return nil
	}
	if first == json.Delim('[') {
		var one json.RawMessage
		if !d.More() || d.Decode(&one) != nil || len(one) == 0 || one[0] != '{' {
			return nil
		}
		return keysOf(one)
	}
	for d.More() {
		key, err := d.Token()
		var of json.RawMessage
		if err != nil || d.Decode(&of) != nil {
			return keys
		}
		if len(keys) == mostKeys {
			return append(keys, "...")
		}
		keys = append(keys, shortened(fmt.Sprint(key)))
	}
	return keys
}
