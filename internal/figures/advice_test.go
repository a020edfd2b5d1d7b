package figures

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"weir"
)

// Every warning has advice here, and its paragraph in docs/results.md.
func TestEveryWarningHasAdvice(t *testing.T) {
	doc, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := warningCodes(t)
	if len(codes) < 10 {
		t.Fatalf("found only the codes %v", codes)
	}
	for _, code := range codes {
		if Advice[code] == "" {
			t.Errorf("no advice for %s", code)
		}
		if !strings.Contains(string(doc), "| `"+string(code)+"` |") {
			t.Errorf("docs/results.md has no line for %s", code)
		}
	}
	if len(Advice) != len(codes) {
		t.Errorf("advice for %d codes, of %d that there are", len(Advice), len(codes))
	}
}

// warningCodes are the codes that the source of package weir declares.
func warningCodes(t *testing.T) []weir.WarningCode {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../warning.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []weir.WarningCode
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "WarningCode" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, weir.WarningCode(text))
		}
		return true
	})
	return codes
}
