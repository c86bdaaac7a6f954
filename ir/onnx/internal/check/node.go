package check

import (
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// experimental are operators of ONNX's own domain that the checker accepts, although it has no
// schemas for them: they were withdrawn before they had a version.
const experimental = " ATen Affine ConstantFill Crop DynamicSlice GRUUnit GivenTensorFill ImageScaler ParametricSoftplus Scale ScaledTanh "

// node checks a node by the schema of its operator, and the graphs in its attributes.
func (c *checker) node(node *proto.Node, s *scope) {
	if node.Operator == "" {
		c.addAt(node, KindField, "the node has no operator")
		return
	}
	if len(node.Inputs) == 0 && len(node.Outputs) == 0 {
		c.addAt(node, KindField, "the node has no inputs and no outputs")
	}
	given := make(map[string]bool, len(node.Attributes))
	for _, a := range node.Attributes {
		if given[a.Name] {
			c.addAt(node, KindField, "there are two attributes called %s", quote(a.Name))
		}
		given[a.Name] = true
		c.attribute(node, a, s)
	}
	domain := domainOf(node.Domain)
	version, imported := s.imports[domain]
	if !imported {
		c.addAt(node, KindVersion, "the domain %s is not imported", quote(domain))
		return
	}
	if domain != "" && domain != mlDomain || c.functions[function{domain, node.Operator, node.Overload}] != nil {
		return // other domains have no schemas
	}
	name := node.Operator
	if domain != "" {
		name = domain + ":" + name
	}
	found := find(c.schemas[name], version)
	switch {
	case found == nil && strings.Contains(experimental, " "+name+" "):
	case found == nil:
		c.addAt(node, KindNode, "there is no such operator in version %d", version)
	case found.deprecated:
		c.addAt(node, KindNode, "the operator has been removed in version %d", found.since)
	default:
		c.parameters(node, "input", node.Inputs, &found.inputs)
		c.parameters(node, "output", node.Outputs, &found.outputs)
		c.attributes(node, given, found)
	}
}

// parameters checks the inputs or the outputs of a node.
func (c *checker) parameters(node *proto.Node, what string, names []string, p *parameters) {
	if n := len(names); n < p.min || p.max >= 0 && n > p.max {
		c.addAt(node, KindNode, "the node has %d %ss, expected %v", n, what, p)
		return
	}
	for i, name := range names {
		if name == "" && i < len(p.required) && p.required[i] {
			c.addAt(node, KindNode, "%s %d is absent, and the operator requires it", what, i)
		}
	}
}

// attributes checks the attributes of a node, whose names are given.
func (c *checker) attributes(node *proto.Node, given map[string]bool, found *schema) {
	for _, a := range node.Attributes {
		known, ok := found.attributes[a.Name]
		switch {
		case !ok:
			c.addAt(node, KindNode, "attribute %s is not one of the operator", quote(a.Name))
		case a.Type != known && a.Type != proto.AttributeUndefined:
			c.addAt(node, KindNode, "attribute %s is %v, expected %v", quote(a.Name), a.Type, known)
		}
	}
	for _, name := range found.required {
		if !given[name] {
			c.addAt(node, KindNode, "attribute %s is missing, and the operator requires it", quote(name))
		}
	}
}

// attribute checks an attribute by itself.
func (c *checker) attribute(node *proto.Node, a *proto.Attribute, s *scope) {
	if a.Name == "" {
		c.addAt(node, KindField, "an attribute has no name")
	}
	if kind := valueOf(a); kind != proto.AttributeUndefined && kind != a.Type {
		c.addAt(node, KindField, "attribute %s has the type of %v, and its value is %v", quote(a.Name), a.Type, kind)
	}
	if a.Tensor != nil {
		c.tensor(a.Tensor)
	}
	for _, t := range a.Tensors {
		c.tensor(t)
	}
	if a.Graph != nil {
		c.graph(a.Graph, s.inside())
	}
	for _, g := range a.Graphs {
		c.graph(g, s.inside())
	}
}

// valueOf returns what the value of an attribute is, from the field that has it; undefined if no
// field tells, as for an integer that is 0.
func valueOf(a *proto.Attribute) proto.AttributeType {
	switch {
	case a.Float != 0:
		return proto.AttributeFloat
	case a.Int != 0:
		return proto.AttributeInt
	case len(a.String) > 0:
		return proto.AttributeString
	case a.Tensor != nil:
		return proto.AttributeTensor
	case a.Graph != nil:
		return proto.AttributeGraph
	case a.SparseTensor != nil:
		return proto.AttributeSparseTensor
	case len(a.Floats) > 0:
		return proto.AttributeFloats
	case len(a.Ints) > 0:
		return proto.AttributeInts
	case len(a.Strings) > 0:
		return proto.AttributeStrings
	case len(a.Tensors) > 0:
		return proto.AttributeTensors
	case len(a.Graphs) > 0:
		return proto.AttributeGraphs
	case len(a.SparseTensors) > 0:
		return proto.AttributeSparseTensors
	}
	return proto.AttributeUndefined
}
