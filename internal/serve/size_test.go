package serve

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"flag"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"modernc.org/sqlite"

	"weir"
	"weir/internal/testenv/samples"

	store "weir/internal/sqlite"
)

var bigStore = flag.String("store", "", "the `file` of the store of BenchmarkSize, which is made where there is none; by default one that is removed afterwards")

// What the big store has.
const (
	bigKinds  = 20   // campaigns that differ in name, kernel and DUT
	bigCopies = 5000 // of each
	bigTrials = 10   // of each campaign
)

// BenchmarkSize asks for pages of a store of 100,000 campaigns with a million trials. It says the
// median of the times, and what this process has in memory.
//
//	go test -run xxx -bench Size -benchtime 20x ./internal/serve -store /tmp/big.db
func BenchmarkSize(b *testing.B) {
	path := cmp.Or(*bigStore, filepath.Join(b.TempDir(), "weir.db"))
	if _, err := os.Stat(path); err != nil {
		makeBig(b, path)
		debug.FreeOSMemory()
	}
	s := New(Options{Store: path, Log: slog.New(slog.NewTextHandler(b.Output(), nil))})
	b.Cleanup(s.index.forget)
	began := time.Now()
	if err := s.index.refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d campaigns were read in %v", len(s.index.all()), time.Since(began))
	all := s.index.all()
	newest := all[0]
	of := topic{Name: newest.Name, DUT: newest.DUT, Testbed: newest.testbed(), Method: newest.Found[0].Method, Size: newest.Found[0].Size, Case: newest.Found[0].Case}
	for _, page := range []struct{ name, path string }{
		{"list", "/"},
		{"last", fmt.Sprintf("/?page=%d", bigKinds*bigCopies/onPage)},
		{"filter", "/?state=complete&dut=linux&size=64"},
		{"search", "/?q=name-7+6.18.7"},
		{"nothing", "/?q=nothing"},
		{"campaign", "/c/"},
		{"history", "/" + of.path()},
		{"compare", fmt.Sprintf("/compare?c=%s&c=%s", newest.ID, all[bigKinds].ID)},
		{"api", "/api/campaigns?q=name-7"},
		{"metrics", "/metrics"},
	} {
		b.Run(page.name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				at := page.path
				if page.name == "campaign" { // another one each time: pages are kept
					at += all[len(times)*7%len(all)].ID
				}
				began, answer := time.Now(), httptest.NewRecorder()
				s.routes.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodGet, at, nil))
				if times = append(times, time.Since(began)); answer.Code != http.StatusOK {
					b.Fatalf("%s: %d: %.300s", at, answer.Code, answer.Body)
				}
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms/median")
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(resident(b), "MB")
		})
	}
}

// resident is what this process has in memory, in MB.
func resident(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return math.NaN()
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return pages * float64(os.Getpagesize()) / 1e6
}

// makeBig makes the big store: some campaigns as others are recorded, and copies of them by SQL, each
// with a time, an id and values of its own.
func makeBig(b *testing.B, path string) {
	began := time.Now()
	makeKinds(b, path)
	if err := sqlite.RegisterDeterministicScalarFunction("row_sum", 3, rowSum); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		`CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $copies - 1) SELECT i, 1 + ((i * 7919) % 101 - 50) / 5000.0 AS factor FROM n`,
		`CREATE TEMP TABLE copies AS SELECT n.i AS i, n.factor AS factor, k.seq AS kind, k.id AS old, k.id || printf('%05d', n.i) AS id FROM n, campaigns k ORDER BY n.i, k.seq`,
		`INSERT INTO campaigns (id, name, manifest, ended) SELECT c.id, k.name, json_set(k.manifest, '$.started', strftime('%Y-%m-%dT%H:%M:%SZ', '2020-01-01', (c.i * 20 + c.kind) || ' minutes')), k.ended
			FROM copies c JOIN campaigns k ON k.id = c.old ORDER BY c.i, c.kind`,
		`INSERT INTO trials (campaign, number, purpose, traffic, intended, offered, forwarded, sent, received, loss, duration, warnings, result, sum)
			SELECT c.id, number, purpose, traffic, intended, offered, forwarded, sent, received, loss, duration, warnings, result, row_sum(c.id, number, result)
			FROM copies c JOIN trials t ON t.campaign = c.old ORDER BY c.i, c.kind, t.seq`,
		`INSERT INTO results (campaign, method, frame_size, value, unit, loss_ratio, claim, warnings, took, result, sum)
			SELECT id, method, frame_size, value * factor, unit, loss_ratio, claim, warnings, took, text, row_sum(id, took, text) FROM
			(SELECT c.id, c.i, c.kind, c.factor, r.*, json_set(r.result, '$.value', r.value * c.factor, '$.lower', r.value * c.factor * 0.99, '$.upper', r.value * c.factor * 1.01) AS text
			FROM copies c JOIN results r ON r.campaign = c.old) ORDER BY i, kind, seq`,
		`UPDATE campaigns SET sum = row_sum(id, manifest, NULL)`,
		`DROP TABLE n`, `DROP TABLE copies`,
	} {
		if _, err := db.ExecContext(b.Context(), statement, sql.Named("copies", bigCopies)); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
	b.Logf("made in %v", time.Since(began))
}

// makeKinds records the campaigns that are copied.
func makeKinds(b *testing.B, path string) {
	to, err := store.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	for kind := range bigKinds {
		c := samples.Campaign()
		m := c.Manifest
		m.Kernel = fmt.Sprintf("6.18.%d-amd64", kind)
		m.Platform = []string{"linux", "freebsd"}[kind%2]
		n, err := to.Begin(b.Context(), weir.Campaign{Name: fmt.Sprintf("name-%d", kind), Manifest: m})
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range c.Trials[:bigTrials] {
			if err := n.RecordTrial(b.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
		if err := n.RecordResults(b.Context(), c.Results[:4]); err != nil {
			b.Fatal(err)
		}
		if err := n.End(b.Context(), weir.EndedComplete); err != nil {
			b.Fatal(err)
		}
	}
}

// rowSum is the checksum of a row, of what it is known by and holds.
func rowSum(_ *sqlite.FunctionContext, parts []driver.Value) (driver.Value, error) {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, p := range parts {
		if p != nil {
			fmt.Fprintf(h, "%v\x00", p)
		}
	}
	return int64(h.Sum32()), nil
}
