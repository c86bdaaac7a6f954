package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exampled lists the packages whose exported functions, types and methods must have examples, and
// the entries that need none, with the reason.
var exampled = []struct {
	dir     string
	without map[string]string
}{
	{".", map[string]string{
		"Format":           "ExampleFormat of ir/onnx has one",
		"Model.NewSession": "ExampleSession calls it",
	}},
	{"plugin", map[string]string{"ProfiledNode": "part of ProfilingInfo"}},
	{"ir", map[string]string{
		"AttributeInfo":      "ExampleDescribeAttributes has one",
		"BackEdge":           "part of Body",
		"Body":               "read from a file, and used by rules of layers with bodies only",
		"BodyPort":           "part of Body",
		"ConstRange":         "part of Layer",
		"Input":              "ExampleLayer has some",
		"Output":             "ExampleModel has one",
		"Ranked":             "ExampleTopK has some",
		"Tensor.Format":      "package fmt calls it",
		"Tensor.MarshalJSON": "package encoding/json calls it",
		"PortFix":            "ExampleReport_PortFixes of ir/validate has one",
	}},
	{"ir/infer", map[string]string{"Context": "part of Inference; ExampleContextOf has one"}},
	{"ir/diff", map[string]string{"Report": "ExampleModels has one", "WeightsDifference": "part of Difference"}},
	{"ir/edit", map[string]string{
		"Attributes":             "ExampleBuilder has some",
		"Check":                  "ExampleEditor calls it",
		"Declare":                "ExampleEditor_Replace calls it",
		"Editor.Forget":          "for passes, as ExampleEditor",
		"Editor.MissingConstant": "for passes, as ExampleEditor",
		"First":                  "ExampleEditor has some",
		"Inputs":                 "part of Editor.Insert",
		"Prune":                  "ExampleEditor_Replace calls it",
		"Sort":                   "part of Editor.Finish",
		"SourceOf":               "the inverse of Source.Input",
	}},
	{"preprocess", nil},
	{"text/chat", map[string]string{
		"Message":               "Example has some",
		"Message.MarshalJSON":   "package encoding/json calls it",
		"Message.UnmarshalJSON": "ExampleParseMessages calls it",
		"Object.MarshalJSON":    "ExampleObject calls it",
		"Object.UnmarshalJSON":  "ExampleObject calls it",
		"Part":                  "ExampleTemplate_Render has one",
		"Part.MarshalJSON":      "package encoding/json calls it",
		"Tool":                  "ExampleTemplate_Render has one",
		"Tool.MarshalJSON":      "package encoding/json calls it",
		"ToolCall":              "ExampleTemplate_Render has one",
		"ToolCall.MarshalJSON":  "package encoding/json calls it",
	}},
	{"ir/validate", map[string]string{"FindingRule": "ExampleFindingRules has some"}},
}

// TestExamples checks that pkg.go.dev shows an example of every exported entry. See hasExample.
func TestExamples(t *testing.T) {
	for _, p := range exampled {
		c := parseExamples(t, filepath.Join("..", "..", "..", p.dir))
		for _, name := range slices.Sorted(maps.Keys(c.entries)) {
			_, listed := p.without[name]
			assert.NotEqual(t, listed, c.hasExample(name), "%s: whether %s has an example, and whether it is on the list of those without", p.dir, name)
		}
		for name := range p.without {
			assert.Contains(t, c.entries, name, p.dir)
		}
	}
}

// implied are methods that every reader knows, since they implement interfaces.
var implied = []string{"String", "Error", "Unwrap"}

// examples are the exported entries of a package and its examples.
type examples struct {
	// entries has the exported functions, types and methods, such as "Open" and "Model.Infer". The
	// value is the type that a function returns, under which pkg.go.dev shows it; otherwise "".
	entries map[string]string
	isType  map[string]bool
	// uses has what the body of an example selects, such as "Infer", by the name of the example.
	uses map[string]map[string]bool
}

// hasExample reports whether an entry has an example: one that is named for it or, for a method or
// a function that returns a type, one of its type that calls it. A type without methods, such as
// options, needs only one that uses it.
func (e *examples) hasExample(entry string) bool {
	owner, called, isMethod := strings.Cut(entry, ".")
	if isMethod && slices.Contains(implied, called) {
		return true
	}
	plain := e.isType[entry] && !e.hasMethods(entry)
	for name, uses := range e.uses {
		of, _, _ := strings.Cut(name, "_")
		switch {
		case of == owner && (!isMethod || uses[called]), plain && uses[entry], of == e.entries[entry] && of != "" && uses[entry]:
			return true
		}
	}
	return false
}

// hasMethods reports whether the type entry has methods.
func (e *examples) hasMethods(entry string) bool {
	for name := range e.entries {
		if method, ok := strings.CutPrefix(name, entry+"."); ok && !slices.Contains(implied, method) {
			return true
		}
	}
	return false
}

// parseExamples parses the package in dir.
func parseExamples(t *testing.T, dir string) *examples {
	t.Helper()
	e := &examples{make(map[string]string), make(map[string]bool), make(map[string]map[string]bool)}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			e.add(d, strings.HasSuffix(path, "_test.go"))
		}
	}
	return e
}

// add adds a declaration.
func (e *examples) add(d ast.Decl, inTest bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if inTest {
			if name, ok := strings.CutPrefix(d.Name.Name, "Example"); ok {
				e.uses[name] = selected(d)
			}
			return
		}
		if name, result := entryOf(d); name != "" {
			e.entries[name] = result
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && !inTest {
				e.entries[s.Name.Name], e.isType[s.Name.Name] = "", true
			}
		}
	}
}

// entryOf returns the name of an exported function, or of an exported method of an exported type,
// and the type that a function returns first.
func entryOf(d *ast.FuncDecl) (name, result string) {
	if !d.Name.IsExported() {
		return "", ""
	}
	if d.Recv != nil {
		if receiver := typeName(d.Recv.List[0].Type); ast.IsExported(receiver) {
			return receiver + "." + d.Name.Name, ""
		}
		return "", ""
	}
	if r := d.Type.Results; r != nil {
		if result = typeName(r.List[0].Type); !ast.IsExported(result) {
			result = ""
		}
	}
	return d.Name.Name, result
}

// typeName returns the name of a type of the package or of a pointer to it, or of a slice of them.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return typeName(e.Elt)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// selected returns the names after a dot in the body of a function.
func selected(d *ast.FuncDecl) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			names[s.Sel.Name] = true
		}
		return true
	})
	return names
}
