package endhost

import "time"

// TimeDisk are the settings of the role "disk". It writes a file below Root
// until it is on the disk, has it forgotten, and reads it again; DiskTimes
// tells how fast. Nothing of the file is left.
type TimeDisk struct {
	Root   string        `json:"root"`   // is made where there is none
	Octets int64         `json:"octets"` // that are written and read, at most
	Limit  time.Duration `json:"limit"`  // after which writing ends, and after which reading does: one block is always moved
}

// DiskTimes is how fast a storage is by itself.
type DiskTimes struct {
	Write float64 `json:"write"` // bit/s, until it is on the disk
	Read  float64 `json:"read"`  // bit/s, of what is not in memory
}
