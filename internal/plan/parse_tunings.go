package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/dut"
	"weir/internal/schema"
	"weir/internal/sim"
)

// What tunings are called that have a part of their name from the user.
const (
	sysctlPrefix = "sysctl "
	commandName  = "command"
	programName  = "program"
)

// asItIs is the value of a tuning that leaves things as they are.
const asItIs = "default"

// canonical says how values of each kind are written, and how a record has them. Whether a DUT
// can be set to them is for its platform to say.
var canonical = map[weir.Values]schema.Word[string]{
	weir.Words:  asWritten,
	weir.Switch: {Read: onOff, Shape: schema.Either(schema.Choice("on", "off"), schema.Bool.Shape)},
	weir.Count:  recordedAs(schema.Count, strconv.Itoa),
	weir.Rates:  recordedAs(schema.Rate, plainNumber),
	weir.Shares: recordedAs(schema.Share, plainNumber),
	weir.Times:  recordedAs(schema.Duration, func(d time.Duration) string { return strconv.FormatInt(d.Nanoseconds(), 10) }),
}

// recordedAs is a word that a record has in another way.
func recordedAs[T any](word schema.Word[T], show func(T) string) schema.Word[string] {
	return schema.Word[string]{Shape: word.Shape, Read: func(s string) (string, error) {
		v, err := word.Read(s)
		return show(v), err
	}}
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// tunings are what can be set at a DUT by a name of one word, which has one value: of
// an operating system, or of a simulated one.
func tunings(simulated bool) []weir.TuningInfo {
	if simulated {
		return sim.Tunings()
	}
	return slices.DeleteFunc(dut.Tunings(), func(t weir.TuningInfo) bool {
		return strings.HasPrefix(t.Name, sysctlPrefix) || t.Name == commandName || t.Name == programName
	})
}

// isTuning reports whether some of them have a name.
func isTuning(all []weir.TuningInfo, name string) bool {
	return slices.ContainsFunc(all, func(t weir.TuningInfo) bool { return t.Name == name })
}

// tuningFields are the fields of tunings; n is where they may be, for those
// whose names are the user's.
func (r *reader) tuningFields(n node, c *weir.Condition) []field {
	var out []field
	for _, t := range tunings(r.sim) {
		out = append(out, tuningField(t, c))
	}
	for _, e := range n.entries {
		if strings.HasPrefix(e.key.text, sysctlPrefix) {
			out = append(out, tuningField(weir.TuningInfo{Name: e.key.text}, c))
		}
	}
	return append(out, r.commandField(c), r.programField(c))
}

// tuningField describes a setting of a DUT that has one value.
func tuningField(t weir.TuningInfo, c *weir.Condition) field {
	shape := func() schema.Shape { return schema.Either(schema.Choice(asItIs), canonical[t.Values].Shape) }
	levels := ""
	if t.Takes != "" {
		levels = "[" + t.Takes + "]"
	}
	return custom(t.Name, shape, func(r *reader, n node) {
		word := r.word(n, t.Name)
		if word == "" {
			return
		}
		if word == asItIs {
			c.Put(weir.Tuning{Name: t.Name})
			return
		}
		value, err := canonical[t.Values].Read(word)
		if err != nil {
			r.wrong(n, "%s: %v; or %s, which leaves it as it is", t.Name, err, asItIs)
			return
		}
		c.Put(weir.Tuning{Name: t.Name, Value: value})
	}).means(t.Summary, "`"+asItIs+"`, as it is").varies(variation{levels: levels})
}

// commandField describes a command of the user's with the one that undoes it, or the name of
// what a person sets by hand; "none" is no command.
func (r *reader) commandField(c *weir.Condition) field {
	shape := func() schema.Shape {
		return schema.Either(schema.Choice("none", asItIs), objectOf("a command", commandFields(&weir.Tuning{})...))
	}
	return custom(commandName, shape, func(r *reader, n node) { r.command(n, c) }).
		means("a command of your own, run at the DUT by its shell, and the one that undoes it, or `{name: x}` alone for what you [set by hand](ports.md#settings-of-the-box) at a box behind ports when weir asks for it", "`none`").
		varies(variation{levels: "[none, {name: x, do: ..., undo: ...}]"})
}

// commandFields are the fields of a command of the user's.
func commandFields(t *weir.Tuning) []field {
	return []field{
		scalarField("name", &t.Arm, schema.Line).means("how reports call the level", "the command"),
		scalarField("do", &t.Value, schema.Line).means("what sets the level", ""),
		scalarField("undo", &t.Undo, schema.Line).means("what takes it back", ""),
	}
}

// programField describes a program of the user's that stays and forwards; "none" is none.
func (r *reader) programField(c *weir.Condition) field {
	shape := func() schema.Shape {
		return schema.Either(schema.Line.Shape, objectOf("a program", programFields(&weir.Tuning{})...))
	}
	return custom(programName, shape, func(r *reader, n node) { r.program(n, c) }).
		means("a program of your own that stays and forwards", "`none`").
		varies(variation{levels: "[none, {name: x, run: ...}]"})
}

// programFields are the fields of a program of the user's.
func programFields(t *weir.Tuning) []field {
	return []field{
		scalarField("name", &t.Arm, schema.Line).means("how reports call the level", "the program"),
		scalarField("run", &t.Value, schema.Line).means("its command line", "").needed(),
	}
}

// command reads a command of the user's.
func (r *reader) command(n node, c *weir.Condition) {
	t := weir.Tuning{Name: commandName}
	if n.kind == scalar {
		if word := r.word(n, commandName); word != "" && word != "none" && word != asItIs {
			r.wrong(n, "a command needs the one that undoes it: {do: %q, undo: ...}, and do: true, say, where there is nothing to undo", word)
		}
	} else {
		r.object(n, "a command", commandFields(&t)...)
		switch byHand := t.ByHand() && t.Undo == ""; {
		case byHand && !r.ports:
			r.wrong(n, "%q has a name alone: it is at a box behind ports (testbed: {kind: ports}) that weir asks for what is set by hand; here give the commands that set it and take it back, do: and undo:", t.Arm)
		case !byHand && (t.Value == "" || t.Undo == ""):
			r.wrong(n, "a command needs do and undo: what sets the level, and what takes it back")
		}
	}
	c.Put(t)
}

// program reads a program of the user's.
func (r *reader) program(n node, c *weir.Condition) {
	t := weir.Tuning{Name: programName}
	if n.kind == scalar {
		if word := r.word(n, programName); word != "" && word != "none" && word != asItIs {
			t.Value = word
		}
	} else {
		r.object(n, "a program", programFields(&t)...)
		if t.Value == "" {
			r.wrong(n, "a program needs its command line: {name: x, run: ...}")
		}
	}
	c.Put(t)
}

// unsimulated names a setting that a simulated DUT does not have; "": it has it.
func unsimulated(s weir.DUTSetting) string {
	switch s := s.(type) {
	case weir.Access:
		return "access"
	case weir.Tuning:
		if !isTuning(sim.Tunings(), s.Name) {
			return s.Name
		}
	}
	return ""
}

func onOff(s string) (string, error) {
	switch s {
	case "on", "yes", "true":
		return "on", nil
	case "off", "no", "false":
		return "off", nil
	}
	return "", fmt.Errorf("%q is neither on nor off", s)
}
