package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/dut"
	"weir/internal/schema"
)

// factor is a factor of a plan with its levels as they were written.
type factor struct {
	name    string
	at      node
	levels  []node
	names   []string         // that the user gave to the levels; "": none
	sets    []weir.Condition // what of the DUT each of them sets
	traffic bool
}

// written are the names of the levels: those that the user gave them, or what was
// written.
func (f factor) written() []string {
	var out []string
	for i, n := range f.levels {
		out = append(out, cmp.Or(f.names[i], f.says(n)))
	}
	return out
}

// says is a level as it was written, or what a machine boots.
func (f factor) says(n node) string {
	if f.name == kernelName {
		return bootName(n)
	}
	return inOneLine(n)
}

// add adds a level as it was written.
func (f *factor) add(n node) {
	level, name := named(n)
	if f.name == commandName || f.name == programName {
		level = n // a DUT's processes find the name in their environment
	}
	f.levels, f.names = append(f.levels, level), append(f.names, name)
}

// named is a level and the name that the user gave it: that of an object with a name
// and other fields or, for any value, of {name: NAME, level: VALUE}; "": none.
func named(n node) (level node, name string) {
	word, ok := n.find("name")
	if !ok || word.kind != scalar {
		return n, ""
	}
	level = n
	level.entries = slices.DeleteFunc(slices.Clone(n.entries), func(e entry) bool { return e.key.text == "name" })
	if value, ok := level.find("level"); ok && len(level.entries) == 1 {
		level = value
	}
	return level, word.text
}

// values are the levels as results have them: numbers where all of them are.
func (f factor) values() []any {
	var out []any
	for _, n := range f.levels {
		v, err := schema.Count.Read(n.text)
		if n.kind != scalar || err != nil || strings.Join(f.names, "") != "" {
			out = nil
			break
		}
		out = append(out, v)
	}
	if out != nil {
		return out
	}
	for _, name := range f.written() {
		out = append(out, name)
	}
	return out
}

// testbedName is the factor that is neither of the DUT nor of what is sent.
const testbedName = "testbed"

// factor reads one level of one factor.
func (r *reader) factor(n node, l *Level, s *sending, bed Testbed) {
	r.object(n, "a factor", slices.Concat(r.conditionFields(n, &l.Condition), s.fields(), []field{r.testbedField(l, bed), r.kernelField(l, bed)})...)
}

// testbedField is the factor testbed: each of its levels is another one, of the same kind.
func (r *reader) testbedField(l *Level, bed Testbed) field {
	return custom(testbedName, r.testbedShape, func(r *reader, n node) {
		t := bed
		r.testbed(n, &t)
		if t.Kind != bed.Kind {
			r.wrong(n, "a testbed of kind %s beside one of kind %s: take two plans, and weir compare", t.Kind, bed.Kind)
		}
		if l.Testbed != nil && l.Testbed.Kind == VM {
			r.wrong(n, "a level of the testbed says which kernel it has itself: leave one of the factors out, kernel or testbed")
		}
		l.Testbed = &t
	}).means("the testbed itself, which is set up anew for each run", "").
		varies(variation{levels: "[{cpus: {dut: [1]}}, {cpus: {dut: [2, 3]}}]"})
}

// factorsShape describes factors: a list of levels for each.
func (r *reader) factorsShape() schema.Shape {
	fields := append(r.conditionDescribed(), described(append(new(sending).fields(), r.testbedField(&Level{}, Testbed{}), r.kernelField(&Level{}, Testbed{})))...)
	for i, f := range fields {
		named := schema.Object("", schema.Described{Key: "name", Shape: schema.Line.Shape, Needed: true}, schema.Described{Key: "level", Shape: f.Shape, Needed: true})
		shape := withName(f.Shape)
		shape.Either = slices.Clone(shape.Either)
		for i, one := range shape.Either {
			shape.Either[i] = withName(one)
		}
		shape.Named = ""
		fields[i].Shape = schema.Levels(schema.Either(shape, named).Call("level of " + f.Key))
		fields[i].Default, fields[i].Needed = "", false
	}
	return schema.Object("factors", fields...)
}

// withName describes an object that may have a name for reports, too.
func withName(s schema.Shape) schema.Shape {
	if s.Named != "" && !slices.ContainsFunc(s.Fields, func(f schema.Described) bool { return f.Key == "name" }) {
		s.Fields = append(slices.Clone(s.Fields), schema.Described{Key: "name", Shape: schema.Line.Shape, Means: "how reports call the level"})
		s.Named += " with a name"
	}
	return s
}

// combinationsShape describes how the levels of factors are combined.
func combinationsShape() schema.Shape {
	return schema.Either(schema.Choice(fullFactorial, oneAtATime), schema.Levels(schema.Object("", schema.Described{Prefixed: true, Shape: schema.Anything})))
}

// recorded are the levels as a manifest has them: as results do.
func (f factor) recorded() []string {
	var out []string
	for _, v := range f.values() {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// factors reads what an experiment varies.
func (r *reader) factors(n node, s sending, bed Testbed) []factor {
	if n.kind != object || len(n.entries) == 0 {
		r.wrong(n, "factors need levels: {firewall: [none, stateful]}, say; weir list factors has them all")
		return nil
	}
	var out []factor
	traffic := names(s.fields())
	for _, e := range n.entries {
		known := slices.Concat(names(r.conditionFields(n, &weir.Condition{})), []string{testbedName, kernelName}, traffic)
		f := factor{name: e.key.text, at: e.key, traffic: slices.Contains(traffic, e.key.text)}
		for _, item := range e.value.items {
			f.add(item)
		}
		switch {
		case r.sim && !isTuning(tunings(true), f.name) && isTuning(tunings(false), f.name):
			r.wrong(e.key, "a simulated DUT has no %s: weir list factors says what it has", f.name)
			continue
		case e.key.kind != scalar || !slices.Contains(known, f.name):
			r.wrong(e.key, "unknown factor %q%s", f.name, didYouMean(f.name, known))
			continue
		case e.value.kind != list || len(f.levels) < 2:
			r.wrong(e.key, "the factor %s has one level, and nothing to compare it with: give it two at least, [a, b], or put it under dut or traffic", f.name)
			continue
		}
		levels := f.recorded()
		for i, name := range levels {
			if slices.Contains(levels[:i], name) {
				r.wrong(f.levels[i], "the level %q of %s is there twice: the baseline is measured twice by itself (runs.same)", name, f.name)
			}
		}
		for _, level := range f.levels { // also those that no combination has
			l, s := Level{Testbed: &Testbed{}}, s
			r.factor(f.at.with(level), &l, &s, bed)
			f.sets = append(f.sets, l.Condition)
		}
		out = append(out, f)
	}
	return out
}

// with is an object that has the key n with one value.
func (n node) with(value node) node {
	return node{kind: object, line: value.line, column: value.column, entries: []entry{{n, value}}}
}

// combination is which level each factor has, in the order of the factors.
type combination []int

// combinations reads how the levels are combined: a word, or a list.
func (r *reader) combinations(n node, factors []factor) []combination {
	way := fullFactorial
	if n.kind == list {
		return r.listed(n, factors)
	}
	if n.kind != empty {
		oneOf("combinations", &way, fullFactorial, oneAtATime).read(r, n)
	}
	base := make(combination, len(factors))
	out := []combination{base}
	for i, f := range factors {
		var more []combination
		for level := 1; level < len(f.levels); level++ {
			from := out
			if way == oneAtATime {
				from = []combination{base}
			}
			for _, c := range from {
				c = slices.Clone(c)
				c[i] = level
				more = append(more, c)
			}
		}
		if out = append(out, more...); len(out) > mostCombinations {
			r.wrong(factors[0].at, "there are more than %d combinations of these levels: take fewer, or combinations: %s", mostCombinations, oneAtATime)
			return nil
		}
	}
	return out
}

// listed reads combinations one by one; what one of them leaves out has its
// first level.
func (r *reader) listed(n node, factors []factor) []combination {
	var out []combination
	for _, item := range n.items {
		c := make(combination, len(factors))
		var fields []field
		for i, f := range factors {
			fields = append(fields, custom(f.name, nil, func(r *reader, n node) {
				if at := slices.Index(f.written(), f.says(n)); at >= 0 {
					c[i] = at
				} else {
					r.wrong(n, "%s has no level %q; it has %s", f.name, inOneLine(n), strings.Join(f.written(), ", "))
				}
			}))
		}
		before := len(r.mistakes)
		r.object(item, "a combination", fields...)
		if len(r.mistakes) == before && slices.ContainsFunc(out, func(o combination) bool { return slices.Equal(o, c) }) {
			r.wrong(item, "this combination is there twice: the baseline is measured twice by itself (runs.same)")
		}
		out = append(out, c)
	}
	if len(out) < 2 {
		r.wrong(n, "one combination has nothing to be compared with: list two at least")
	}
	return out
}

// experiment reads the factors of a plan and makes a level of each combination.
// The levels of what is sent are no arms where something of the DUT is varied
// in all combinations: that is compared at each of them.
func (r *reader) experiment(n, combined node, s sending, p Plan, sizes []size) ([]Level, []factor) {
	factors := r.factors(n, s, p.Testbed)
	if len(factors) == 0 {
		return nil, nil
	}
	full := combined.kind == empty || combined.text == fullFactorial
	ofDUT := slices.ContainsFunc(factors, func(f factor) bool { return !f.traffic })
	for i := range factors {
		factors[i].traffic = factors[i].traffic && full && ofDUT
		if factors[i].name == "pairs" {
			s.most = mostPairs(pairsOf(factors[i]), s.Pairs)
		}
	}
	var out []Level
	for _, combo := range r.combinations(combined, factors) {
		before := len(r.mistakes)
		l, changed := r.combined(factors, combo, combined.text == oneAtATime, s, p)
		if len(r.mistakes) == before {
			l.Traffic = r.sized(changed, l.Condition, sizes, &origin{factors[0].at, s, p.DUT.Condition})
		}
		out = append(out, l)
	}
	return out, factors
}

// pairsOf are the levels of the factor pairs, as modifiers would have them.
func pairsOf(f factor) node {
	n := node{kind: list}
	for _, level := range f.levels {
		n.items = append(n.items, f.at.with(level))
	}
	return n
}

// baseline is the arm in which no factor differs from its first level, where an
// arm is named for the one that does.
const baseline = "baseline"

// armName names an arm for its levels.
func armName(levels []weir.ArmLevel) string {
	var parts []string
	for _, l := range levels {
		parts = append(parts, l.Factor+" "+l.Name)
	}
	return cmp.Or(strings.Join(parts, ", "), baseline)
}

// combined is the level of one combination. Where a single factor differs in
// each of them, that one is its name.
func (r *reader) combined(factors []factor, combo combination, single bool, s sending, p Plan) (Level, sending) {
	l := Level{Condition: p.DUT.Condition, Set: weir.Factors{}}
	var stratum, where []string
	for i, f := range factors {
		r.factor(f.at.with(f.levels[combo[i]]), &l, &s, p.Testbed)
		name := f.written()[combo[i]]
		level := f.name + " " + name
		usual := single && combo[i] == 0
		l.Set[f.name] = f.values()[combo[i]]
		where = append(where, level)
		switch {
		case f.traffic:
			stratum = append(stratum, level)
		case !usual:
			l.Of = append(l.Of, weir.ArmLevel{Factor: f.name, Name: name, Named: f.names[combo[i]] != "", Set: f.sets[combo[i]]})
		}
	}
	l.Name, l.Arm, l.Stratum = strings.Join(where, ", "), armName(l.Of), strings.Join(stratum, ", ")
	r.checkConflicts(factors, combo, l, p.DUT.Condition)
	return l, s
}

// checkConflicts notes which settings of a combination do not go together: at the DUT where it has
// them in all combinations, at a level that does not go with the DUT, or else at the factors.
func (r *reader) checkConflicts(factors []factor, combo combination, l Level, own weir.Condition) {
	var together weir.Problems
	ofDUT := own.Conflict(dut.Info)
	for _, p := range l.Condition.Conflict(dut.Info) {
		if slices.Contains(ofDUT, p) {
			r.note(r.dutAt.wrong("%s", p.What).Advise("%s", p.Do))
			continue
		}
		alone := false
		for i, level := range combo {
			f, with := factors[i], own
			for _, s := range f.sets[level] {
				with.Put(s)
			}
			if slices.Contains(with.Conflict(dut.Info), p) {
				r.note(f.levels[level].wrong("%s %s: %s", f.name, f.written()[level], p.What).Advise("%s", p.Do))
				alone = true
				break
			}
		}
		if !alone {
			together = append(together, p)
		}
	}
	r.note(factors[0].at.when(together != nil, "%s cannot be combined: %v;", l.Name, together).Advise("list the combinations that can (combinations: [{...}, ...])"))
}

// Factors are what an experiment can vary, for people.
func Factors() []Modifier {
	var r reader
	fields := append(variable(), r.testbedField(&Level{}, Testbed{}), r.kernelField(&Level{}, Testbed{}))
	for _, t := range tunings(true) {
		fields = append(fields, tuningField(t, &weir.Condition{}))
	}
	var out []Modifier
	for _, f := range fields {
		out = append(out, Modifier{Written: f.name + ": " + cmp.Or(f.vary.levels, "[...]"), RFC: f.vary.rfc, Summary: f.summary()})
	}
	return append(out, Modifier{Written: sysctlPrefix + "net.core.netdev_budget: [300, 600]", Summary: "any setting of the kernel by its name"})
}
