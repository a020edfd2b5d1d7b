package main

import "testing"

// A module below weir's requires and replaces it by the new path, too.
func TestRenameModule(t *testing.T) {
	const text = `module weir/tools

go 1.26.0

require (
	golang.org/x/mod v0.41.0
	weir v0.0.0
	weird.org/other v1.0.0
)

replace weir => ../
`
	const want = `module example.org/weir/tools

go 1.26.0

require (
	example.org/weir v0.0.0
	golang.org/x/mod v0.41.0
	weird.org/other v1.0.0
)

replace example.org/weir => ../
`
	c := copier{path: "example.org/weir", own: "weir"}
	if got, err := c.renameModule("tools/go.mod", []byte(text)); err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err := c.renameModule("go.mod", []byte("module weird\n")); err == nil {
		t.Errorf("a module of others became %s", got)
	}
}
