-- What people say of campaigns, in the order in which they said it. Nothing is
-- changed: a later mark takes the place of the one before.
CREATE TABLE annotations (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign TEXT NOT NULL REFERENCES campaigns (id),
    time     INTEGER NOT NULL, -- s since 1970
    who      TEXT NOT NULL,
    kind     TEXT NOT NULL, -- known, ignore, clear or note
    text     TEXT NOT NULL,
    link     TEXT NOT NULL,
    sum      INTEGER NOT NULL
);
CREATE INDEX annotations_of_campaign ON annotations (campaign, seq);
