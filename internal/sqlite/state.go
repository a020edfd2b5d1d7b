package sqlite

// What may be known of a campaign that has no end in its store.
const (
	UnderWay     = "under way" // a process measures it
	Killed       = "killed"    // none does
	StateUnknown = "unknown"
)
