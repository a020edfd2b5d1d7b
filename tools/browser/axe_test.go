package browser

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"weir/internal/serve"
	"weir/internal/sqlite"
	"weir/internal/testenv/samples"
)

// axeFile is axe-core (https://github.com/dequelabs/axe-core), which looks for what keeps people from using
// a page. scripts/setup fetches it.
const axeFile = "../../bin/axe.js"

// pictures is where TestAccess leaves pictures of all pages.
var pictures = flag.String("pictures", "", "a `folder` for pictures of all pages")

// looks are how every page is looked at, and by which rules of axe-core: all of them where there are none.
// Dark pages differ by their colours alone.
var looks = []struct {
	name string
	look
	rules []string
}{
	{"1280-light", desk, nil},
	{"1280-dark", look{width: desk.width, height: desk.height, dark: true}, []string{"color-contrast"}},
	{"360-light", phone, nil},
	{"360-dark", look{width: phone.width, height: phone.height, dark: true}, []string{"color-contrast"}},
}

// A view is a page that somebody gets to see: its address, and what they do there to see it.
type view struct {
	name, path string
	do         func(*tab)
}

// submit sends the form of a page.
func submit(fields map[chromedp.CSS]string) func(*tab) {
	return func(p *tab) {
		for field, text := range fields {
			p.do(chromedp.SendKeys(field, text))
		}
		p.follow("main form button")
	}
}

// views are all pages of a site whose visitor has not signed in.
func (s sample) views() (out []view) {
	for name, path := range s.pages() {
		out = append(out, view{name: name, path: path})
	}
	return append(out,
		view{name: "live", path: "c/" + s.live},
		view{name: "history of an arm", path: s.armHistory},
		view{name: "comparison of others", path: "compare?c=" + s.failed + "&c=" + s.study},
		view{name: "wrong filter", path: "?from=yesterday"},
		view{name: "report of one file", path: "c/" + s.failed + "/report.html"},
		view{name: "sign in", path: "sign-in?next=c/" + s.bench + "/annotate"},
		view{"wrong token", "sign-in", submit(map[chromedp.CSS]string{"input[name=token]": "nothing"})},
	)
}

// actions are the pages of those who have signed in.
func (s sample) actions() []view {
	plan := map[chromedp.CSS]string{"textarea[name=plan]": "name: mine\nmethods: [sweep]\n"}
	return []view{
		{"annotate", "c/" + s.bench + "/annotate", nil},
		{"wrong annotation", "c/" + s.bench + "/annotate", submit(map[chromedp.CSS]string{"input[name=link]": "ftp://weir.example/"})},
		{"import", "import", nil},
		{"wrong import", "import", func(p *tab) {
			file, err := filepath.Abs(axeFile)
			if err != nil {
				p.Fatal(err)
			}
			p.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{file}))
			p.follow("main form button")
		}},
		{"measure", "measure", nil},
		{"wrong plan", "measure", submit(map[chromedp.CSS]string{"textarea[name=plan]": " "})},
		{"job", "measure", submit(plan)},
		{"stopping job", "measure/1", func(p *tab) { p.follow("main form button") }},
		{"measure with jobs", "measure", nil},
		{"delete", "c/" + s.other + "/delete", nil},
		{"deleted", "c/" + s.other + "/delete", submit(nil)},
	}
}

// Nothing on any page keeps people from using it, as far as axe-core finds that.
func TestAccess(t *testing.T) {
	needChromium(t)
	axe, err := os.ReadFile(axeFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("there is no %s: run scripts/setup test", axeFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := fill(t)
	s.live = measureForever(t, s.store)
	server, token := newActing(t, s.store)
	p := open(t, server.site(), desk)
	p.offline = true // an error is one to the browser
	check := func(p *tab, v view) {
		p.look(desk)
		p.visit(v.path)
		if v.do != nil {
			v.do(p)
		}
		p.judge(string(axe), v.name)
	}
	p.visit("")
	p.await(`document.querySelectorAll("table.list a[href*='arm=']").length > 0 || (location.reload(), false)`)
	s.armHistory = strings.TrimPrefix(ask[string](p, `document.querySelector("table.list a[href*='arm=']").href`), server.site())
	for _, v := range s.views() {
		check(p, v)
	}
	p.visit("sign-in")
	submit(map[chromedp.CSS]string{"input[name=token]": token})(p)
	for _, v := range s.actions() {
		check(p, v)
	}
	folder := filepath.Join(t.TempDir(), "site")
	if _, err := serve.Export(t.Context(), serve.Options{Store: s.store, Log: slog.New(slog.DiscardHandler)}, folder); err != nil {
		t.Fatal(err)
	}
	files := open(t, "file://"+folder+"/", desk)
	check(files, view{"exported list", "index.html", nil})
	check(files, view{"exported campaign", "c/" + s.failed + ".html", nil})
	check(files, view{"exported history", "index.html", func(p *tab) { p.follow(`a[href^="history-nightly"]`) }})
}

// measureForever makes a campaign that is being measured until the test ends.
func measureForever(t *testing.T, path string) (id string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := samples.Campaign()
	c.Name, c.Ended, c.Results = "live", "", c.Results[:1]
	id = record(t, store, c)
	if _, err := store.Annotate(t.Context(), id, sqlite.Annotation{Who: "anna", Time: time.Now(), Kind: sqlite.Known, Text: "the new kernel", Link: "https://weir.example/1"}); err != nil {
		t.Fatal(err)
	}
	release, err := sqlite.LockCampaign(path, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release() })
	return id
}

// A violation is what axe-core has found.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// unfold opens all that is folded, and leaves some rows of each table: the others are like them.
const unfold = `for (const d of document.querySelectorAll("details")) d.open = true;
for (const t of document.querySelectorAll("tbody")) for (const row of [...t.rows].slice(4)) row.remove();
true`

// judge has axe-core look at a page in all of its looks, and takes pictures of them where they are asked for.
func (p *tab) judge(axe, name string) {
	p.Helper()
	if *pictures != "" {
		for _, l := range looks {
			p.look(l.look)
			p.picture(fmt.Sprintf("%s-%s.png", strings.ReplaceAll(name, " ", "-"), l.name), chromedp.FullScreenshot(100))
		}
		if name == "history" || name == "bench" { // in docs
			p.look(desk)
			p.picture("serve-"+name+".png", chromedp.CaptureScreenshot())
		}
	}
	ask[bool](p, unfold)
	ask[bool](p, axe+"; true")
	for _, l := range looks {
		p.look(l.look)
		options := map[string]any{"resultTypes": []string{"violations"}, "preload": false}
		if l.rules != nil {
			options["runOnly"] = l.rules
		}
		how, err := json.Marshal(options)
		if err != nil {
			p.Fatal(err)
		}
		var found []violation
		text := ask[string](p, `axe.run(document, `+string(how)+`).then(found => JSON.stringify(found.violations))`)
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			p.Fatal(err)
		}
		for _, v := range found {
			p.Errorf("%s, %s: %s (%s): %s", name, l.name, v.ID, v.Impact, v.Help)
			for _, n := range v.Nodes[:min(len(v.Nodes), 3)] {
				p.Logf("%.300s\n%s", n.HTML, n.FailureSummary)
			}
		}
	}
}

// picture writes a picture of a page into a file among the pictures.
func (p *tab) picture(file string, take chromedp.Action[[]byte]) {
	p.Helper()
	png, err := chromedp.Run(p.ctx, take)
	if err == nil {
		err = os.WriteFile(filepath.Join(*pictures, file), png, 0o644)
	}
	if err != nil {
		p.Fatal(err)
	}
}
