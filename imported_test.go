package weir

import "testing"

func TestPublished(t *testing.T) {
	c := PublishedAs("FRMOL")
	if name, ok := c.Published(); c.Name != "FRMOL, published" || name != "FRMOL" || !ok {
		t.Errorf("%q is %q, %v", c.Name, name, ok)
	}
	if name, ok := (Claim{Name: "FRMOL"}).Published(); name != "FRMOL" || ok {
		t.Errorf("weir's own is %q, %v", name, ok)
	}
}
