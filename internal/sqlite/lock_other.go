//go:build !linux

package sqlite

// LockCampaign would keep other processes from measuring the same campaign; only Linux
// has the means for that.
func LockCampaign(string, string) (release func() error, err error) {
	return func() error { return nil }, nil
}

// StateOf would say whether a process measures a campaign.
func StateOf(string, string) string { return StateUnknown }
