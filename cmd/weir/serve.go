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
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weir/internal/infile"
	"weir/internal/outfile"
	"weir/internal/serve"
	"weir/internal/tokens"
)

// serveFlags are the flags of weir serve.
type serveFlags struct {
	address, user, folder, hook, sent, tokens, runner string
	allow                                             []string
	tls                                               tlsFlags
	behindProxy                                       bool
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
(annotate), measure a plan and stop that (run), enter what others have measured
(import), delete campaigns (delete). Without it nothing is written.

At an address that others reach it answers by TLS alone, and to those alone who
have a token with the scope read.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.folder != "" {
				path, err := a.storePath()
				if err != nil {
					return err
				}
				if err := errors.Join(outfile.Way(path), onlyOurs(path)); err != nil {
					return fmt.Errorf("%w: export it as its owner", err)
				}
				return a.export(cmd.Context(), path, f.folder)
			}
			at, err := listenAddress(f.address, f.tls.wanted())
			if err == nil {
				err = f.tls.check()
			}
			if err != nil {
				return usageError{err}
			}
			o, err := a.serveOptions(f)
			if err != nil {
				return err
			}
			o.Guarded = !at.Addr().IsLoopback()
			shown, err := f.tls.certificate(at.Addr(), filepath.Dir(o.Tokens)) // which root may read
			if err != nil {
				return err
			}
			if shown != nil {
				o.TLS, shown.Renewed = shown.Config(), a.tellCertificate
			}
			if err := becomeOrdinary(f.user); err != nil {
				return err
			}
			if f, err := infile.Open(o.Store, math.MaxInt64); err == nil {
				f.Close()
			} else if errors.Is(err, fs.ErrPermission) {
				return fmt.Errorf("user %d may not read the store: %w; give them a copy (sudo install -o %[1]d -m 400 %[3]s COPY), and name it with --store", os.Geteuid(), err, o.Store)
			}
			if f.tls.own {
				a.tellCertificate(shown, nil)
			}
			return a.serve(cmd.Context(), at, o)
		},
	}
	cmd.Flags().StringVar(&f.address, "address", "127.0.0.1:8080", "where to listen: an address and a port, 0 for any; one that others reach takes TLS and tokens")
	cmd.Flags().StringVar(&f.folder, "export", "", "write the pages as files into a `folder`, for any web server, and serve nothing")
	cmd.Flags().StringVar(&f.hook, "webhook", "", "send each change of a history once to this `URL`, as JSON")
	cmd.Flags().StringVar(&f.sent, "webhook-sent", "", "the `file` of what was sent (default: webhook.json in STATE_DIRECTORY, or in ~/.local/state/weir)")
	cmd.Flags().StringVar(&f.user, "user", "", "as root: the user to serve as (default: who called sudo)")
	cmd.Flags().StringSliceVar(&f.allow, "allow", nil, "what people with a token may do: annotate, run, import, delete (default nothing)")
	cmd.Flags().StringVar(&f.runner, "runner", "", `the `+"`command`"+` that is weir where it measures, as "sudo -n /usr/bin/weir" (default: this program, as this user)`)
	f.tls.add(cmd)
	cmd.Flags().BoolVar(&f.behindProxy, "behind-proxy", false, "believe a web server of this machine whom it asks for (X-Forwarded-For, which it has to set)")
	cmd.PersistentFlags().StringVar(&f.tokens, "tokens", "", "file of the tokens (default weir/serve-tokens.json below $XDG_CONFIG_HOME or ~/.config)")
	cmd.AddCommand(tokenVerb(a, &f.tokens))
	return cmd
}

// serveOptions returns what flags say of a server, but for where it listens.
func (a *app) serveOptions(f serveFlags) (o serve.Options, err error) {
	o = serve.Options{Webhook: f.hook, Sent: f.sent, Runner: strings.Fields(f.runner), BehindProxy: f.behindProxy}
	if o.Store, err = a.storePath(); err == nil {
		o.Store, err = filepath.Abs(o.Store) // what it starts is elsewhere
	}
	if err != nil {
		return o, err
	}
	if o.Allow, err = readActions(f.allow); err != nil {
		return o, usageError{err}
	}
	if err := checkWebhook(&o); err != nil {
		return o, usageError{err}
	}
	if o.Tokens, err = tokensPath(f.tokens); err != nil {
		return o, err
	}
	self, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("find the program that runs: %w", err)
	}
	o.Weir = []string{self}
	if len(o.Runner) == 0 {
		o.Runner = o.Weir
	}
	return o, nil
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

// serveGCPercent keeps the memory of a server with 100,000 campaigns below 150 MB.
const serveGCPercent = 25

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
		scheme := "http"
		if o.TLS != nil {
			scheme = "https"
		}
		fmt.Fprintf(a.err, "%s://%s/ shows %s; Ctrl-C ends it\n", scheme, on.Addr(), o.Store)
	}
	if all, err := tokens.Load(o.Tokens); (o.Guarded || len(o.Allow) > 0) && (err != nil || len(all) == 0) {
		fmt.Fprintln(a.err, "weir: nobody may do anything yet:", cmp.Or(err, errNoTokens))
	}
	debug.SetGCPercent(serveGCPercent)
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

// listenAddress reads where to listen. Anything but loopback shows the store to others, by TLS alone.
func listenAddress(text string, tls bool) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(text)
	if err == nil && host == "localhost" {
		text = net.JoinHostPort("127.0.0.1", port)
	}
	at, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return at, fmt.Errorf("--address is %q: give an address and a port, as 127.0.0.1:8080", text)
	case !at.Addr().IsLoopback() && !tls:
		return at, fmt.Errorf("--address %s is not of this machine alone, and takes TLS: --tls-cert and --tls-key, or --tls-self-signed; or listen at 127.0.0.1, and let ssh -L %d:127.0.0.1:%[2]d lead there", text, at.Port())
	}
	return at, nil
}
