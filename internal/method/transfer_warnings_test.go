package method

import (
	"strings"
	"testing"

	"weir"
)

func TestDoubtfulTransfers(t *testing.T) {
	disks := func(read, write float64) []weir.DiskRate {
		return []weir.DiskRate{{Side: weir.Source, Read: read, Write: 1e6}, {Side: weir.Destination, Read: 1e6, Write: write}}
	}
	both := func(e *Env) { e.Traffic.Bidirectional = true }
	for name, tt := range map[string]struct {
		method  string
		storage weir.Storage
		env     func(*Env)
		change  func(*weir.Transferred)
		code    weir.WarningCode
		want    string // "": no warning at all
	}{
		"fast disks":   {"ftp", weir.Disk, nil, func(f *weir.Transferred) { f.Disks = disks(1e9, 1e9) }, "", ""},
		"disk read":    {"ftp", weir.Disk, nil, func(f *weir.Transferred) { f.Disks = disks(105e6, 1e9) }, weir.DiskBound, "the source's disk alone reads 105 Mbit/s, and the files came at 100 Mbit/s: that is within 10 %"},
		"disk write":   {"smb", weir.Disk, nil, func(f *weir.Transferred) { f.Disks = disks(1e9, 111e6) }, weir.DiskBound, "the destination's disk alone writes 111 Mbit/s"},
		"just faster":  {"smb", weir.Disk, nil, func(f *weir.Transferred) { f.Disks = disks(1e9, 112e6) }, "", ""},
		"slower disk":  {"ftp", weir.Disk, nil, func(f *weir.Transferred) { f.Disks = disks(60e6, 80e6) }, weir.DiskBound, "the source's disk alone reads 60 Mbit/s, and the files came at 100 Mbit/s: the storage is no faster"},
		"memory":       {"ftp", weir.Memory, nil, func(f *weir.Transferred) { f.Disks = disks(100e6, 80e9) }, weir.DiskBound, "the source's file system in memory alone reads 100 Mbit/s"},
		"both ways":    {"ftp", weir.Disk, both, func(f *weir.Transferred) { f.Disks = disks(60e6, 1e9) }, "", ""},
		"busy source":  {"tcp", "", nil, func(f *weir.Transferred) { f.CPU.Source = f.Took }, weir.TesterLimited, "the programs of the source used 100 % of a CPU"},
		"busy as both": {"tcp", "", both, func(f *weir.Transferred) { f.CPU.Source = f.Took }, "", ""},
		"flutter": {"tcp", "", nil, func(f *weir.Transferred) {
			f.Rates = []float64{1e6, 4e6, 26e6, 4e6, 26e6, 26e6, 4e6, 26e6, 26e6, 4e6, 26e6, 1e6}
		}, weir.UnstableRate, "40 % of the seconds were below half of the median (least 4 Mbit/s, median 26 Mbit/s, most 26 Mbit/s, over 10 seconds); the rate went to and fro between two levels: 26 Mbit/s in 60 % of them, and 4 Mbit/s"},
		"short flutter": {"tcp", "", nil, func(f *weir.Transferred) { f.Rates = []float64{1e6, 4e6, 26e6, 4e6, 26e6, 1e6} }, "", ""},
	} {
		env := hosts(func(t weir.Trial) (weir.Transferred, error) {
			found := moved(100e6, t)
			tt.change(&found)
			return found, nil
		})
		if tt.env != nil {
			tt.env(&env)
		}
		r := run(t, tt.method, env, Params{Transfer: weir.Transfer{Storage: tt.storage}})
		switch {
		case tt.want == "" && len(r.Warnings) > 0:
			t.Errorf("%s: warnings %v", name, r.Warnings)
		case tt.want != "" && (len(r.Warnings) != 1 || !strings.Contains(warningOf(r, tt.code), tt.want)):
			t.Errorf("%s: warnings %v, want %q", name, r.Warnings, tt.want)
		}
	}
	env := hosts(func(t weir.Trial) (weir.Transferred, error) { // the one that is not the median
		found := moved(float64(t.Number)*1e6, t)
		found.Rates = steadyRates(12, 1e6)
		if t.Number == 3 {
			found.Rates[4], found.Rates[5] = 1e4, 1e4
		}
		return found, nil
	})
	if got := warningOf(run(t, "tcp", env, Params{Trials: 3}), weir.UnstableRate); !strings.HasPrefix(got, "in 1 of 3 trials, as in this one: 20 % of the seconds") {
		t.Errorf("of three trials: %q", got)
	}
}
