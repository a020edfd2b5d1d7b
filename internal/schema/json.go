package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// patterns are what words look like that are no plain numbers in YAML (regular expressions of
// ECMA-262, as JSON Schema has them).
var patterns = map[Kind]string{
	Whole:              `^(0[xX][0-9a-fA-F_]+|[0-9][0-9_]*)$`,
	Scaled:             `^[0-9._]+([eE][+]?[0-9]+)?[kKmMgGT]?$`,
	ScaledWhole:        `^(0[xX][0-9a-fA-F_]+|[0-9._]+([eE][+]?[0-9]+)?[kKmMgGT]?)$`,
	Number:             `^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$`,
	Percentage:         `^([0-9.]+([eE][-+]?[0-9]+)? *%|0+([.]0*)?)$`,
	PercentageOrNumber: `^[0-9.]+([eE][-+]?[0-9]+)? *%?$`,
	Span:               `^[+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`,
	FileSize:           `^[0-9._]+ *([kKMGT]?B|[kMGT]|[KMGT]iB)?$`,
}

// An object is a part of a JSON Schema.
type object = map[string]any

// JSONSchema returns the JSON Schema (draft 7, which editors know) of documents of a shape.
func JSONSchema(title string, s Shape) ([]byte, error) {
	definitions := object{}
	root := object{"$schema": "http://json-schema.org/draft-07/schema#", "title": title}
	maps.Copy(root, s.schema(definitions))
	if len(definitions) > 0 {
		root["definitions"] = definitions
	}
	var b bytes.Buffer
	err := layOut(&b, root, fieldDepth, "")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// fieldDepth is how deep fields of definitions are: in "definitions", a definition, "properties".
const fieldDepth = 4

// layOut writes a value with objects down to a depth over several lines, so that each field of a
// plan has a line of its own.
func layOut(b *bytes.Buffer, v any, depth int, margin string) error {
	o, is := v.(object)
	if !is || depth == 0 || len(o) == 0 {
		text, err := json.Marshal(v)
		b.Write(text)
		return err
	}
	separator := "{"
	for _, key := range slices.Sorted(maps.Keys(o)) {
		name, err := json.Marshal(key)
		if err != nil {
			return err
		}
		b.WriteString(separator + "\n " + margin + string(name) + ": ")
		if err := layOut(b, o[key], depth-1, margin+" "); err != nil {
			return err
		}
		separator = ","
	}
	b.WriteString("\n" + margin + "}")
	return nil
}

// schema returns what a value of the shape has to be. Shapes within it that have a name come to be
// definitions.
func (s Shape) schema(definitions object) object {
	switch {
	case len(s.Either) > 0:
		return object{"anyOf": each(s.Either, func(one Shape) any { return one.referred(definitions) })}
	case s.Items != nil:
		item := s.Items.referred(definitions)
		list := object{"type": "array", "minItems": max(s.Least, 1), "items": item}
		if s.Least > 1 {
			return list
		}
		return object{"anyOf": []any{list, item}}
	case len(s.Words) > 0:
		return object{"enum": choices(s.Words)}
	case s.Kind == Any:
		return object{}
	case s.Kind != "":
		return s.word()
	}
	properties, prefixed, needed := object{}, object{}, []string{}
	for _, f := range s.Fields {
		if f.Prefixed {
			prefixed["^"+f.Key] = f.schema(definitions)
			continue
		}
		properties[f.Key] = f.schema(definitions)
		if f.Needed {
			needed = append(needed, f.Key)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(prefixed) > 0 {
		out["patternProperties"] = prefixed
	}
	if len(needed) > 0 {
		out["required"] = needed
	}
	return out
}

// referred returns the schema of the shape, or a reference to its definition.
func (s Shape) referred(definitions object) object {
	if s.Kind != "" && s.Low+s.High == "" {
		s = s.Call(string(s.Kind))
	}
	if s.Named == "" {
		return s.schema(definitions)
	}
	name := strings.ReplaceAll(s.Named, " ", "-")
	if definitions[name] == nil {
		definitions[name] = object{} // an object may hold itself
		definitions[name] = s.schema(definitions)
	}
	return object{"$ref": "#/definitions/" + name}
}

// schema returns what the value of the field has to be, with what it means.
func (f Described) schema(definitions object) object {
	out := f.Shape.referred(definitions)
	if out["$ref"] != nil { // beside which draft 7 reads nothing
		out = object{"allOf": []any{out}}
	}
	text := Plain(f.Means)
	if f.Default != "" {
		text += "\ndefault: " + Plain(f.Default)
	}
	if text != "" {
		out["description"] = text
	}
	return out
}

// word returns what a single value has to be: YAML makes numbers and booleans of some words.
func (s Shape) word() object {
	number := object{"type": "number"}
	bounded := func(key, bound string) {
		if v, err := strconv.ParseFloat(bound, 64); err == nil {
			number[key] = v
		}
	}
	switch s.Kind {
	case Text:
		return object{"type": []string{"string", "number", "boolean"}, "minLength": 1}
	case YesOrNo:
		return object{"enum": []any{true, false, "true", "false", "yes", "no"}}
	case Span, Percentage: // of which 0 alone takes no unit
		number = object{"const": 0}
		if s.Low != "" && s.Low != "0" && s.Low != "0s" {
			return object{"type": "string", "pattern": patterns[s.Kind]}
		}
	case Whole, ScaledWhole:
		number["type"] = "integer"
		number["minimum"] = 0.
	case Scaled:
		number["exclusiveMinimum"] = 0.
	}
	if number["const"] == nil {
		bounded("minimum", s.Low)
		bounded("maximum", s.High)
	}
	return object{"anyOf": []any{number, object{"type": "string", "pattern": patterns[s.Kind]}}}
}

// choices returns words, and the numbers that YAML makes of some.
func choices(words []string) (out []any) {
	for _, word := range words {
		out = append(out, word)
		if v, err := strconv.ParseInt(word, 0, 64); err == nil {
			out = append(out, v)
		} else if v, err := strconv.ParseFloat(word, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// each returns what is made of each item.
func each[T any](items []T, of func(T) any) []any {
	return slices.Collect(func(yield func(any) bool) {
		for _, item := range items {
			if !yield(of(item)) {
				return
			}
		}
	})
}
