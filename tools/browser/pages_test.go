package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"weir/internal/serve"
)

// Rows of the list, and what they are of.
const (
	rows  = `document.querySelectorAll("table.list tbody tr").length`
	names = `[...document.querySelectorAll("table.list tbody th a")].map(a => a.textContent).join()`
	title = `document.querySelector("h1").textContent`
)

// A reader finds campaigns in the list, compares two of them, and follows a value to its history.
// What is in the address is on the page, and names with markup are names.
func TestList(t *testing.T) {
	s := fill(t)
	p := open(t, newServer(t, s.store).site(), desk)
	p.visit("")
	p.await(rows + ` == ` + fmt.Sprint(days+3) + ` || (location.reload(), false)`) // the server reads the store yet
	if all := ask[string](p, names); !strings.Contains(all, markup) {
		t.Errorf("the list has %s", all)
	}
	p.do(chromedp.SendKeys(chromedp.CSS(`input[name=q]`), "nightly 6.19"))
	p.follow("form.filter button")
	if n := ask[int](p, rows); n != days-since {
		t.Errorf("%d campaigns have that kernel", n)
	}
	if at := ask[string](p, `location.search`); !strings.Contains(at, "q=nightly+6.19") {
		t.Errorf("the address has %s", at)
	}
	p.visit("")
	p.do(chromedp.SendKeys(chromedp.CSS(`select[name=state]`), "failed"))
	p.follow("form.filter button")
	if all := ask[string](p, names); all != "further" || ask[string](p, `document.querySelector("select[name=state]").value`) != "failed" {
		t.Errorf("those that failed are %s", all)
	}
	p.visit("?q=nightly")
	for _, id := range []string{s.bench, s.other} {
		p.do(chromedp.Click(chromedp.CSS(`input[value="` + id + `"]`)))
	}
	p.follow("form[action=compare] button")
	if at, said := ask[string](p, `location.pathname`), ask[string](p, `document.querySelector("main").innerText`); at != "/compare" || !strings.Contains(said, "nightly (2)") {
		t.Errorf("%s says %.500s", at, said)
	}
	p.visit("?q=nightly")
	p.follow(`ul.values a[href*="name=nightly&"]`)
	if head := ask[string](p, title); !strings.Contains(head, fmt.Sprintf("over %d campaigns", days)) {
		t.Errorf("the history is %s", head)
	}
	p.await(`document.querySelector(".drawing.live canvas") !== null`)
	p.follow("#changes table a")
	if at := ask[string](p, `location.pathname`); at != "/compare" {
		t.Errorf("a change leads to %s", at)
	}
	p.visit("changes")
	p.await(`document.querySelector("#changes table a") !== null || (location.reload(), false)`)
	p.follow("#changes table a")
	if at := ask[string](p, `location.pathname`); at != "/history" {
		t.Errorf("a change among all leads to %s", at)
	}
}

// No page is wider than a phone.
func TestPhone(t *testing.T) {
	s := fill(t)
	p := open(t, newServer(t, s.store).site(), phone)
	p.offline = true // an error is one to the browser
	for name, path := range s.pages() {
		p.visit(path)
		if wide := ask[int](p, `document.documentElement.scrollWidth`); int64(wide) > phone.width {
			t.Errorf("%s is %d pixels wide", name, wide)
		}
	}
}

// Without scripts tables, pictures and forms do.
func TestWithoutScript(t *testing.T) {
	s := fill(t)
	plain := desk
	plain.plain = true
	p := open(t, newServer(t, s.store).site(), plain)
	p.visit("")
	p.do(chromedp.SendKeys(chromedp.CSS(`input[name=q]`), s.bench))
	p.follow("form.filter button")
	if n := ask[int](p, rows); n != 1 {
		t.Errorf("%d campaigns have an id", n)
	}
	p.follow("table.list th a")
	for _, path := range []string{"", s.history} {
		if path != "" {
			p.visit(path)
		}
		if ask[bool](p, `document.querySelector(".uplot") !== null`) {
			t.Errorf("a script of %s runs", path)
		}
		for _, one := range []string{"svg.chart", "table"} {
			if !ask[bool](p, `[...document.querySelectorAll("main `+one+`")].some(e => e.getBoundingClientRect().height > 20 && getComputedStyle(e).opacity == "1")`) {
				t.Errorf("%s has no %s", path, one)
			}
		}
	}
}

// The pages of an export are those of the server, opened as files.
func TestExported(t *testing.T) {
	s := fill(t)
	folder := filepath.Join(t.TempDir(), "site")
	if _, err := serve.Export(t.Context(), serve.Options{Store: s.store, Log: slog.New(slog.DiscardHandler)}, folder); err != nil {
		t.Fatal(err)
	}
	p := open(t, "file://"+folder+"/", desk)
	p.visit("index.html")
	if n := ask[int](p, rows); n != days+3 {
		t.Errorf("%d campaigns are in the list", n)
	}
	p.follow(chromedp.CSS(`a[href="c/` + s.bench + `.html"]`))
	p.await(`document.querySelector(".drawing.live canvas") !== null`)
	p.follow("nav.site a")
	p.follow(`a[href^="history-nightly"]`)
	p.follow("#changes table a")
	if said := ask[string](p, title); !strings.HasSuffix(ask[string](p, `location.pathname`), ".html") || said == "" {
		t.Errorf("a change leads to %s", said)
	}
	if missing := ask[string](p, `[...document.styleSheets].filter(s => !s.ownerNode.sheet).map(s => s.href).join()`); missing != "" || ask[string](p, `getComputedStyle(document.querySelector(".card")).borderRadius`) == "0px" {
		t.Errorf("its style is missing: %s", missing)
	}
}

// These tests see it where a page asks others.
func TestNothingLeaves(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><img src="http://weir.example/picture">`)
	}))
	t.Cleanup(site.Close)
	p := open(t, site.URL+"/", desk)
	p.offline = true
	p.visit("")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wrong) != 1 || !strings.Contains(p.wrong[0], "weir.example") {
		t.Errorf("the tab saw %q", p.wrong)
	}
	r, err := theReader()
	if left := r.asked(); err != nil || len(left) != 1 || !strings.Contains(left[0], "weir.example") {
		t.Errorf("the proxy saw %q", left)
	}
	p.wrong = nil
}
