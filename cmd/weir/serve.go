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
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"weir/internal/infile"
	"weir/internal/outfile"
	"weir/internal/serve"
	"weir/internal/tokens"
)

// serveFlags are the flags of weir serve.
type serveFlags struct {
	address, user, folder, hook, sent, tokens string
	allow                                     []string
}

func serveVerb(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show what was measured as pages: a list, each campaign while it runs, comparisons",
		Long: `Serve the store as pages to look at with a browser, by default at
http://127.0.0.1:8080/ for this machine alone: all campaigns with a search, each
one while it is measured and afterwards, comparisons, charts and badges for pages
elsewhere, and metrics. It reads the store and measures nothing.

It needs no right but to read the store, and never runs as root: called by sudo
it serves as the user that called it, and else --user says as whom. A store is
for its owner alone: others serve a copy.

With --allow people who have a token with that scope (weir serve token) may do
something, too: mark a campaign as known or to be ignored, with a note and a link
(annotate). Without it nothing is written.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := listenAddress(f.address)
			if err != nil {
				return usageError{err}
			}
			path, err := a.storePath()
			if err != nil {
				return err
			}
			if f.folder != "" {
				return a.export(cmd.Context(), path, f.folder)
			}
			o := serve.Options{Store: path, Webhook: f.hook, Sent: f.sent}
			if o.Tokens, err = tokensPath(f.tokens); err != nil {
				return err
			}
			if o.Allow, err = readActions(f.allow); err != nil {
				return usageError{err}
			}
			if err := becomeOrdinary(f.user); err != nil {
				return err
			}
			if f, err := infile.Open(path, math.MaxInt64); err == nil {
				f.Close()
			} else if errors.Is(err, fs.ErrPermission) {
				return fmt.Errorf("user %d may not read the store: %w; give them a copy (sudo install -o %[1]d -m 400 %[3]s COPY), and name it with --store", os.Geteuid(), err, path)
			}
			if err := checkWebhook(&o); err != nil {
				return usageError{err}
			}
			return a.serve(cmd.Context(), at, o)
		},
	}
	cmd.Flags().StringVar(&f.address, "address", "127.0.0.1:8080", "where to listen: an address of loopback and a port, 0 for any")
	cmd.Flags().StringVar(&f.folder, "export", "", "write the pages as files into a `folder`, for any web server, and serve nothing")
	cmd.Flags().StringVar(&f.hook, "webhook", "", "send each change of a history once to this `URL`, as JSON")
	cmd.Flags().StringVar(&f.sent, "webhook-sent", "", "the `file` of what was sent (default: webhook.json in STATE_DIRECTORY, or in ~/.local/state/weir)")
	cmd.Flags().StringVar(&f.user, "user", "", "as root: the user to serve as (default: who called sudo)")
	cmd.Flags().StringSliceVar(&f.allow, "allow", nil, "what people with a token may do: annotate (default nothing)")
	cmd.PersistentFlags().StringVar(&f.tokens, "tokens", "", "file of the tokens (default weir/serve-tokens.json below $XDG_CONFIG_HOME or ~/.config)")
	cmd.AddCommand(tokenVerb(a, &f.tokens))
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
	if all, err := tokens.Load(o.Tokens); len(o.Allow) > 0 && (err != nil || len(all) == 0) {
		fmt.Fprintln(a.err, "weir: nobody may do that yet:", cmp.Or(err, errNoTokens))
	}
	o.Log = slog.New(slog.NewTextHandler(a.err, nil))
	return serve.New(o).Serve(ctx, on)
}

var errNoTokens = errors.New("there is no token; weir serve token add NAME --scope SCOPE makes one")

// readActions reads what a server allows.
func readActions(names []string) ([]tokens.Scope, error) {
	scopes, err := tokens.ReadScopes(names)
	if err == nil && slices.Contains(scopes, tokens.Read) {
		err = errors.New("--allow read: reading is allowed; --allow is for what people do")
	}
	return scopes, err
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
