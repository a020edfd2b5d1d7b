package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/schema"
)

// Parameter is one of the parameters of a simulated router: the one place that says what a plan
// may write for it, what a manifest has of it, and whether the condition of a trial may set it.
type Parameter struct {
	schema.Field[Config]
	name   string              // in manifests and messages
	show   func(Config) string // its value in a manifest; "" where that has none
	values weir.Values         // of a condition
	set    func(*Config, string) error
}

// Bounds of what a plan may ask for.
const (
	mostStops    = 1000 // a second
	shortestStop = time.Microsecond
	longestStop  = time.Minute
	unlimited    = math.MaxInt32
	mostShare    = 1 // of a deviation
	longestTime  = time.Duration(math.MaxInt64)
)

// figure is a type of which a parameter may be.
type figure interface{ int | float64 | time.Duration }

// of describes a parameter that is a number, shown with a unit.
func of[T figure](key, name, unit, means, byDefault string, at func(*Config) *T, word schema.Word[T], low, high T) Parameter {
	p := Parameter{Field: schema.Numeric(key, at, word, low, high), name: name}
	p.Means, p.Default = means, byDefault
	p.show = func(c Config) string {
		v := *at(&c)
		if f, ok := any(v).(float64); ok && unit != "" {
			return fmt.Sprintf("%.0f %s", f, unit)
		}
		return strings.TrimSpace(fmt.Sprint(v, " ", unit))
	}
	p.set = func(c *Config, word string) (err error) {
		switch to := any(at(c)).(type) {
		case *int:
			*to, err = strconv.Atoi(word)
		case *float64:
			*to, err = strconv.ParseFloat(word, 64)
		case *time.Duration:
			var n int64
			n, err = strconv.ParseInt(word, 10, 64)
			*to = time.Duration(n)
		}
		return err
	}
	return p
}

// unlessZero leaves the parameter out of a manifest where it is 0.
func (p Parameter) unlessZero() Parameter {
	show := p.show
	zero := show(Config{})
	p.show = func(c Config) string {
		if text := show(c); text != zero {
			return text
		}
		return ""
	}
	return p
}

// settable lets the condition of a trial set the parameter, as a plain number: frames/s and
// prefixes/s, whole nanoseconds, or a part of 1.
func (p Parameter) settable(values weir.Values) Parameter {
	p.values = values
	return p
}

// stops describes for how long something stands still, beside how often.
func stops(key, name, means string, at func(*Config) (often float64, times *[2]time.Duration)) Parameter {
	p := Parameter{name: name}
	one := schema.Within(schema.Duration, shortestStop, longestStop)
	p.Key, p.Means, p.Default, p.Shape = key, means, "`[1ms, 30ms]`", schema.ListOf(one.Shape)
	p.Item = func(c *Config, i int, word string) error {
		v, err := one.Read(word)
		if _, to := at(c); err == nil && i < 2 {
			to[i] = v
		}
		return err
	}
	p.CheckList = func(c *Config, n int) error {
		_, to := at(c)
		if n == 1 {
			to[1] = to[0]
		}
		if n > 2 || to[0] > to[1] {
			return fmt.Errorf("%s needs the shortest and the longest: [1ms, 30ms]", key)
		}
		return nil
	}
	p.Check = func(c Config) error {
		if _, v := at(&c); *v != [2]time.Duration{} && (v[0] <= 0 || v[1] < v[0]) {
			return fmt.Errorf("lengths of %v are not above 0, the shortest one first", *v)
		}
		return nil
	}
	p.show = func(c Config) string {
		often, v := at(&c)
		if often == 0 {
			return ""
		}
		return fmt.Sprintf("%v a second, %v to %v", often, cmp.Or(v[0], ShortestInterruption), cmp.Or(v[1], LongestInterruption))
	}
	return p
}

// often describes how often something stands still; the parameter of how long shows both.
func often(key, means string, at func(*Config) *float64) Parameter {
	p := of(key, "number of "+key+" a second", "", means, "0", at, schema.Fraction, 0, mostStops)
	p.show = func(Config) string { return "" }
	return p
}

// shownWith shows a time, or its default, where the parameter that it belongs to has a value.
func shownWith(p Parameter, byDefault time.Duration, there func(Config) bool) Parameter {
	show := p.show
	p.show = func(c Config) string {
		switch text := show(c); {
		case !there(c):
			return ""
		case text == "0s":
			return byDefault.String()
		default:
			return text
		}
	}
	return p
}

// check says what is wrong with a truth, or nil.
func (c Config) check() error {
	for _, p := range Parameters {
		if p.Check == nil {
			continue
		}
		if err := p.Check(c); err != nil {
			return fmt.Errorf("simulated DUT: %s: %w", p.name, err)
		}
	}
	if !(c.Link >= 0) || math.IsInf(c.Link, 1) {
		return fmt.Errorf("simulated DUT: media rate of %v bit/s is not 0 or more", c.Link)
	}
	return nil
}

// Settings returns the truth about a simulated router, for the manifest. What machines have that
// others use too is left out where it has nothing of that.
func (c Config) Settings() (out []weir.Setting) {
	for _, p := range Parameters {
		if value := p.show(c); value != "" {
			out = append(out, weir.Setting{Where: "dut", Name: p.name, Value: value})
		}
	}
	return out
}

// Tunings returns what of the model the condition of a trial may set (weir.Tuning).
func Tunings() (out []weir.TuningInfo) {
	for _, p := range tunable() {
		out = append(out, weir.TuningInfo{Name: p.Key, Values: p.values, Summary: "of a simulated DUT: " + p.Means})
	}
	return out
}

// tunable returns the parameters that the condition of a trial may set.
func tunable() []Parameter {
	return slices.DeleteFunc(slices.Clone(Parameters), func(p Parameter) bool { return p.values == weir.Words })
}

// tuned returns the truth with other parameters.
func (c Config) tuned(tunings []weir.Tuning) (Config, error) {
	all := tunable()
	for _, t := range tunings {
		i := slices.IndexFunc(all, func(p Parameter) bool { return p.Key == t.Name })
		if i < 0 {
			var names []string
			for _, p := range all {
				names = append(names, p.Key)
			}
			return c, weir.Wrong("a simulated DUT has no setting %s", t.Name).Advise("it has %s", strings.Join(names, ", "))
		}
		if err := all[i].set(&c, t.Value); err != nil {
			return c, weir.Wrong("the setting %s of a simulated DUT: %q is no plain number", t.Name, t.Value).Advise("frames/s, whole nanoseconds, or a part of 1")
		}
	}
	return c, nil
}
