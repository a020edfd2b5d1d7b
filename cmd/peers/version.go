package main

import "strings"

// versionOf is a program with the first word that looks like a version in what
// it says of itself: "trafgen 0.6.8".
func versionOf(program, said string) string {
	for word := range strings.FieldsSeq(said) {
		word = strings.Trim(word, "',()")
		if word != "" && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return program + " " + word
		}
	}
	return program + ", version unknown"
}
