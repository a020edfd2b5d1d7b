-- One row for each campaign, in the order in which they began.
CREATE TABLE campaigns (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    manifest TEXT NOT NULL, -- JSON of weir.Manifest
    ended    TEXT NOT NULL DEFAULT '' -- '' while it runs, or when it was killed
);

-- One row for each trial, in the order of measuring. The columns are for
-- queries; the column result holds everything, histogram included.
CREATE TABLE trials (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign  TEXT NOT NULL REFERENCES campaigns (id),
    number    INTEGER NOT NULL,
    purpose   TEXT NOT NULL,
    traffic   TEXT NOT NULL, -- name of the size or mix
    intended  REAL NOT NULL, -- frames/s per port, 0 for as fast as possible
    offered   REAL NOT NULL, -- frames/s over all ports
    forwarded REAL NOT NULL, -- frames/s over all ports
    sent      INTEGER NOT NULL, -- frames
    received  INTEGER NOT NULL, -- frames
    loss      REAL NOT NULL, -- ratio
    duration  REAL NOT NULL, -- s
    warnings  TEXT NOT NULL, -- codes, separated by spaces
    result    TEXT NOT NULL -- JSON of weir.TrialResult
);
CREATE INDEX trials_of_campaign ON trials (campaign, seq);

-- One row for each result, in the order of recording.
CREATE TABLE results (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign   TEXT NOT NULL REFERENCES campaigns (id),
    method     TEXT NOT NULL,
    frame_size TEXT NOT NULL,
    value      REAL NOT NULL,
    unit       TEXT NOT NULL,
    loss_ratio REAL NOT NULL,
    claim      TEXT NOT NULL,
    warnings   TEXT NOT NULL, -- codes, separated by spaces
    took       INTEGER NOT NULL, -- ns
    result     TEXT NOT NULL -- JSON of weir.Result
);
CREATE INDEX results_of_campaign ON results (campaign, seq);
