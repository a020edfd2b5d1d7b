package service

import "testing"

// FuzzAnswers has read what BIRD and the kernel's routing tables may say.
func FuzzAnswers(f *testing.F) {
	f.Add("BIRD 2.0.12 ready.\nName       Proto      Table      State  Since         Info\nneighbour  BGP        ---        up     12:00:00      Established\n")
	f.Add("Main:\n\tAver depth:     2.50\n\tPrefixes:       500\n")
	f.Add("0001 0002 0003 0004 0005 0006 0007\n")
	f.Fuzz(func(t *testing.T, text string) {
		_ = sessionState(text)
		for name, read := range map[string]func(string) (int, error){"trie": trieRoutes, "rt6": rt6Routes} {
			if n, err := read(text); err == nil && n < 0 {
				t.Errorf("%s: %d routes of %q", name, n, text)
			}
		}
	})
}
