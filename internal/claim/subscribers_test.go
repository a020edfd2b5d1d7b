package claim

import (
	"strings"
	"testing"
	"time"

	"weir"
)

// What subscribers lose is told beside the name of a result, which does not depend on it;
// that they were held for a moment alone is a part of it.
func TestSubscribers(t *testing.T) {
	for method, figures := range map[string][]string{
		"pppoe-setup": {weir.SessionsFailed, weir.SessionsLost, weir.SessionsLeft, weir.KeepAlivesMissed},
		"pppoe-flood": {weir.SessionsFailed, weir.SessionsLost, weir.SessionDatagramsLost, weir.KeepAlivesMissed},
	} {
		for _, figure := range figures {
			e := book(method)
			whole := checked(e.Result, e.trials).Name
			last := &e.trials[len(e.trials)-1]
			last.Transferred.Figures = append(last.Transferred.Figures, weir.Figure{Name: figure, Value: 3})
			c := checked(e.Result, e.trials)
			told := 0
			for _, d := range c.Demands {
				if d.Found == "3 "+figure && !d.Kept {
					told++
				}
			}
			if told != 1 || c.Name != whole {
				t.Errorf("%s: 3 %s: %q, told %d times: %+v", method, figure, c.Name, told, c.Demands)
			}
		}
		slow := book("pppoe-flood")
		slow.trials[0].Trial.Transfer.Flood = 1000
		slow.trials[0].Transferred.Figures = append(slow.trials[0].Transferred.Figures, weir.Figure{Name: weir.FloodRate, Value: 900})
		if c := checked(slow.Result, slow.trials); c.Demands[len(c.Demands)-1].Kept || c.Demands[len(c.Demands)-1].Found != "900 of 1000 came" {
			t.Errorf("a flood that is slow: %+v", c.Demands)
		}
		e := book(method)
		last := &e.trials[len(e.trials)-1]
		last.Trial.Duration, last.Sending = 2*time.Second, 2*time.Second
		if c := checked(e.Result, e.trials); !strings.HasSuffix(c.Name, ", short trials") {
			t.Errorf("%s of 2 s is called %q", method, c.Name)
		}
	}
}
