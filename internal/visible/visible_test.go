package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"64 octets, größer – 速い": "64 octets, größer – 速い",
		"a\nb\tc\r":              `a\nb\tc\u000d`,
		"\x1b[2Jgone":            `\u001b[2Jgone`,
		"del \x7f c1 \u009b":     `del \u007f c1 \u009b`,
		"\u202egnp.exe":          `\u202egnp.exe`,
		"\xff\xfe half \xe2\x82": `\xff\xfe half \xe2\x82`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := Text("two\n\tlines\x00"); got != "two\n\tlines\\u0000" {
		t.Errorf("%q", got)
	}
}

func TestWriter(t *testing.T) {
	var b strings.Builder
	w := Writer(&b)
	for _, part := range []string{"\x1b]0;title\a", "gr\xc3", "\xb6ßer\n", "\xe2", "\x82", "\xac", ""} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if got, want := b.String(), `\u001b]0;title\u0007größer`+"\n€"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBrief(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for text, want := range map[string]string{
		"short":                               "short",
		`a "` + long + `" b`:                  `a "` + long[:199] + `... (1002 characters) b`,
		`a "` + long[:190] + `"`:              `a "` + long[:190] + `"`,
		long + " b\n" + long[:300]:            long[:400] + "... (1001 characters)b\n" + long[:300],
		`an open "` + long:                    `an open "` + long[:399] + "... (1001 characters)",
		`"` + strings.Repeat(`\"`, 300) + `"`: `"` + strings.Repeat(`\"`, 99) + `\... (602 characters)`,
	} {
		if got := Brief(text); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", text, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[31m\xff\u202e\n")
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q becomes %q", s, line)
		}
		if Line(line) != line {
			t.Errorf("%q is no text that is shown as it is", line)
		}
		var b strings.Builder
		w := Writer(&b)
		for i := range len(s) {
			w.Write([]byte(s[i : i+1]))
		}
		if got := b.String(); !strings.HasPrefix(Text(s), got) {
			t.Errorf("octet by octet %q becomes %q, not %q", s, got, Text(s))
		}
	})
}
