package sqlite

import (
	"database/sql"
	"errors"
	"testing"
	"time"
)

// A store has the tables, indexes and triggers that weir has made, and no others: a trigger would
// change what is recorded, and a view in a table's place may never end.
func TestSchemaOfOthers(t *testing.T) {
	const endless = ` AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS application_id, max(x) AS id FROM n;`
	for _, change := range []string{
		`CREATE TRIGGER more AFTER INSERT ON results BEGIN UPDATE results SET value = 10 * value WHERE seq = NEW.seq; END;`,
		`DROP TRIGGER trial_numbers;`,
		`CREATE TABLE more (x);`,
		`ALTER TABLE trials ADD COLUMN more DEFAULT 1;`,
		`DROP TABLE results; CREATE VIEW results` + endless,
		`CREATE VIEW pragma_application_id` + endless,
		`CREATE VIEW Pragma_User_Version` + endless,
	} {
		s := open(t)
		record(t, s, "complete")
		s.Close()
		db, err := sql.Open("sqlite", source(s.path, false))
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		if _, err := db.Exec(change); err != nil {
			t.Fatal(change, err)
		}
		db.Close()
		done := make(chan error, 1)
		go func() {
			s, err := Open(t.Context(), s.path)
			if err == nil {
				s.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if foreign := (*ForeignFileError)(nil); !errors.As(err, &foreign) {
				t.Errorf("%s: %v, want a ForeignFileError", change, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: opening never ends", change)
		}
	}
}
