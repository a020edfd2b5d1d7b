// Package browser looks at the pages of weir serve as their readers do: with Debian's Chromium, led
// by its protocol (https://chromedevtools.github.io/devtools-protocol/). It is tests alone.
package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"weir/internal/testenv"
)

// program is Chromium without a window, and without what Chromium asks Google by itself.
const program = "chromium-headless-shell"

// A reader is a browser of one process for its pages, whose requests to anything but this machine
// come to a proxy that answers none.
type reader struct {
	ctx   context.Context
	close func()

	mu   sync.Mutex
	left []string // hosts and addresses that the proxy was asked for
}

// asked returns what the proxy was asked for since the last call.
func (r *reader) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.left
	r.left = nil
	return left
}

// theReader is the browser of all tests.
var theReader = sync.OnceValues(startReader)

func startReader() (*reader, error) {
	r := &reader{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.left = append(r.left, req.Method+" "+req.URL.String()+" of "+req.Host)
		http.Error(w, "nothing leaves", http.StatusForbidden)
	}))
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program),
		chromedp.ProxyServer(proxy.URL), // not for addresses of loopback
		chromedp.Flag("renderer-process-limit", "1"),
		chromedp.Flag("in-process-gpu", true),
		chromedp.Flag("disable-gpu", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, closeBrowser := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeFirst := chromedp.NewContext(ctx)
	r.ctx, r.close = ctx, func() { closeFirst(); closeBrowser(); proxy.Close() }
	if err := chromedp.Do(ctx); err != nil {
		r.close()
		return nil, fmt.Errorf("start chromium: %w", err)
	}
	return r, nil
}

// A look is how a reader looks at pages.
type look struct {
	width, height int64
	dark, plain   bool // plain: without scripts
}

var (
	desk  = look{width: 1280, height: 900}
	phone = look{width: 360, height: 720}
)

// A tab is a page that a reader has open.
type tab struct {
	*testing.T
	ctx  context.Context
	site string // what all of its requests begin with

	mu       sync.Mutex
	wrong    []string // what the page asked of others, and what the browser complained of
	offline  bool     // whether the site may be away
	requests int
}

// needChromium gates a test that looks at pages.
func needChromium(t *testing.T) {
	t.Helper()
	testenv.LikeTool(t, program, "Debian's package of that name")
}

// open opens a tab for the pages of a site. The test fails where they ask anything of others, or
// the browser complains of them.
func open(t *testing.T, site string, l look) *tab {
	t.Helper()
	needChromium(t)
	r, err := theReader()
	if err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(r.ctx)
	p := &tab{T: t, ctx: ctx, site: site}
	t.Cleanup(func() {
		closeTab()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, wrong := range p.wrong {
			t.Error(wrong)
		}
		if p.requests == 0 {
			t.Error("no request was seen")
		}
		if left := r.asked(); len(left) > 0 {
			t.Errorf("the browser asked others: %s", strings.Join(left, ", "))
		}
	})
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	tell(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.plain})
	p.look(l)
	return p
}

// hear notes what a page asks, and what the browser says of it.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests++
		if at := e.Request.URL; !strings.HasPrefix(at, p.site) && !strings.HasPrefix(at, "data:") {
			p.wrong = append(p.wrong, "the page asked "+at)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !(p.offline && e.Entry.Source == log.EntrySourceNetwork) {
			p.wrong = append(p.wrong, fmt.Sprintf("the browser says %s: %s", e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventExceptionThrown:
		p.wrong = append(p.wrong, fmt.Sprintf("a script ended with %+v", e.ExceptionDetails))
	}
}

// look changes how the tab looks at pages.
func (p *tab) look(l look) {
	p.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	tell(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.width < desk.width})
	tell(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// tell gives the browser a command of its protocol.
func tell[P, R any](p *tab, command cdp.Command[P, R], params P) (r R) {
	p.Helper()
	r, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.Fatal(err)
	}
	return r
}

// do does what a reader does.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// visit opens a page of the site.
func (p *tab) visit(path string) {
	p.Helper()
	p.do(chromedp.Navigate(p.site + path))
}

// follow clicks on what a selector finds first, and waits for the page that it leads to.
func (p *tab) follow(selector chromedp.CSS) {
	p.Helper()
	if !ask[bool](p, "document.querySelector(`"+string(selector)+"`) !== null") {
		p.Fatalf("%s has no %s", ask[string](p, "location.href"), selector)
	}
	if _, err := chromedp.RunResponse(p.ctx, chromedp.Click(selector)); err != nil {
		p.Fatalf("click on %s: %v", selector, err)
	}
}

// await waits until a condition holds that the page can tell.
func (p *tab) await(script string) {
	p.Helper()
	testenv.Await(p, script, func() bool { return ask[bool](p, script) })
}

// ask returns what an expression is in the page, or what it promises.
func ask[V any](p *tab, script string) V {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[V](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%.200s: %v", script, err)
	}
	return v
}
