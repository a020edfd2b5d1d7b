package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"

	"weir/internal/report"
)

// opener returns the program that shows a page in the browser that somebody prefers.
func opener() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	return "xdg-open"
}

// canOpen returns why no browser of a user can show the page of so many campaigns. Without a file it is the
// one beside the store.
func canOpen(uid int, file string, campaigns int) error {
	switch {
	case uid == 0:
		return usageError{errors.New("root opens no browser: call weir report --open without sudo, or write the page with -o page.html and open that")}
	case file == "" && campaigns > 1:
		return usageError{errors.New("--open of several campaigns needs a file for their page: -o page.html")}
	case file != "":
		if format, err := formatOf(file); err != nil || format != "html" {
			return usageError{fmt.Errorf("--open is for pages, and %s would be none: -o page.html", file)}
		}
	}
	return nil
}

// showPage has a browser show a page once it is written.
func (a *app) showPage(ctx context.Context, file string, write func(io.Writer, report.Options) error) error {
	if err := a.writeFile(file, write); err != nil {
		return err
	}
	return a.openPage(ctx, file)
}

// openPage has a browser show a file, and says which.
func (a *app) openPage(ctx context.Context, file string) error {
	at, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "report: %s\n", file)
	if err := exec.CommandContext(ctx, opener(), at).Run(); err != nil {
		return fmt.Errorf("open %s in a browser: %w; weir serve shows it to a browser elsewhere", at, err)
	}
	return nil
}
