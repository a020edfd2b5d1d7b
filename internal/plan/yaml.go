package plan

import (
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"weir"
)

// LongestPlan bounds the text of a plan, in octets: a plan fits a page, and a
// recursive parser is not to be fed megabytes of brackets.
const LongestPlan = 64 << 10

// mostNested is how deep lists and mappings may be nested in one line.
const mostNested = 100

// deepest is how many brackets are open at once, or dashes of lists are in a
// line, at most.
func deepest(data []byte) int {
	most, open, dashes := 0, 0, 0
	for i, c := range data {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open--
		case '\n':
			dashes = 0
		case ' ':
			if i > 0 && (data[i-1] == '-' || data[i-1] == '?') {
				dashes++
			}
		}
		most = max(most, open, dashes)
	}
	return most
}

// kind is what a node of a plan is.
type kind int

const (
	empty  kind = iota // a key without a value
	scalar             // one word or number
	list
	object
)

// node is a part of a plan with its place. Scalars keep the text that was
// written: what it means is for the field to say.
type node struct {
	kind         kind
	line, column int
	text         string // of a scalar
	items        []node // of a list
	entries      []entry
}

// start is the place of a plan that has nothing else.
var start = node{kind: empty, line: 1, column: 1}

// entry is one key of an object with its value.
type entry struct {
	key   node
	value node
}

// parseYAML reads the one YAML document of a plan; an absent one is empty.
// What is wrong with the YAML itself is one mistake, as reading stops there.
func parseYAML(data []byte) (root node, wrong weir.Problems) {
	// The parser has panicked on odd input before; a plan must not crash weir.
	defer func() {
		if p := recover(); p != nil {
			wrong = start.wrong("this YAML cannot be read (%v)", p)
		}
	}()
	if len(data) > LongestPlan {
		return node{}, start.wrong("a plan of more than %d octets is not read", LongestPlan)
	}
	if deepest(data) > mostNested {
		return node{}, start.wrong("brackets or dashes within each other, more than %d deep: no plan is like this", mostNested)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return node{}, syntaxMistake(err)
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return start, nil
	case 1:
		return convert(bodies[0])
	}
	second, wrong := convert(bodies[1])
	if wrong != nil {
		return node{}, wrong
	}
	return node{}, second.wrong("a file holds one plan: put the second one into a file of its own")
}

// syntaxMistake is what the parser says, with its place.
func syntaxMistake(err error) weir.Problems {
	at, text := start, err.Error()
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		text = syntax.GetMessage()
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			at.line, at.column = t.Position.Line, t.Position.Column
		}
	}
	return at.wrong("%s", text)
}

// convert turns the parser's tree into ours, without what plans do not use.
func convert(n ast.Node) (node, weir.Problems) {
	out := at(n)
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = empty
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = scalar, n.GetToken().Value
	case *ast.LiteralNode:
		out.kind, out.text = scalar, n.Value.Value
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			item, wrong := convert(v)
			if wrong != nil {
				return node{}, wrong
			}
			out.items = append(out.items, item)
		}
	case ast.MapNode:
		return convertObject(out, n)
	default:
		return node{}, out.wrong("anchors, aliases, tags and merge keys are not understood in plans: write the value out")
	}
	return out, nil
}

func convertObject(out node, n ast.MapNode) (node, weir.Problems) {
	out.kind = object
	for i := n.MapRange(); i.Next(); {
		key, wrong := convert(i.Key())
		if wrong != nil {
			return node{}, wrong
		}
		value, wrong := convert(i.Value())
		if wrong != nil {
			return node{}, wrong
		}
		if len(out.entries) == 0 && key.line == out.line {
			out.column = min(out.column, key.column) // a block begins at its first key, not at the colon
		}
		out.entries = append(out.entries, entry{key, value})
	}
	return out, nil
}

// at is an empty node at the place of n.
func at(n ast.Node) node {
	out := node{line: 1, column: 1}
	if n == nil {
		return out
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line, out.column = max(t.Position.Line, 1), max(t.Position.Column, 1)
	}
	return out
}

// wrong is weir.Wrong at the place of n.
func (n node) wrong(format string, args ...any) weir.Problems {
	return weir.Wrong(format, args...).In(weir.Place{Line: n.line, Column: n.column})
}

// when is weir.When at the place of n.
func (n node) when(is bool, format string, args ...any) weir.Problems {
	return weir.When(is, format, args...).In(weir.Place{Line: n.line, Column: n.column})
}
