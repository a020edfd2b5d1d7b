package claim

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// Read returns the parts of a name as people write it, and as stores of before have it. What
// is none of a figure or a label is a part of what it is called.
func Read(name string) weir.Earned {
	e := weir.Earned{What: name}
	if what, text, some := strings.Cut(name, ", exceed ratio "); some {
		if exceed, ok := readRatio(text); ok {
			e.What, e.Exceed = what, exceed
		}
	}
	if at := strings.LastIndex(e.What, ", "); at >= 0 {
		if label := e.What[at+2:]; slices.Contains(labels, label) || label == irregular {
			e.What, e.Label = e.What[:at], label
		}
	}
	if text, ok := strings.CutPrefix(e.What, goalName+" "); ok {
		return readGoal(e, text)
	}
	if text, ok := strings.CutPrefix(e.What, rateName+" at "); ok {
		if text, ok = strings.CutSuffix(text, " loss"); ok {
			if loss, ok := readRatio(text); ok {
				e.What, e.Loss = rateName, loss
			}
			if e.What == rateName && e.Loss == 0 {
				e.What, e.Label = throughputName, shortTrials
			}
		}
	}
	return e
}

// readGoal adds a goal as a name has it: "1s/21s/0.5 %/50 %".
func readGoal(e weir.Earned, text string) weir.Earned {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return e
	}
	final, err1 := time.ParseDuration(parts[0])
	sum, err2 := time.ParseDuration(parts[1])
	loss, ok1 := readRatio(parts[2])
	exceed, ok2 := readRatio(parts[3])
	if err1 == nil && err2 == nil && ok1 && ok2 {
		e.What, e.Final, e.Sum, e.Loss, e.Exceed = goalName, final.Seconds(), sum.Seconds(), loss, exceed
	}
	return e
}

// readRatio reads a ratio in percent: "0.5 %".
func readRatio(s string) (float64, bool) {
	v, ok := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	return f / 100, ok && err == nil && f >= 0 && f <= 100 && !math.IsNaN(f)
}
