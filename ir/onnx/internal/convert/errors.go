package convert

import (
	"fmt"
	"sort"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
)

// NodeError is an error about one node.
type NodeError struct {
	// Name is the name of the node, which may be empty, and Output that of its first output.
	Name, Output     string
	Domain, Operator string
	// Version is that of the operator; 0 if it is not known.
	Version int
	Err     error
}

func (e *NodeError) Error() string {
	return fmt.Sprintf("%s (%s): %v", nodeText(e.Name, e.Output), operatorText(e.Domain, e.Operator, e.Version), e.Err)
}

func (e *NodeError) Unwrap() error { return e.Err }

// maxNameText is the number of characters of a name that errors have.
const maxNameText = 200

// nodeText returns what identifies a node: its name or, if it has none, its first output.
func nodeText(name, output string) string {
	if name == "" {
		return "the node of " + printable.Quote(output, maxNameText)
	}
	return "node " + printable.Quote(name, maxNameText)
}

// operatorText returns an operator as "Add-14" or "com.microsoft:Gelu-1".
func operatorText(domain, name string, version int) string {
	text := printable.Name(name, maxNameText)
	if domain != "" {
		text = printable.Name(domain, maxNameText) + ":" + text
	}
	if version > 0 {
		text = fmt.Sprintf("%s-%d", text, version)
	}
	return text
}

// UnsupportedError lists all operators of a model that cannot be converted.
type UnsupportedError struct {
	Operators []UnsupportedOperator
}

// UnsupportedOperator is an operator that cannot be converted.
type UnsupportedOperator struct {
	Domain, Operator string
	// Imported is the version of the domain that the model uses.
	Imported int
	// Nodes is the number of nodes that the outputs need, and First identifies the first of them.
	Nodes  int
	First  string
	Reason string
}

// String returns "Foo of version 13 (2 nodes, first node "a": no such operator is known)".
func (o *UnsupportedOperator) String() string {
	nodes := "nodes"
	if o.Nodes == 1 {
		nodes = "node"
	}
	return fmt.Sprintf("%s of version %d (%d %s, first %s: %s)", operatorText(o.Domain, o.Operator, 0), o.Imported, o.Nodes, nodes, o.First, o.Reason)
}

// maxListed is the number of operators that the text of an error lists.
const maxListed = 50

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d operators are not supported", len(e.Operators))
	if len(e.Operators) == 1 {
		b.Reset()
		b.WriteString("an operator is not supported")
	}
	for i, o := range e.Operators {
		if i == maxListed {
			b.WriteString("; and others")
			break
		}
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		b.WriteString(separator + o.String())
	}
	return b.String()
}

// Unsupported implements validate.Unsupported.
func (e *UnsupportedError) Unsupported() bool { return true }

// unsupported collects operators that cannot be converted.
type unsupported map[operator]*UnsupportedOperator

// add counts a node. label identifies it.
func (u unsupported) add(key operator, imported int, label, reason string) {
	o := u[key]
	if o == nil {
		o = &UnsupportedOperator{Domain: key.domain, Operator: key.name, Imported: imported, First: label, Reason: reason}
		u[key] = o
	}
	o.Nodes++
}

// err returns an *UnsupportedError, with the most frequent operators first; nil if there are none.
func (u unsupported) err() error {
	if len(u) == 0 {
		return nil
	}
	e := &UnsupportedError{}
	for _, o := range u {
		e.Operators = append(e.Operators, *o)
	}
	// Unlike slices.SortFunc, sort.Slice has no instance of its own for each type.
	sort.Slice(e.Operators, func(i, j int) bool {
		a, b := &e.Operators[i], &e.Operators[j]
		if a.Nodes != b.Nodes {
			return a.Nodes > b.Nodes
		}
		return a.Domain+":"+a.Operator < b.Domain+":"+b.Operator
	})
	return e
}

// Missing returns the first operator, which is the most frequent one.
func (e *UnsupportedError) Missing() string {
	return operatorText(e.Operators[0].Domain, e.Operators[0].Operator, 0)
}
