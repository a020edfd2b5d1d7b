package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/campaign"
	"weir/internal/lab"
	"weir/internal/plan"
	"weir/internal/sqlite"
)

// small is a plan of some trials on the simulated router.
const small = `name: live
testbed: {kind: sim}
traffic: {sizes: [64, 1518]}
methods: [{method: throughput, trial: 20ms, within: 1s}]
`

// measure measures a plan, and calls after each trial what is to happen meanwhile.
func measure(t *testing.T, store string, text string, meanwhile func(id string, trial int)) (id string) {
	t.Helper()
	ctx := t.Context()
	p, err := plan.Parse("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bed, closeBed, err := lab.Open(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer closeBed()
	to, err := sqlite.Open(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	c := weir.Campaign{Name: p.Name, Manifest: campaign.NewManifest(p, bed, time.Now())}
	n, err := to.Begin(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	c.ID = n.ID()
	release, err := sqlite.LockCampaign(store, c.ID) // by which the server knows that it is measured
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	trials := 0
	c, err = campaign.Resume(ctx, c, p, bed, n, func(e campaign.Event) {
		if e.Trial != nil {
			trials++
			meanwhile(c.ID, trials)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.End(ctx, c.Ended); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// What a live page has, and which trials it knows.
const (
	shown  = `["header", "div.page"].map(part => document.querySelector(part).innerText).join("\n")`
	status = `(document.querySelector("p.live")?.textContent || "")`
	trials = `document.querySelectorAll("#trials tbody tr").length`
)

// A page follows a campaign from its first trial to its end, while the server is killed and started
// again, and is never loaded anew. It ends as the page that is loaded then.
func TestLive(t *testing.T) {
	store := filepath.Join(t.TempDir(), "weir.db")
	s := newServer(t, store)
	p := open(t, s.site(), desk)
	p.offline = true
	id := measure(t, store, small, func(id string, trial int) {
		switch trial {
		case 1:
			p.visit("")
			p.await(`document.querySelector("table.list th a") !== null || (location.reload(), false)`)
			p.follow("table.list th a")
			ask[bool](p, `document.body.dataset.mark = "kept"; document.querySelector("#trials details").open = true`)
			p.await(status + `.startsWith("As of ")`)
		case 3:
			p.await(trials + ` >= 2`)
			s.kill()
			p.await(status + `.startsWith("The server does not answer")`)
		case 6:
			s.start()
			p.await(trials + ` >= 5`)
		}
	})
	p.await(status + `.startsWith("The measurement has ended.")`)
	if !ask[bool](p, `document.body.dataset.mark === "kept" && document.querySelector("#trials details").open`) {
		t.Error("the page was loaded anew, or what was open is not")
	}
	again := open(t, s.site(), desk)
	again.visit("c/" + id)
	ask[bool](again, `document.querySelector("#trials details").open = true`)
	got, want := ask[string](p, shown), ask[string](again, shown)
	if got != want || !strings.Contains(want, "1518") {
		t.Errorf("the live page ends otherwise than the report (-want +got):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}
