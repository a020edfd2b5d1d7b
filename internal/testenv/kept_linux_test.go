package testenv

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWaited(t *testing.T) {
	root := t.TempDir() + "/"
	if got := waited(root); got != 0 {
		t.Errorf("of a kernel that counts nothing: %v", got)
	}
	for name, text := range map[string]string{
		"pressure/cpu": "some avg10=9.53 avg60=7.90 avg300=6.01 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=70\n",
		"stat":         "cpu  21 0 34 5 0 0 1 25 0 0\ncpu0 1 0 1 1 0 0 0 3 0 0\n",
	} {
		path := filepath.Join(root, "proc", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := waited(root); got != 1750*time.Millisecond {
		t.Errorf("a thread waited for %v, want 1.5 s, and 25 ticks of steal", got)
	}
}

func TestAttend(t *testing.T) {
	until := Attend(t)
	time.Sleep(10 * time.Millisecond)
	if k := until(); k.For < 0 || k.Over < 10*time.Millisecond || k.Share() > 1 {
		t.Errorf("kept %+v", k)
	}
}

func TestKept(t *testing.T) {
	for kept, want := range map[time.Duration]float64{0: 80, time.Second: 60, 2 * time.Second: 0, 9 * time.Second: 0} {
		if got := (Kept{For: kept, Over: 4 * time.Second}).Least(t, 80); got != want {
			t.Errorf("of 80 with %v of 4 s kept at least %v, want %v", kept, got, want)
		}
	}
	if got := (Kept{For: time.Second}).Most(4 * time.Second); got != 1.25 {
		t.Errorf("at most %v of a rate over four times what was kept, want 1.25", got)
	}
}
