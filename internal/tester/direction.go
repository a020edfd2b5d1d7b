package tester

import "weir"

// directionNames are those of StreamResult, by the direction: 0 for what leaves
// from even ports, 1 for what leaves from odd ones.
var directionNames = [2]string{"forward", "reverse"}

// oneWay is the direction of a traffic that is not bidirectional.
func oneWay(t weir.Traffic) int {
	if t.Backward {
		return 1
	}
	return 0
}
