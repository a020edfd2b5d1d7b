package weir

import "testing"

func TestKindOfTransfer(t *testing.T) {
	asked := Transfer{Program: "ftp", Files: 13, FileSize: 1e6, WarmUp: 1, Storage: Disk}
	seeded := asked
	seeded.Seed = 7
	if seeded.Kind() != asked || seeded.Seed != 7 {
		t.Errorf("the kind is %+v, and the transfer %+v", seeded.Kind(), seeded)
	}
	longer := asked
	longer.WarmUp = 2
	if longer.Kind() == asked.Kind() {
		t.Error("another warm-up is no other kind")
	}
	if none := (*Transfer)(nil); none.Kind() != (Transfer{}) {
		t.Errorf("nothing is %+v", none.Kind())
	}
}
