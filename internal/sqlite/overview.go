package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weir"
)

// Overview is what a list of many campaigns shows of one, without reading what its rows hold as
// a whole.
type Overview struct {
	Version
	Name    string
	About   About
	Results []Outcome // in the order of recording
	Trials  int
	Notes   []Annotation // the oldest first
	Damaged string       // why a part of it cannot be read; ""
}

// Version tells one state of a campaign from another: it changes with each trial, result and
// annotation.
type Version struct {
	Seq         int64 // of campaigns, in the order in which they began
	ID          string
	Ended       string
	LastTrial   int64 // of all trials of the store; 0: it has none
	LastOutcome int64
	LastNote    int64
}

// About is the part of a manifest that campaigns are found by.
type About struct {
	Weir      string           `json:"weir"`
	Started   time.Time        `json:"started"`
	Kernel    string           `json:"kernel"`
	CPUModel  string           `json:"cpu_model"`
	CPUs      int              `json:"cpus"`
	Testbed   string           `json:"testbed"`
	Platform  string           `json:"platform"`
	Backend   string           `json:"backend"`
	Simulated bool             `json:"simulated"`
	Place     string           `json:"place"`
	Imported  *json.RawMessage `json:"imported"`
	Settings  []weir.Setting   `json:"settings"`

	Experiment *json.RawMessage `json:"experiment"`
}

// Outcome is a result by its columns.
type Outcome struct {
	Method, Size string
	Value        float64
	Unit         string
	Claim        string // the name that it has earned
	Run          int    // number of its run, of an experiment; 0: it is of none
	Warnings     []weir.WarningCode

	LossRatio, ExceedRatio, TrialSeconds, Sum float64      // of its goal, as in weir.Result; the last three of severalGoals alone
	Factors                                   weir.Factors // of a campaign that was imported
}

// severalGoals is the method whose goals one loss ratio does not tell apart.
const severalGoals = "mlrsearch"

// Overviews returns the newest campaigns that began before one, by its Version.Seq, the newest
// first: so many of them at most. 0 is after all.
func (s *Store) Overviews(ctx context.Context, before int64, most int) ([]Overview, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	return s.overviews(ctx, `c.seq < ? ORDER BY c.seq DESC LIMIT ?`, before, most)
}

// Since returns the campaigns that began after one, by its Version.Seq, the newest first.
func (s *Store) Since(ctx context.Context, after int64) ([]Overview, error) {
	return s.overviews(ctx, `c.seq > ? ORDER BY c.seq DESC`, after)
}

// Overview returns one campaign, by its whole id.
func (s *Store) Overview(ctx context.Context, id string) (Overview, error) {
	all, err := s.overviews(ctx, `c.id = ?`, id)
	if err == nil && len(all) == 0 {
		err = &UnknownCampaignError{Path: s.path, ID: id}
	}
	if err != nil {
		return Overview{}, err
	}
	return all[0], nil
}

const versionColumns = `c.seq, c.id, c.ended, ifnull((SELECT max(seq) FROM trials WHERE campaign = c.id), 0),
	ifnull((SELECT max(seq) FROM results WHERE campaign = c.id), 0), ifnull((SELECT max(seq) FROM annotations WHERE campaign = c.id), 0)`

// columns are where a row of versionColumns goes.
func (v *Version) columns() []any {
	return []any{&v.Seq, &v.ID, &v.Ended, &v.LastTrial, &v.LastOutcome, &v.LastNote}
}

// versionsAtOnce is how many campaigns one query names.
const versionsAtOnce = 500

// Versions returns those of campaigns by their Version.Seq. Of campaigns that are gone there is none.
func (s *Store) Versions(ctx context.Context, seqs []int64) ([]Version, error) {
	var out []Version
	for some := range slices.Chunk(seqs, versionsAtOnce) {
		args := make([]any, len(some))
		for i, seq := range some {
			args[i] = seq
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(some)), ",")
		rows, err := s.db.QueryContext(ctx, `SELECT `+versionColumns+` FROM campaigns c WHERE c.seq IN (`+marks+`)`, args...)
		if err != nil {
			return nil, s.wrap(err, "read")
		}
		for rows.Next() {
			var v Version
			if err := rows.Scan(v.columns()...); err != nil {
				rows.Close()
				return nil, s.wrap(err, "read")
			}
			out = append(out, v)
		}
		err = rows.Err()
		if rows.Close(); err != nil {
			return nil, s.wrap(err, "read")
		}
	}
	return out, nil
}

func (s *Store) overviews(ctx context.Context, where string, args ...any) ([]Overview, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+versionColumns+`, c.name, c.manifest,
			(SELECT count(*) FROM trials WHERE campaign = c.id) FROM campaigns c WHERE `+where, args...)
	if err != nil {
		return nil, s.wrap(err, "list")
	}
	defer rows.Close()
	var out []Overview
	for rows.Next() {
		var o Overview
		var text []byte
		if err := rows.Scan(append(o.columns(), &o.Name, &text, &o.Trials)...); err != nil {
			return nil, s.wrap(err, "list")
		}
		if err := json.Unmarshal(text, &o.About); err != nil {
			o.Damaged = fmt.Sprintf("its manifest cannot be read: %v", err) // the others can
		}
		out = append(out, o)
	}
	if err := s.wrap(rows.Err(), "list"); err != nil {
		return nil, err
	}
	rows.Close()
	for i := range out {
		results, damaged, err := s.outcomes(ctx, out[i].ID, out[i].About)
		if err != nil {
			return nil, err
		}
		out[i].Results, out[i].Damaged = results, cmp.Or(out[i].Damaged, damaged)
		if out[i].LastNote == 0 {
			continue
		}
		if out[i].Notes, err = s.Annotations(ctx, out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fieldOf is a column of what the JSON of a result has in a field, where a condition holds, and else of other. It
// is NULL where the JSON cannot be read, or has there what is of none of some types.
func fieldOf(where, field, types, other string) string {
	at := `(result, '$.` + field + `')`
	return `CASE WHEN NOT (` + where + `) THEN ` + other + ` WHEN NOT json_valid(result) THEN NULL
		WHEN ifnull(json_type` + at + `, 'null') = 'null' THEN ` + other + ` WHEN json_type` + at + ` IN (` + types + `) THEN json_extract` + at + ` END`
}

// ofGoal is a column of what the JSON of a result has of its goal, where that takes a look.
func ofGoal(field string) string {
	return fieldOf(`method = '`+severalGoals+`'`, field, `'integer', 'real'`, `0`)
}

// outcomes returns the results of a campaign, and what is wrong with one that is left out. What takes reading
// them as a whole is read where it is needed.
func (s *Store) outcomes(ctx context.Context, id string, of About) (out []Outcome, damaged string, err error) {
	run, factors := "0", "'{}'"
	if of.Experiment != nil {
		run = fieldOf("true", "run.number", `'integer'`, "0")
	}
	if of.Imported != nil {
		factors = fieldOf("true", "factors", `'object'`, "'{}'")
	}
	rows, err := s.db.QueryContext(ctx, `SELECT seq, method, frame_size, value, unit, claim, warnings, `+run+`, loss_ratio, `+factors+`,
		`+ofGoal("exceed_ratio")+`, `+ofGoal("trial_seconds")+`, `+ofGoal("duration_sum_seconds")+` FROM results WHERE campaign = ? ORDER BY seq`, id)
	if err != nil {
		return nil, "", s.wrap(err, "list")
	}
	defer rows.Close()
	for rows.Next() {
		var o Outcome
		var seq int
		var codes string
		var text sql.NullString
		var number sql.NullInt64
		var of [3]sql.NullFloat64
		if err := rows.Scan(&seq, &o.Method, &o.Size, &o.Value, &o.Unit, &o.Claim, &codes, &number, &o.LossRatio, &text, &of[0], &of[1], &of[2]); err != nil {
			return nil, "", s.wrap(err, "list")
		}
		if !text.Valid || !number.Valid || !of[0].Valid || !of[1].Valid || !of[2].Valid || json.Unmarshal([]byte(text.String), &o.Factors) != nil {
			damaged = fmt.Sprintf("a result of it cannot be read: row %d of results", seq) // the others can
			continue
		}
		o.Run, o.ExceedRatio, o.TrialSeconds, o.Sum = int(number.Int64), of[0].Float64, of[1].Float64, of[2].Float64
		for _, code := range strings.Fields(codes) {
			o.Warnings = append(o.Warnings, weir.WarningCode(code))
		}
		out = append(out, o)
	}
	return out, damaged, s.wrap(rows.Err(), "list")
}
