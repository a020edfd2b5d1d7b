package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"weir"
	"weir/internal/outfile"
	"weir/internal/sqlite"
)

// inStore does something with the open store.
func (a *app) inStore(ctx context.Context, do func(*sqlite.Store) error) (err error) {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return do(store)
}

// openStore opens the store that the flags or the environment name, and makes
// it where it is missing.
func (a *app) openStore(ctx context.Context) (*sqlite.Store, error) {
	path, err := a.storePath()
	if err == nil {
		err = mayRecord(path)
	}
	if err != nil {
		return nil, err
	}
	if err := outfile.MakeFolder(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("make the store %s: %w; name a file elsewhere with --store", path, err)
	}
	if err := mayRecord(path); err != nil { // somebody may have made the folder first
		return nil, err
	}
	if err := outfile.Reserve(path); err != nil {
		return nil, fmt.Errorf("make the store %s: %w; name a file elsewhere with --store", path, err)
	}
	store, err := sqlite.Open(ctx, path)
	if notThere := (*fs.PathError)(nil); errors.As(err, &notThere) {
		return nil, fmt.Errorf("%w; name a file elsewhere with --store", err)
	}
	return store, err
}

// mayRecord is an error where root would record in a store that others may write to, or lock: they
// could change what is measured, and what the plan is that weir goes on with.
func mayRecord(store string) error {
	if err := onlyOurs(store); err != nil {
		return fmt.Errorf("root records nothing in the store %s: %w; name one with --store in a folder that is yours and where nobody else may write, and move this one there if it is yours", store, err)
	}
	return nil
}

// onlyOurs is outfile.OnlyOurs of a store and of the files that lie beside it.
func onlyOurs(store string) error {
	if err := outfile.OnlyOurs(store); err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(store); err == nil {
		store = to
	}
	for _, beside := range []string{"-wal", "-shm", "-journal", "-lock"} {
		if err := outfile.OnlyOurs(store + beside); err != nil {
			return err
		}
	}
	return nil
}

// readStore opens it for those who record nothing, and makes nothing: as root a copy of one that
// others may write to. One that was named has to be there.
func (a *app) readStore(ctx context.Context) (*sqlite.Store, error) {
	path, err := a.storePath()
	if err != nil {
		return nil, err
	}
	if err := outfile.Way(path); err != nil {
		return nil, err
	}
	_, err = os.Stat(path)
	switch {
	case err != nil && a.store != "":
		return nil, fmt.Errorf("there is no store %s: measure something into it first, or name another file with --store (%w)", path, err)
	case err == nil && onlyOurs(path) != nil:
		return sqlite.OpenCopy(ctx, path)
	}
	return sqlite.OpenExisting(ctx, path)
}

// storePath is where the store lies.
func (a *app) storePath() (string, error) {
	if a.store != "" {
		return a.store, nil
	}
	if path := os.Getenv("WEIR_STORE"); path != "" {
		return path, nil
	}
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" {
		home, err := outfile.HomeFolder()
		if err != nil {
			return "", fmt.Errorf("where to keep the store? name a file with --store: %w", err)
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "weir", "weir.db"), nil
}

// findCampaign is the campaign with an id, of which the beginning or the end is
// enough: people read the end, as the beginning is the date.
func findCampaign(ctx context.Context, store *sqlite.Store, id string) (weir.Campaign, error) {
	return store.Find(ctx, id, store.Campaign)
}

// mostTrials is how many trials of a campaign are read to be looked at. What a
// campaign of many runs found is in its results.
const mostTrials = 3000

// findAbridged is findCampaign with the first trials alone, for those who only
// look at it.
func findAbridged(ctx context.Context, store *sqlite.Store, id string) (weir.Campaign, error) {
	return store.Find(ctx, id, func(ctx context.Context, id string) (weir.Campaign, error) {
		return store.Abridged(ctx, id, mostTrials)
	})
}
