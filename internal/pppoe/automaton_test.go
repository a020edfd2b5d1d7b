package pppoe

import (
	"strconv"
	"strings"
	"testing"
)

// table is section 4.1 of RFC 1661, its two halves side by side, without the
// letters that stand for options.
const table = `
Up    2          irc,scr/6  -      -              -      -      -           -           -           -
Down  -          -          0      tls/1          0      1      1           1           1           tld/1
Open  tls/1      1          irc,scr/6 3           5      5      6           7           8           9
Close 0          tlf/0      2      2              4      4      irc,str/4   irc,str/4   irc,str/4   tld,irc,str/4
TO+   -          -          -      -              str/4  str/5  scr/6       scr/6       scr/8       -
TO-   -          -          -      -              tlf/2  tlf/3  tlf/3       tlf/3       tlf/3       -
RCR+  -          -          sta/2  irc,scr,sca/8  4      5      sca/8       sca,tlu/9   sca/8       tld,scr,sca/8
RCR-  -          -          sta/2  irc,scr,scn/6  4      5      scn/6       scn/7       scn/6       tld,scr,scn/6
RCA   -          -          sta/2  sta/3          4      5      irc/7       scr/6       irc,tlu/9   tld,scr/6
RCN   -          -          sta/2  sta/3          4      5      irc,scr/6   scr/6       irc,scr/8   tld,scr/6
RTR   -          -          sta/2  sta/3          sta/4  sta/5  sta/6       sta/6       sta/6       tld,zrc,sta/5
RTA   -          -          2      3              tlf/2  tlf/3  6           6           8           tld,scr/6
RUC   -          -          scj/2  scj/3          scj/4  scj/5  scj/6       scj/7       scj/8       scj/9
RXJ+  -          -          2      3              4      5      6           6           8           9
RXJ-  -          -          tlf/2  tlf/3          tlf/2  tlf/3  tlf/3       tlf/3       tlf/3       tld,irc,str/5
RXR   -          -          2      3              4      5      6           7           8           ser/9
`

func TestTransitions(t *testing.T) {
	names := map[string]action{"tld": tld, "irc": irc, "zrc": zrc, "scr": scr, "sca": sca, "scn": scn, "str": str,
		"sta": sta, "scj": scj, "ser": ser, "tlu": tlu, "tls": tls, "tlf": tlf}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) != len(transitions) {
		t.Fatalf("%d events, of %d", len(transitions), len(rows))
	}
	for e, row := range rows {
		cells := strings.Fields(row)
		for s, cell := range cells[1:] {
			want := never
			if cell != "-" {
				actions, next, both := strings.Cut(cell, "/")
				if !both {
					actions, next = "", cell
				}
				n, err := strconv.Atoi(next)
				if err != nil {
					t.Fatal(err)
				}
				want = transition{next: State(n)}
				for name := range strings.SplitSeq(actions, ",") {
					want.actions |= names[name]
				}
			}
			if got := transitions[e][s]; got != want {
				t.Errorf("%s in state %d: %+v, RFC 1661 has %s", cells[0], s, got, cell)
			}
			// The restart timer runs where there are TO events.
			if timeout := transitions[evTimeout][s] != never; timeout != State(s).timed() {
				t.Errorf("state %d: the timer runs: %v", s, State(s).timed())
			}
		}
	}
}
