package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weir/internal/outfile"
	"weir/internal/tokens"
)

// tokenVerb keeps the tokens of weir serve, in the file that a flag names.
func tokenVerb(a *app, file *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Say who may do what at the pages: tokens, each with its scopes",
		Args:  knownVerb,

		SuggestionsMinimumDistance: 2,

		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var scopes []string
	add := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token, and print it this once",
		Long: `Make a token with scopes, and print it: nobody sees it again, as its file has
but a checksum of it. NAME stands beside what is done with it.

Scopes: read (see the pages of a server that others can reach), annotate, run,
import, delete. What a server allows (weir serve --allow) bounds them all.`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			what, err := tokens.ReadScopes(scopes)
			if err != nil {
				return usageError{err}
			}
			return inTokens(*file, func(path string) error {
				token, err := tokens.Add(path, args[0], what)
				if err == nil {
					_, err = fmt.Fprintln(a.out, token)
				}
				return err
			})
		},
	}
	add.Flags().StringSliceVar(&scopes, "scope", nil, "what it is good for: read, annotate, run, import, delete")
	list := &cobra.Command{
		Use: "list", Short: "List the tokens by their names", Args: takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return inTokens(*file, a.listTokens)
		},
	}
	a.printsJSON(list, "a list is")
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Take a token back, with the sessions that it has begun", Args: takes(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			return inTokens(*file, func(path string) error { return tokens.Remove(path, args[0]) })
		},
	}
	cmd.AddCommand(add, list, remove)
	return cmd
}

// inTokens does something with the file of the tokens.
func inTokens(file string, do func(path string) error) error {
	path, err := tokensPath(file)
	if err != nil {
		return err
	}
	return do(path)
}

// tokensPath returns the file that a flag names, or that of the user.
func tokensPath(file string) (string, error) {
	if file != "" {
		return file, nil
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		home, err := outfile.HomeFolder()
		if err != nil {
			return "", fmt.Errorf("where to keep the tokens? name a file with --tokens: %w", err)
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "weir", "serve-tokens.json"), nil
}

func (a *app) listTokens(path string) error {
	all, err := tokens.Load(path)
	if err != nil {
		return err
	}
	if a.format == "json" {
		return a.printJSON(append([]tokens.Token{}, all...))
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSCOPES\tMADE")
	for _, t := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, tokens.List(t.Scopes), t.Made.Format(time.DateOnly))
	}
	return w.Flush()
}
