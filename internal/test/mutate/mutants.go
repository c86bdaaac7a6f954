package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sourceFile is a file of the package under test.
type sourceFile struct {
	path   string // absolute
	source []byte
	hash   string
}

// mutant is a file with one change: source[from:to] becomes with.
type mutant struct {
	file     *sourceFile
	from, to int
	with     string

	line, column int
	text, next   string // the line of source and the line after it, without the space around them
	what         string // the change, for people
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", relative(m.file.path), m.line, m.column, m.what, m.text)
}

// key identifies m in a log. It changes with the content of the file.
func (m *mutant) key() string {
	return fmt.Sprintf("%s:%d:%d %s %s", relative(m.file.path), m.line, m.column, m.what, m.file.hash)
}

// source returns the changed file.
func (m *mutant) source() []byte {
	s := m.file.source
	return bytes.Join([][]byte{s[:m.from], []byte(m.with), s[m.to:]}, nil)
}

// relative returns path relative to the working folder if that is shorter.
func relative(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(dir, path); err == nil && len(short) < len(path) {
			return filepath.ToSlash(short)
		}
	}
	return path
}

// mutantsOf returns the mutants of a package, without those of generated files.
func mutantsOf(p goPackage) (mutants []*mutant, err error) {
	for _, name := range p.Files {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found, err := mutantsOfFile(path, source)
		if err != nil {
			return nil, err
		}
		mutants = append(mutants, found...)
	}
	return mutants, nil
}

// mutantsOfFile returns the mutants of one file, in the order of the source.
func mutantsOfFile(path string, source []byte) ([]*mutant, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	f := &finder{
		file:  &sourceFile{path: path, source: source, hash: fmt.Sprintf("%x", sha256.Sum256(source))[:12]},
		set:   set,
		lines: strings.Split(string(source), "\n"),
	}
	ast.Inspect(tree, f.visit)
	return f.mutants, nil
}

// finder collects the mutants of a file.
type finder struct {
	file    *sourceFile
	set     *token.FileSet
	lines   []string
	mutants []*mutant
	// returnsError holds, for each function around the current node, the number of its results if
	// the last is an error, else 0.
	returnsError []int
	stack        []ast.Node
}

// add adds the mutant that has with in place of the source from one position to another.
func (f *finder) add(from, to token.Pos, with, what string) {
	at := f.set.Position(from)
	next := ""
	if at.Line < len(f.lines) {
		next = strings.TrimSpace(f.lines[at.Line])
	}
	f.mutants = append(f.mutants, &mutant{
		file: f.file, from: at.Offset, to: f.set.Position(to).Offset, with: with, what: what,
		line: at.Line, column: at.Column, text: strings.TrimSpace(f.lines[at.Line-1]), next: next,
	})
}

// source returns the source of n.
func (f *finder) source(n ast.Node) string {
	return string(f.file.source[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// operators lists what each operator is replaced by.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.AND_ASSIGN: {token.OR_ASSIGN}, token.OR_ASSIGN: {token.AND_ASSIGN},
	token.SHL_ASSIGN: {token.SHR_ASSIGN}, token.SHR_ASSIGN: {token.SHL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// replace adds the mutants of an operator or keyword at pos.
func (f *finder) replace(pos token.Pos, tok token.Token) {
	for _, other := range operators[tok] {
		f.add(pos, pos+token.Pos(len(tok.String())), other.String(), tok.String()+" to "+other.String())
	}
}

// visit adds the mutants of a node. It is a function for ast.Inspect.
func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		last := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		switch last.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			f.returnsError = f.returnsError[:len(f.returnsError)-1]
		}
		return true
	}
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Comment, *ast.CommentGroup:
		return false
	case *ast.FuncDecl:
		f.returnsError = append(f.returnsError, errorResults(n.Type))
	case *ast.FuncLit:
		f.returnsError = append(f.returnsError, errorResults(n.Type))
	case *ast.BinaryExpr:
		// + on strings has no opposite.
		if n.Op != token.ADD || !isString(n.X) && !isString(n.Y) {
			f.replace(n.OpPos, n.Op)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.add(n.OpPos, n.X.Pos(), "", "without "+n.Op.String())
		}
	case *ast.BasicLit:
		f.constant(n)
	case *ast.IfStmt:
		f.condition(n.Cond, n.Body.List)
	case *ast.CaseClause:
		if s, ok := f.stack[len(f.stack)-2].(*ast.SwitchStmt); ok && s.Tag == nil && len(n.List) == 1 {
			f.condition(n.List[0], n.Body)
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			f.add(n.Cond.Pos(), n.Cond.End(), "false && ("+f.source(n.Cond)+")", "condition to false")
		}
	case *ast.BranchStmt:
		f.replace(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		if !f.isPost(n) {
			f.replace(n.TokPos, n.Tok)
		}
	case *ast.AssignStmt:
		if !f.isPost(n) {
			f.replace(n.TokPos, n.Tok)
			if n.Tok != token.DEFINE && f.inBlock() {
				f.remove(n)
			}
		}
	case *ast.ExprStmt:
		if !isPanic(n) && f.inBlock() {
			f.remove(n)
		}
	case *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		f.remove(n)
	case *ast.ReturnStmt:
		f.noError(n)
	}
	f.stack = append(f.stack, n)
	return true
}

// constant adds the mutants of an integer.
func (f *finder) constant(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	f.add(n.Pos(), n.End(), "("+n.Value+"+1)", n.Value+" plus 1")
	if value, err := strconv.ParseUint(n.Value, 0, 64); err == nil && value > 0 {
		f.add(n.Pos(), n.End(), "("+n.Value+"-1)", n.Value+" minus 1")
	}
}

// condition adds the mutants of a condition that is always true or always false. If its branch only
// panics, no input makes it true.
func (f *finder) condition(cond ast.Expr, body []ast.Stmt) {
	f.add(cond.Pos(), cond.End(), "true || ("+f.source(cond)+")", "condition to true")
	if len(body) != 1 || !isPanic(body[0]) {
		f.add(cond.Pos(), cond.End(), "false && ("+f.source(cond)+")", "condition to false")
	}
}

// remove adds the mutant that does not run a statement. The statement stays, so that its variables
// and imports are still used.
func (f *finder) remove(n ast.Node) {
	f.add(n.Pos(), n.End(), "if false { "+f.source(n)+" }", "statement removed")
}

// noError adds the mutant that returns nil in place of an error.
func (f *finder) noError(n *ast.ReturnStmt) {
	results := f.returnsError[len(f.returnsError)-1]
	if results == 0 || len(n.Results) != results {
		return
	}
	last := n.Results[results-1]
	if name, ok := last.(*ast.Ident); ok && name.Name == "nil" {
		return
	}
	// The error is still computed, and its variables are used.
	f.add(last.Pos(), last.End(), "func() error { _ = "+f.source(last)+"; return nil }()", "nil for the error")
}

// inBlock reports whether the current node, which is not yet on the stack, is a statement of a
// block or of a case, not the first part of an if, for or switch.
func (f *finder) inBlock() bool {
	switch f.stack[len(f.stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// isPost reports whether n is the last part of the head of a loop. Without it, most loops never
// end.
func (f *finder) isPost(n ast.Stmt) bool {
	loop, ok := f.stack[len(f.stack)-1].(*ast.ForStmt)
	return ok && loop.Post == n
}

// errorResults returns the number of results of a function if the last is an error, else 0.
func errorResults(t *ast.FuncType) int {
	if t.Results == nil {
		return 0
	}
	last := t.Results.List[len(t.Results.List)-1]
	if name, ok := last.Type.(*ast.Ident); !ok || name.Name != "error" {
		return 0
	}
	return t.Results.NumFields()
}

func isString(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isString(e.X) || isString(e.Y)
	}
	return false
}

func isPanic(s ast.Stmt) bool {
	statement, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == "panic"
}
