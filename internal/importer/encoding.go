package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
)

// markUTF8 is the byte order mark that some editors put before a text.
var markUTF8 = []byte("\ufeff")

// decoded returns the text of a reader as UTF-8 without a mark: as it is, or from
// UTF-16, which other systems write, with a mark or without.
func decoded(r *bufio.Reader) (io.Reader, error) {
	head, _ := r.Peek(64) // fewer where there are fewer; an error comes again when it is read
	if bytes.HasPrefix(head, markUTF8) {
		_, err := r.Discard(len(markUTF8))
		return r, err
	}
	order, marked := orderOf(head)
	if order == nil {
		return r, nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if marked {
		text = text[2:]
	}
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return bytes.NewReader([]byte(string(utf16.Decode(units)))), nil
}

// orderOf returns the byte order of UTF-16, and whether a mark says it; nil: it is none.
// Without a mark, each second octet of what is ASCII is 0.
func orderOf(head []byte) (binary.ByteOrder, bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return binary.LittleEndian, true
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return binary.BigEndian, true
	}
	zeros := [2]int{}
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half > 1 && zeros[0] == 0 && zeros[1] >= half-half/8:
		return binary.LittleEndian, false
	case half > 1 && zeros[1] == 0 && zeros[0] >= half-half/8:
		return binary.BigEndian, false
	}
	return nil, false
}
