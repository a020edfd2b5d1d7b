package service_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"weir/internal/service"
)

// A program sees its own folder in the place of one of the system's, and nobody else does.
func TestInstead(t *testing.T) {
	bed := lab(t, "unshare", "sleep")
	at := atDUT(bed)
	s, err := service.Start(t.Context(), at, service.Program{
		Name: "sh", Of: "a program that looks", Source: "dash", Instead: "/mnt", Family: true, Files: map[string]string{"config": "told\n"},
		Argv: func(folder string) []string {
			return []string{"-c", "cp /mnt/config " + folder + "/seen && exec sleep 1d"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	err = s.Await(t.Context(), time.Hour, func(ctx context.Context) error {
		seen, err := at.Host.ReadFile(ctx, s.Folder+"/seen")
		if err == nil && seen != "told\n" {
			err = errors.New("it saw " + seen)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/mnt/config"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("others see it, too: %v", err)
	}
}
