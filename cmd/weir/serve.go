package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"weir/internal/infile"
	"weir/internal/outfile"
	"weir/internal/serve"
)

func serveVerb(a *app) *cobra.Command {
	var address, user, folder, hook, sent, tokenFile string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show what was measured as pages: a list, each campaign while it runs, comparisons",
		Long: `Serve the store as pages to look at with a browser, by default at
http://127.0.0.1:8080/ for this machine alone: all campaigns with a search, each
one while it is measured and afterwards, comparisons, charts and badges for pages
elsewhere, and metrics. It reads the store and measures nothing.

It needs no right but to read the store, and never runs as root: called by sudo
it serves as the user that called it, and else --user says as whom. A store is
for its owner alone: others serve a copy.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := listenAddress(address)
			if err != nil {
				return usageError{err}
			}
			path, err := a.storePath()
			if err != nil {
				return err
			}
			if folder != "" {
				return a.export(cmd.Context(), path, folder)
			}
			if err := becomeOrdinary(user); err != nil {
				return err
			}
			if f, err := infile.Open(path, math.MaxInt64); err == nil {
				f.Close()
			} else if errors.Is(err, fs.ErrPermission) {
				return fmt.Errorf("user %d may not read the store: %w; give them a copy (sudo install -o %[1]d -m 400 %[3]s COPY), and name it with --store", os.Geteuid(), err, path)
			}
			o := serve.Options{Store: path, Webhook: hook, Sent: sent}
			if err := checkWebhook(&o); err != nil {
				return usageError{err}
			}
			return a.serve(cmd.Context(), at, o)
		},
	}
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:8080", "where to listen: an address of loopback and a port, 0 for any")
	cmd.Flags().StringVar(&folder, "export", "", "write the pages as files into a `folder`, for any web server, and serve nothing")
	cmd.Flags().StringVar(&hook, "webhook", "", "send each change of a history once to this `URL`, as JSON")
	cmd.Flags().StringVar(&sent, "webhook-sent", "", "the `file` of what was sent (default: webhook.json in STATE_DIRECTORY, or in ~/.local/state/weir)")
	cmd.Flags().StringVar(&user, "user", "", "as root: the user to serve as (default: who called sudo)")
	cmd.PersistentFlags().StringVar(&tokenFile, "tokens", "", "file of the tokens (default weir/serve-tokens.json below $XDG_CONFIG_HOME or ~/.config)")
	cmd.AddCommand(tokenVerb(a, &tokenFile))
	return cmd
}

// checkWebhook checks where changes are sent to, and finds the file of what was sent.
func checkWebhook(o *serve.Options) error {
	if o.Webhook == "" {
		return nil
	}
	if at, err := url.Parse(o.Webhook); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("--webhook is %q: give an address as https://chat.example/hook", o.Webhook)
	}
	folder := os.Getenv("STATE_DIRECTORY")
	if folder == "" {
		home, err := outfile.HomeFolder()
		if err != nil {
			return err
		}
		folder = filepath.Join(cmp.Or(os.Getenv("XDG_STATE_HOME"), filepath.Join(home, ".local", "state")), "weir")
	}
	o.Sent = cmp.Or(o.Sent, filepath.Join(folder, "webhook.json"))
	return nil
}

// export writes the pages of a store as files.
func (a *app) export(ctx context.Context, store, folder string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	n, err := serve.Export(ctx, serve.Options{Store: store, Log: slog.New(slog.DiscardHandler)}, folder)
	if err == nil && !a.quiet {
		fmt.Fprintf(a.err, "%d files in %s: begin with %s\n", n, folder, filepath.Join(folder, "index.html"))
	}
	return err
}

// serve serves a store until it is interrupted.
func (a *app) serve(ctx context.Context, at netip.AddrPort, o serve.Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	on, err := net.Listen("tcp", at.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d of %s is in use: choose another one with --address, or stop what listens there (ss -ltnp)", at.Port(), at.Addr())
	}
	if err != nil {
		return fmt.Errorf("listen at %s: %w", at, err)
	}
	if !a.quiet {
		fmt.Fprintf(a.err, "http://%s/ shows %s; Ctrl-C ends it\n", on.Addr(), o.Store)
	}
	o.Log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return serve.New(o).Serve(ctx, on)
}

// listenAddress reads where to listen. Anything but loopback would show the store to others,
// without TLS.
func listenAddress(text string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(text)
	if err == nil && host == "localhost" {
		text = net.JoinHostPort("127.0.0.1", port)
	}
	at, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return at, fmt.Errorf("--address is %q: give an address and a port, as 127.0.0.1:8080", text)
	case !at.Addr().IsLoopback():
		return at, fmt.Errorf("--address %s is not of this machine alone, and the pages have no TLS: listen at 127.0.0.1, and let a web server with TLS, or ssh -L %d:127.0.0.1:%[2]d, lead there", text, at.Port())
	}
	return at, nil
}
