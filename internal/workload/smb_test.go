package workload

import (
	"os"
	"testing"
)

func TestSMBRefusal(t *testing.T) {
	for file, want := range map[string]string{
		"smbclient-put.txt":     "",
		"smbclient-get.txt":     "",
		"smbclient-logon.txt":   "smbclient says: session setup failed: NT_STATUS_LOGON_FAILURE",
		"smbclient-refused.txt": `smbclient says: NT_STATUS_FILE_IS_A_DIRECTORY opening remote file \b`,
		"smbclient-full.txt":    "smbclient says: parallel_read returned NT_STATUS_DISK_FULL",
	} {
		t.Run(file, func(t *testing.T) {
			said, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := smbRefusal(string(said)); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestCurlConnected(t *testing.T) {
	for _, c := range []struct {
		said  string
		files int
		ok    bool
	}{
		{"connections: 2\nconnections: 1\nconnections: 1\n", 3, true},
		{"connections: 2\nconnections: 2\nconnections: 1\n", 3, false}, // a second login
		{"connections: 2\n", 1, true},
		{"connections: some\n", 1, false},
		{"", 1, false},
	} {
		if err := curlConnected(c.said, 1+c.files); (err == nil) != c.ok {
			t.Errorf("%q of %d files: got %v", c.said, c.files, err)
		}
	}
}
