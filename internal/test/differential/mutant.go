package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
)

// A mutator changes models in one to three places, so that most remain models that an engine can
// run: unlike those of irtest.Mutate, which a reader refuses or survives.
type mutator struct {
	rng    *rand.Rand
	values map[string][]string // those that attributes have in all cases, by type of layer and name
	opsets []string
}

// mutations are tried in a random order until one can be made. Each returns what it changed, ""
// for nothing.
var mutations = []func(*mutator, *model) string{
	(*mutator).attribute, (*mutator).attribute, (*mutator).attribute, (*mutator).attribute,
	(*mutator).shape, (*mutator).shape, (*mutator).elementType, (*mutator).elementType,
	(*mutator).constant, (*mutator).constant, (*mutator).constantShape,
	(*mutator).port, (*mutator).edge, (*mutator).opset,
}

// newMutator collects the values of attributes. It also returns the folders whose model can be
// changed: that is well-formed XML.
func newMutator(all []string) (u *mutator, folders []string) {
	u = &mutator{values: map[string][]string{}}
	for i := range 16 {
		u.opsets = append(u.opsets, "opset"+strconv.Itoa(i+1))
	}
	for _, folder := range all {
		m, err := readModel(folder)
		if err != nil {
			continue
		}
		folders = append(folders, folder)
		for _, layer := range m.allLayers() {
			data := layer.SelectElement("data")
			if data == nil {
				continue
			}
			for _, a := range data.Attr {
				key := layer.SelectAttrValue("type", "") + "." + a.Key
				if !slices.Contains(u.values[key], a.Value) && len(u.values[key]) < 50 {
					u.values[key] = append(u.values[key], a.Value)
				}
			}
		}
	}
	return u, folders
}

// mutate changes m, and returns a line for each change.
func (u *mutator) mutate(m *model) (changes []string) {
	n := 1 + u.rng.IntN(3)/2 + u.rng.IntN(4)/3
	for range 4 * n {
		if change := mutations[u.rng.IntN(len(mutations))](u, m); change != "" {
			if changes = append(changes, change); len(changes) == n {
				break
			}
		}
	}
	return changes
}

// any returns an element of list that is for want; nil if there is none.
func (u *mutator) any(list []*etree.Element, want func(*etree.Element) bool) *etree.Element {
	list = slices.DeleteFunc(slices.Clone(list), func(e *etree.Element) bool { return !want(e) })
	if len(list) == 0 {
		return nil
	}
	return list[u.rng.IntN(len(list))]
}

func is(types ...string) func(*etree.Element) bool {
	return func(layer *etree.Element) bool { return slices.Contains(types, layer.SelectAttrValue("type", "")) }
}

func title(layer *etree.Element) string {
	return layer.SelectAttrValue("type", "") + " " + layer.SelectAttrValue("name", "")
}

// attribute changes an attribute to a value that it has in another case, or a number of it.
func (u *mutator) attribute(m *model) string {
	layer := u.any(m.allLayers(), func(layer *etree.Element) bool {
		data := layer.SelectElement("data")
		return data != nil && len(data.Attr) > 0 && !is("Parameter", "Const", "Constant", "Result", "ReadValue", "Assign")(layer)
	})
	if layer == nil {
		return ""
	}
	a := &layer.SelectElement("data").Attr[u.rng.IntN(len(layer.SelectElement("data").Attr))]
	old := a.Value
	if values := u.values[layer.SelectAttrValue("type", "")+"."+a.Key]; len(values) > 1 && u.rng.IntN(2) == 0 {
		a.Value = values[u.rng.IntN(len(values))]
	} else {
		a.Value = u.number(a.Value)
	}
	if strings.ReplaceAll(a.Value, " ", "") == strings.ReplaceAll(old, " ", "") {
		a.Value = old
		return ""
	}
	return fmt.Sprintf("%s: %s %q -> %q", title(layer), a.Key, old, a.Value)
}

// number changes one of the numbers or words of a list.
func (u *mutator) number(text string) string {
	items := strings.Split(text, ",")
	i := u.rng.IntN(len(items))
	switch item := strings.TrimSpace(items[i]); item {
	case "true":
		items[i] = "false"
	case "false":
		items[i] = "true"
	default:
		if n, err := strconv.ParseInt(item, 10, 64); err == nil {
			items[i] = strconv.FormatInt([]int64{0, 1, 2, n + 1, n - 1, -n, 2 * n, 3}[u.rng.IntN(8)], 10)
		} else if x, err := strconv.ParseFloat(item, 64); err == nil {
			items[i] = strconv.FormatFloat([]float64{0, 1, -x, x / 2, 2 * x, 1e-6, 1e6}[u.rng.IntN(7)], 'g', -1, 64)
		}
	}
	if u.rng.IntN(8) == 0 {
		items = slices.Delete(items, i, i+1)
	}
	return strings.Join(items, ",")
}

// shape changes the shape of a Parameter.
func (u *mutator) shape(m *model) string {
	layer := u.any(m.layers(), is("Parameter"))
	if layer == nil || layer.SelectElement("data") == nil {
		return ""
	}
	data := layer.SelectElement("data")
	attr := data.SelectAttr("shape")
	if attr == nil {
		return ""
	}
	var dims []string
	if attr.Value != "" {
		dims = strings.Split(attr.Value, ",")
	}
	old := attr.Value
	switch k := u.rng.IntN(10); {
	case len(dims) == 0 || k == 0:
		dims = slices.Insert(dims, u.rng.IntN(len(dims)+1), "1")
	case k == 1:
		dims = slices.Delete(dims, 0, 1)
	default:
		i := u.rng.IntN(len(dims))
		n, err := strconv.Atoi(dims[i])
		if err != nil {
			n = 3
		}
		dims[i] = []string{"0", "1", "2", strconv.Itoa(n + 1), strconv.Itoa(max(n-1, 0)), strconv.Itoa(2 * n), "?", "1..8"}[u.rng.IntN(8)]
	}
	attr.Value = strings.Join(dims, ",")
	if attr.Value == old {
		return ""
	}
	setDims(layer, dims)
	return fmt.Sprintf("%s: shape %q -> %q", title(layer), old, attr.Value)
}

// setDims sets the dims of the only output of a layer.
func setDims(layer *etree.Element, dims []string) {
	port := layer.FindElement("output/port")
	if port == nil {
		return
	}
	for _, dim := range port.SelectElements("dim") {
		port.RemoveChild(dim)
	}
	for _, dim := range dims {
		if _, err := strconv.Atoi(dim); err != nil {
			dim = "-1"
		}
		port.CreateElement("dim").SetText(dim)
	}
}

var elementTypes = []ir.ElementType{
	ir.F32, ir.F16, ir.BF16, ir.F64, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.Boolean,
}

// elementType changes the element type of one Parameter, or of all that have the same.
func (u *mutator) elementType(m *model) string {
	layer := u.any(m.layers(), is("Parameter"))
	if layer == nil || layer.SelectElement("data") == nil {
		return ""
	}
	old := layer.SelectElement("data").SelectAttrValue("element_type", "")
	t := elementTypes[u.rng.IntN(len(elementTypes))]
	if old == t.String() || old == ir.String.String() {
		return ""
	}
	all := u.rng.IntN(2) == 0
	for _, other := range m.layers() {
		data := other.SelectElement("data")
		if data == nil || other != layer && (!all || !is("Parameter")(other) || data.SelectAttrValue("element_type", "") != old) {
			continue
		}
		data.CreateAttr("element_type", t.String())
		if port := other.FindElement("output/port"); port != nil {
			port.CreateAttr("precision", t.Precision())
		}
	}
	return fmt.Sprintf("%s: element_type %s -> %s, all of them: %v", title(layer), old, t, all)
}

// constantOf returns the layer of a Constant, and its bytes in the .bin; nil if there is none.
func (u *mutator) constantOf(m *model) (layer *etree.Element, t ir.ElementType, bytes []byte) {
	layer = u.any(m.allLayers(), is("Const"))
	if layer == nil || layer.SelectElement("data") == nil {
		return nil, 0, nil
	}
	data := layer.SelectElement("data")
	t, err := ir.ParseElementType(data.SelectAttrValue("element_type", ""))
	offset, err1 := strconv.Atoi(data.SelectAttrValue("offset", ""))
	size, err2 := strconv.Atoi(data.SelectAttrValue("size", ""))
	if err != nil || err1 != nil || err2 != nil || offset < 0 || size <= 0 || offset > len(m.bin)-size {
		return nil, 0, nil
	}
	return layer, t, m.bin[offset : offset+size]
}

// constant changes one element of a Constant.
func (u *mutator) constant(m *model) string {
	layer, t, bytes := u.constantOf(m)
	if layer == nil || t.Size() == 0 || len(bytes)%t.Size() != 0 {
		return ""
	}
	n := len(bytes) / t.Size()
	tensor, err := ir.NewTensor(t, n)
	if err != nil || t == ir.String || writer(tensor) == nil {
		return ""
	}
	copy(tensor.Bytes(), bytes)
	i := u.rng.IntN(n)
	old := reader(tensor)(i)
	writer(tensor)(i, []float64{0, 1, -1, 2, 3, old + 1, old - 1, -old, 2 * old, 0.5}[u.rng.IntN(10)])
	copy(bytes, tensor.Bytes())
	if reader(tensor)(i) == old {
		return ""
	}
	return fmt.Sprintf("%s: element %d of %v %v -> %v", title(layer), i, t, old, reader(tensor)(i))
}

// constantShape gives a Constant another shape with as many elements.
func (u *mutator) constantShape(m *model) string {
	layer, _, _ := u.constantOf(m)
	if layer == nil {
		return ""
	}
	attr := layer.SelectElement("data").SelectAttr("shape")
	if attr == nil {
		return ""
	}
	var dims []string
	if attr.Value != "" {
		dims = strings.Split(strings.ReplaceAll(attr.Value, " ", ""), ",")
	}
	old := attr.Value
	switch ones := slices.Index(dims, "1"); {
	case ones >= 0 && u.rng.IntN(2) == 0:
		dims = slices.Delete(dims, ones, ones+1)
	case len(dims) > 1 && u.rng.IntN(2) == 0:
		u.rng.Shuffle(len(dims), func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
	default:
		dims = slices.Insert(dims, u.rng.IntN(len(dims)+1), "1")
	}
	attr.Value = strings.Join(dims, ",")
	if attr.Value == old {
		return ""
	}
	setDims(layer, dims)
	return fmt.Sprintf("%s: shape %q -> %q", title(layer), old, attr.Value)
}

// port changes a dim that the file says a port has. Shapes are inferred, so it should change
// nothing.
func (u *mutator) port(m *model) string {
	dim := u.any(m.xml.FindElements("//port/dim"), func(dim *etree.Element) bool {
		return !is("Parameter", "Const")(dim.Parent().Parent().Parent())
	})
	if dim == nil {
		return ""
	}
	old := dim.Text()
	dim.SetText(u.number(old))
	if dim.Text() == old || dim.Text() == "" {
		dim.SetText(old)
		return ""
	}
	port := dim.Parent()
	return fmt.Sprintf("%s: dim of %s %s %s -> %s", title(port.Parent().Parent()), port.Parent().Tag, port.SelectAttrValue("id", ""), old, dim.Text())
}

// edge makes an edge begin where another edge of the same body begins.
func (u *mutator) edge(m *model) string {
	edge := u.any(m.xml.FindElements("//edges/edge"), func(edge *etree.Element) bool { return len(edge.Parent().ChildElements()) > 1 })
	if edge == nil {
		return ""
	}
	other := u.any(edge.Parent().ChildElements(), func(other *etree.Element) bool {
		return other.SelectAttrValue("from-layer", "")+other.SelectAttrValue("from-port", "") !=
			edge.SelectAttrValue("from-layer", "")+edge.SelectAttrValue("from-port", "")
	})
	if other == nil {
		return ""
	}
	text := fmt.Sprintf("edge to %s:%s from %s:%s", edge.SelectAttrValue("to-layer", ""), edge.SelectAttrValue("to-port", ""),
		edge.SelectAttrValue("from-layer", ""), edge.SelectAttrValue("from-port", ""))
	edge.CreateAttr("from-layer", other.SelectAttrValue("from-layer", ""))
	edge.CreateAttr("from-port", other.SelectAttrValue("from-port", ""))
	return fmt.Sprintf("%s -> %s:%s", text, edge.SelectAttrValue("from-layer", ""), edge.SelectAttrValue("from-port", ""))
}

// opset gives a layer another opset.
func (u *mutator) opset(m *model) string {
	layer := u.any(m.allLayers(), func(layer *etree.Element) bool { return !is("Parameter", "Const", "Result")(layer) })
	if layer == nil || !strings.HasPrefix(layer.SelectAttrValue("version", ""), "opset") {
		return ""
	}
	old, opset := layer.SelectAttrValue("version", ""), u.opsets[u.rng.IntN(len(u.opsets))]
	if old == opset {
		return ""
	}
	layer.CreateAttr("version", opset)
	return fmt.Sprintf("%s: %s -> %s", title(layer), old, opset)
}
