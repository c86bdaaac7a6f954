package convert

import (
	"slices"
	"strconv"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// layerNames are the names that layers have, or will have.
type layerNames struct {
	// taken has the number of names that were made of a name.
	taken map[string]int
	// final reports by Layer.Index which layers have the names of values.
	final []bool
}

func newLayerNames() *layerNames { return &layerNames{taken: make(map[string]int)} }

// isUnnamed reports whether a layer has no name of a value yet. It is about to get one.
func (l *layerNames) isUnnamed(layer *ir.Layer) bool {
	if missing := layer.Index + 1 - len(l.final); missing > 0 {
		l.final = append(l.final, make([]bool, missing)...)
	}
	isNew := !l.final[layer.Index]
	l.final[layer.Index] = true
	return isNew
}

// reserve takes the names of all values in the graph of a model, which layers get.
func (l *layerNames) reserve(p *proto.Graph) {
	l.taken = make(map[string]int, len(p.Inputs)+len(p.Initializers)+2*len(p.Nodes))
	for _, v := range p.Inputs {
		l.taken[v.Name]++
	}
	for _, t := range p.Initializers {
		l.taken[t.Name]++
	}
	for _, s := range p.SparseInitializers {
		if s.Values != nil {
			l.taken[s.Values.Name]++
		}
	}
	for _, n := range p.Nodes {
		for _, name := range n.Outputs {
			l.taken[name]++
		}
	}
}

// unique takes a name that starts like the given one and that is not taken.
func (l *layerNames) unique(name string) string {
	n := l.taken[name]
	l.taken[name]++
	if n == 0 {
		return name
	}
	for ; ; n++ {
		if numbered := name + "_" + strconv.Itoa(n); l.taken[numbered] == 0 {
			l.taken[numbered]++
			l.taken[name] = n + 1
			return numbered
		}
	}
}

// naming says what the values of a graph are called in the model.
type naming struct {
	*layerNames
	// prefix is put before the names of a graph that stands in place of a node, and renamed has the
	// results. In the graph of a model, names stay as they are: renamed is nil.
	prefix  string
	renamed map[string]string
}

// inside returns the naming for a graph in place of the node whose first output has a name.
func (n naming) inside(name string) naming {
	return naming{layerNames: n.layerNames, prefix: name + "/", renamed: make(map[string]string)}
}

// full returns the name of a value in the model.
func (n naming) full(name string) string {
	if n.renamed == nil {
		return name
	}
	full, ok := n.renamed[name]
	if !ok {
		full = n.unique(n.prefix + name)
		n.renamed[name] = full
	}
	return full
}

// maxNames is the number of names of a tensor. Values that are only passed on, as by an Identity,
// have no name in the model beyond it. Outputs must have theirs.
const maxNames = 16

// define makes name stand for v, a tensor that gets the name of the value. So does its layer, if it
// has none of a value yet.
func (g *graph) define(name string, v Value) {
	g.values[name] = v
	if v.source().Layer == nil || g.builder.Err() != nil {
		return
	}
	g.compare(name, v)
	full := g.full(name)
	layer := v.source().Layer
	if g.isUnnamed(layer) && layer.Type != "Parameter" {
		g.builder.Name(v.source(), full)
	}
	names := layer.Outputs[v.source().Output].Names
	if len(names) < maxNames && !slices.Contains(names, full) {
		g.builder.NameTensor(v.source(), append(slices.Clip(names), full)...)
	}
}

// compare adds a note if the file declares another type or shape of a value than it has, or tells
// the Observer, if there is one, what it declares. Only the graph of the model is compared: others
// are converted for values that the file does not know.
func (g *graph) compare(name string, v Value) {
	declared := g.declared[name]
	if declared == nil || g.outer != nil {
		return
	}
	t, shape, err := g.tensorType(declared)
	if err != nil {
		return
	}
	d := &DeclaredValue{name, t, shape, v.source().Layer, v.source().Output, g.builder.Fact(v.source())}
	if g.Observer != nil {
		g.Observer.Declared(d)
		return
	}
	if inType, inShape := d.Differs(); inType || inShape {
		g.note("value %s is declared as %v%v, and is %v%v", printable.Quote(name, maxNameText), t, shape, d.Inferred.Type, d.Inferred.Shape)
	}
}

// origin returns the rt_info of the layers that are made for a node, in the form in which OpenVINO
// keeps the names of the operations that a layer stands for. OpenVINO passes over the operator. All
// nodes of an operator that have no name share it.
func (c *conversion) origin(node *proto.Node, version int) *etree.Element {
	key := originKey{operator{domainOf(node.Domain), node.Operator}, version}
	shared := c.origins[key]
	if shared == nil {
		shared = etree.NewElement("rt_info")
		addInfo(shared, "onnx_operator", operatorText(key.domain, node.Operator, version))
		c.origins[key] = shared
	}
	if node.Name == "" {
		return shared
	}
	info := etree.NewElement("rt_info")
	addInfo(info, "fused_names", node.Name)
	addInfo(info, "onnx_operator", shared.ChildElements()[0].SelectAttrValue("value", ""))
	return info
}

// originKey is an operator in one of its versions.
type originKey struct {
	operator
	version int
}

// TypeAttribute is the name of the attribute in the rt_info of an input or output that has the type
// in the file.
const TypeAttribute = "onnx_type"

// noteType adds the type in the file to the rt_info of an input or output, if OpenVINO does not
// have it.
func noteType(layer *ir.Layer, t *proto.Type) {
	if layer == nil || t == nil || t.Kind != proto.KindTensor {
		return
	}
	if e := tensors.Narrow(t.ElementType); e != nil {
		layer.RTInfo = etree.NewElement("rt_info")
		addInfo(layer.RTInfo, TypeAttribute, e.Name)
	}
}

// addInfo adds an attribute with a value to an rt_info.
func addInfo(info *etree.Element, name, value string) {
	attribute := newAttribute(info, name)
	attribute.Attr = append(attribute.Attr, etree.Attr{Key: "value", Value: value})
}

// newAttribute adds an attribute to an rt_info. It does not use CreateAttr, which grows the list
// with each.
func newAttribute(info *etree.Element, name string) *etree.Element {
	attribute := info.CreateElement("attribute")
	attribute.Attr = append(make([]etree.Attr, 0, 3), etree.Attr{Key: "name", Value: name}, etree.Attr{Key: "version", Value: "0"})
	return attribute
}
