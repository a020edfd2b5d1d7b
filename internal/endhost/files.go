package endhost

// MakeFiles are the settings of the role "files-make". It makes a folder of its
// own below Root, and in that the Folder of Files files of Size octets each, and
// says as Files what there is. What is in them follows from Seed and their
// number alone, and does not compress. Without files the inner folder is empty;
// a server may let others write to it, as nothing else lies beside it.
type MakeFiles struct {
	Root  string `json:"root"` // is made where there is none
	Files int    `json:"files,omitempty"`
	Size  int64  `json:"size,omitempty"`
	Seed  uint64 `json:"seed,omitempty"`
}

// InFolder are the settings of the roles that look at all files of a folder:
// "files-sync" returns when they are on the disk, "files-forget" when they are
// there and out of memory, "files-check" says as Files what they are.
type InFolder struct {
	Folder string `json:"folder"`
}

// Files are the files of a folder, in the order of their names.
type Files struct {
	Folder string `json:"folder"`
	Files  []File `json:"files"`
}

// File is one of them. Its name is relative to the folder.
type File struct {
	Name   string `json:"name"`
	Octets int64  `json:"octets"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// AtRoot are the settings of the role "files-room", which says as Room where
// files below Root would lie.
type AtRoot struct {
	Root string `json:"root"` // need not be there yet
}

// Room is what a file system has left.
type Room struct {
	Machine   string `json:"machine"`   // the same for all places of one machine, until it boots again
	Device    uint64 `json:"device"`    // the same for all folders of one file system of a machine
	InMemory  bool   `json:"in_memory"` // whether the file system is one in memory
	Free      uint64 `json:"free"`      // octets, for anybody
	Available uint64 `json:"available"` // octets of memory that programs can still have
}
