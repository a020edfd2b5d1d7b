package main

import "testing"

// Each command that people may call is listed once, and nothing is that is none.
func TestPurposes(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	listed := map[string]int{}
	for _, p := range purposes {
		for _, name := range p.verbs {
			listed[name]++
		}
	}
	for _, verb := range root.Commands() {
		if n := listed[verb.Name()]; !verb.Hidden && n != 1 || verb.Hidden && n != 0 {
			t.Errorf("%s is listed %d times", verb.Name(), n)
		}
		delete(listed, verb.Name())
	}
	for name := range listed {
		if len(linuxVerbs) > 0 { // other systems lack some
			t.Errorf("there is no command %s", name)
		}
	}
}
