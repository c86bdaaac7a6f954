// Package check finds in a model what ONNX's own checker refuses, whether or not the model can be
// converted: https://github.com/onnx/onnx/blob/main/onnx/checker.cc. It looks at all nodes, also at
// those that no output needs.
//
// Types and shapes are not compared: converting the model infers them. A tensor in a file of its
// own is not looked at.
package check

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Kind says what a problem is about.
type Kind uint8

// The kinds of problems.
const (
	// KindGraph is about values: one that nothing defines, or that is defined twice or too late.
	KindGraph Kind = iota
	// KindField is about a field that a message must have, or must not have.
	KindField
	// KindVersion is about the version of the format, or of a domain.
	KindVersion
	// KindNode is about a node whose operator is not known, or demands another form.
	KindNode
)

// Problem is what the checker refuses.
type Problem struct {
	Kind    Kind
	Message string
}

// maxProblems is the largest number of problems of a model.
const maxProblems = 10_000

// NewestIR is the newest version of the format that is known.
const NewestIR = 14

// maxName is the number of characters of a name that messages have.
const maxName = 200

// Model returns the problems of a model, and how many there are beyond the limit. The error is that
// of ctx.
func Model(ctx context.Context, m *proto.Model) (problems []Problem, more int, err error) {
	c := &checker{ctx: ctx, irVersion: m.IRVersion, schemas: readSchemas(), functions: make(map[function]*proto.Function)}
	c.model(m)
	return c.problems, c.more, ctx.Err()
}

// checker is the state of checking one model.
type checker struct {
	ctx       context.Context
	irVersion int64
	schemas   map[string][]schema
	functions map[function]*proto.Function
	problems  []Problem
	more      int
}

// function identifies a function of the model.
type function struct{ domain, name, overload string }

// add adds a problem.
func (c *checker) add(kind Kind, format string, args ...any) {
	if len(c.problems) == maxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, Problem{kind, faults.Errorf(format, args...).Error()})
}

// addAt adds a problem of a node.
func (c *checker) addAt(node *proto.Node, kind Kind, format string, args ...any) {
	e := convert.NodeError{Name: node.Name, Domain: domainOf(node.Domain), Operator: node.Operator, Err: faults.Errorf(format, args...)}
	for _, name := range node.Outputs {
		if e.Output == "" {
			e.Output = name
		}
	}
	c.add(kind, "%s", e.Error())
}

// quote returns a name for a message.
func quote(name string) string { return printable.Quote(name, maxName) }

// domainOf returns the name of a domain: "" for "ai.onnx", which is the same.
func domainOf(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

// model checks a model.
func (c *checker) model(m *proto.Model) {
	switch {
	case m.IRVersion < 1:
		c.add(KindVersion, "the file has no ir_version")
	case m.IRVersion > NewestIR:
		c.add(KindVersion, "the file has IR version %d, the newest that is known is %d", m.IRVersion, NewestIR)
	case m.IRVersion >= 3 && len(m.Imports) == 0:
		c.add(KindVersion, "the model imports no version of the operators, which IR version %d demands", m.IRVersion)
	case m.IRVersion < 3 && len(m.Imports) > 0:
		c.add(KindVersion, "the model imports versions of operators, which IR version %d does not have", m.IRVersion)
	}
	keys := make(map[string]bool, len(m.Metadata))
	for _, e := range m.Metadata {
		if keys[e.Key] {
			c.add(KindField, "the metadata has two entries of the key %s", quote(e.Key))
		}
		keys[e.Key] = true
	}
	imports := importsOf(m.Imports, nil)
	if len(m.Imports) == 0 {
		imports[""] = 1
	}
	for _, f := range m.Functions {
		key := function{domainOf(f.Domain), f.Name, f.Overload}
		if c.functions[key] != nil {
			c.add(KindGraph, "function %s of domain %s is there twice", quote(f.Name), quote(f.Domain))
		}
		c.functions[key] = f
	}
	for _, f := range m.Functions {
		c.function(f, imports)
	}
	c.recursion(m.Functions)
	c.graph(m.Graph, &scope{imports: imports})
}

// importsOf returns the version of each domain in list, and of those in outer that are not in it.
func importsOf(list []proto.Import, outer map[string]int64) map[string]int64 {
	versions := make(map[string]int64, len(list)+len(outer))
	for domain, v := range outer {
		versions[domain] = v
	}
	for _, i := range list {
		versions[domainOf(i.Domain)] = i.Version
	}
	return versions
}
