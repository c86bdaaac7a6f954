package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// comparer is the state of Models.
type comparer struct {
	options Options
	hasher  hasher
	report  Report
}

// pairing is a pair of graphs whose layers were matched, and what was inferred of them.
type pairing struct {
	*comparer
	a, b             *graph
	shapesA, shapesB *infer.Shapes
	// count is the number of differences of the current pair of layers.
	count int
}

// model adds a difference of the models.
func (c *comparer) model(kind Kind, a, b string) {
	c.report.Differences = append(c.report.Differences, Difference{Kind: kind, Port: -1, A: a, B: b})
}

// graphs compares two models, or two bodies of the layer owner of model A.
func (c *comparer) graphs(a, b *ir.Model, shapesA, shapesB *infer.Shapes, owner *ir.Layer) {
	p := &pairing{comparer: c, a: newGraph(a), b: newGraph(b), shapesA: shapesA, shapesB: shapesB}
	match(p.a, p.b, c.hasher)
	c.report.LayersA += len(a.Order)
	c.report.LayersB += len(b.Order)
	p.order("inputs", owner, a.Parameters, b.Parameters)
	p.order("outputs", owner, a.Results, b.Results)
	// onlyB has the layers that only b has, after the layer of b that is before them and
	// corresponds to one of a.
	onlyB := make(map[*ir.Layer][]*ir.Layer)
	var last *ir.Layer
	for _, layer := range b.Order {
		if p.b.partner[layer.Index] != nil {
			last = layer
		} else {
			onlyB[last] = append(onlyB[last], layer)
		}
	}
	last = nil
	for _, layer := range a.Order {
		other := p.a.partner[layer.Index]
		if other == nil {
			p.only(OnlyInA, []*ir.Layer{layer})
			continue
		}
		p.only(OnlyInB, onlyB[last]) // after what only a has in their place
		c.report.Matched++
		p.pair(layer, other)
		last = other
	}
	p.only(OnlyInB, onlyB[last])
}

// only adds the layers that only one model has.
func (p *pairing) only(kind Kind, layers []*ir.Layer) {
	for _, layer := range layers {
		d := Difference{Kind: kind, Port: -1}
		if kind == OnlyInA {
			d.LayerA, d.A, d.B = layer, cut(layer.Type), none
			p.report.LayersA += bodyLayers(layer)
		} else {
			d.LayerB, d.A, d.B = layer, none, cut(layer.Type)
			p.report.LayersB += bodyLayers(layer)
		}
		p.report.Differences = append(p.report.Differences, d)
	}
}

// bodyLayers returns the number of layers in the bodies of layer.
func bodyLayers(layer *ir.Layer) int {
	n := 0
	for i := range layer.Bodies {
		for range layer.Bodies[i].Model.AllLayers() {
			n++
		}
	}
	return n
}

// order compares the order of inputs or outputs that correspond.
func (p *pairing) order(what string, owner *ir.Layer, listA, listB []*ir.Layer) {
	position := make(map[*ir.Layer]int, len(listB))
	for i, layer := range listB {
		position[layer] = i
	}
	before := -1
	for _, layer := range listA {
		other := p.a.partner[layer.Index]
		if other == nil {
			continue
		}
		if position[other] < before {
			p.report.Differences = append(p.report.Differences, Difference{
				Kind: Order, LayerA: owner, Port: -1, A: what + " " + listOf(listA), B: what + " " + listOf(listB),
			})
			return
		}
		before = position[other]
	}
}

// listOf returns the names of layers.
func listOf(layers []*ir.Layer) string {
	var names []string
	for _, layer := range layers {
		names = append(names, strconv.Quote(printable.Cut(layer.Name, maxText)))
		if len(names) == 20 && len(layers) > 20 {
			names = append(names, "...")
			break
		}
	}
	return cut(strings.Join(names, ", "))
}

// cut returns text, cut if it is long.
func cut(text string) string { return printable.Cut(text, maxText) }

// add adds a difference of the pair of layers a and b. After maxPerLayer of them, it only counts.
// It is not inlined: its callers would be 1.2 KiB larger.
//
//go:noinline
func (p *pairing) add(d Difference) {
	if p.count++; p.count <= maxPerLayer {
		p.report.Differences = append(p.report.Differences, d)
	}
}

// pair compares a layer and the one that corresponds to it.
func (p *pairing) pair(a, b *ir.Layer) {
	p.count = 0
	text := func(kind Kind, x, y string) {
		if x != y {
			p.add(Difference{Kind: kind, LayerA: a, LayerB: b, Port: -1, A: cut(x), B: cut(y)})
		}
	}
	text(Type, a.Type, b.Type)
	text(Opset, a.Opset, b.Opset)
	if a.Name != b.Name {
		text(Name, strconv.Quote(a.Name), strconv.Quote(b.Name))
	}
	attributes := p.count
	p.attributes(a, b)
	attributes = p.count - attributes
	p.inputs(a, b)
	p.outputs(a, b, attributes > 0)
	if a.Type == "Constant" && b.Type == "Constant" {
		p.weights(a, b)
	}
	if more := p.count - maxPerLayer; more > 0 {
		last := &p.report.Differences[len(p.report.Differences)-1]
		last.B += " and " + strconv.Itoa(more) + " more differences of the layer"
	}
	p.bodies(a, b)
}

// attributes compares the attributes of the data elements, in any order.
func (p *pairing) attributes(a, b *ir.Layer) {
	dataA, dataB := a.Data, b.Data
	if a.Type == "Constant" {
		dataA, dataB = withoutPlace(dataA), withoutPlace(dataB)
	}
	values := make(map[string]string, len(dataB))
	for _, attribute := range dataB {
		values[attribute.Name] = attribute.Value
	}
	seen := make(map[string]bool, len(dataA))
	for _, attribute := range dataA {
		seen[attribute.Name] = true
		value, ok := values[attribute.Name]
		if !ok {
			p.attribute(a, b, attribute.Name, strconv.Quote(cut(attribute.Value)), none)
		} else if !sameValue(attribute.Value, value) {
			p.attribute(a, b, attribute.Name, strconv.Quote(cut(attribute.Value)), strconv.Quote(cut(value)))
		}
	}
	for _, attribute := range dataB {
		if !seen[attribute.Name] {
			p.attribute(a, b, attribute.Name, none, strconv.Quote(cut(attribute.Value)))
		}
	}
}

// sameValue reports whether two values of an attribute are equal: texts, or lists of equal numbers,
// such as "1, 2" and "1.0,2".
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !sameItem(strings.TrimSpace(x[i]), strings.TrimSpace(y[i])) {
			return false
		}
	}
	return true
}

// sameItem reports whether two texts are equal, or equal numbers.
func sameItem(a, b string) bool {
	if a == b {
		return true
	}
	_, notInt := strconv.ParseInt(a, 10, 64)
	_, otherNotInt := strconv.ParseInt(b, 10, 64)
	if notInt == nil && otherNotInt == nil {
		return false // they may be too large for a float
	}
	v, err := strconv.ParseFloat(a, 64)
	w, otherErr := strconv.ParseFloat(b, 64)
	return err == nil && otherErr == nil && v == w
}

func (p *pairing) attribute(a, b *ir.Layer, name, x, y string) {
	p.add(Difference{Kind: Attribute, LayerA: a, LayerB: b, Port: -1, Attribute: name, A: x, B: y})
}

// inputs compares what the inputs read.
func (p *pairing) inputs(a, b *ir.Layer) {
	for i := range max(len(a.Inputs), len(b.Inputs)) {
		x, y := none, none
		if i < len(a.Inputs) && i < len(b.Inputs) {
			if p.same(&a.Inputs[i], &b.Inputs[i]) {
				continue
			}
		}
		if i < len(a.Inputs) {
			x = sourceText(&a.Inputs[i])
		}
		if i < len(b.Inputs) {
			y = sourceText(&b.Inputs[i])
		}
		p.add(Difference{Kind: Input, LayerA: a, LayerB: b, Port: i, A: x, B: y})
	}
}

// same reports whether two inputs read what corresponds, or equal constants.
func (p *pairing) same(x, y *ir.Input) bool {
	if x.SourceIndex != y.SourceIndex {
		return false
	}
	return p.a.partner[x.Source.Index] == y.Source ||
		x.Source.Type == "Constant" && y.Source.Type == "Constant" && p.a.hashes[x.Source.Index].exact == p.b.hashes[y.Source.Index].exact
}

// sourceText returns the layer that an input reads, and the number of the output if the layer has
// several.
func sourceText(in *ir.Input) string {
	text := strconv.Quote(printable.Cut(in.Source.Name, maxText))
	if len(in.Source.Outputs) > 1 {
		text += ":" + strconv.Itoa(in.SourceIndex)
	}
	return text + " (" + printable.Cut(in.Source.Type, maxText) + ")"
}

// outputs compares the types, shapes and names of the outputs. changed means that the attributes
// differ.
func (p *pairing) outputs(a, b *ir.Layer, changed bool) {
	if a.Type == "Result" {
		p.names(a, b, -1, a.OutputNames, b.OutputNames)
		return
	}
	for i := range max(len(a.Outputs), len(b.Outputs)) {
		x, y := p.factA(a, i), p.factB(b, i)
		if x == nil || y == nil || x.Type != y.Type || !x.Shape.Equal(y.Shape) {
			follows := p.inputsDiffer(a, b) || changed && len(a.Inputs) == 0 || a.Type == "Parameter" && a.Owner != nil
			p.add(Difference{Kind: Output, LayerA: a, LayerB: b, Port: i, A: factText(x), B: factText(y), Follows: follows})
		}
		if i < len(a.Outputs) && i < len(b.Outputs) {
			p.names(a, b, i, a.Outputs[i].Names, b.Outputs[i].Names)
		}
	}
}

// inputsDiffer reports whether the types or shapes of inputs differ.
func (p *pairing) inputsDiffer(a, b *ir.Layer) bool {
	for i := range min(len(a.Inputs), len(b.Inputs)) {
		x, y := p.factA(a.Inputs[i].Source, a.Inputs[i].SourceIndex), p.factB(b.Inputs[i].Source, b.Inputs[i].SourceIndex)
		if x != nil && y != nil && (x.Type != y.Type || !x.Shape.Equal(y.Shape)) {
			return true
		}
	}
	return false
}

func (p *pairing) factA(layer *ir.Layer, i int) *ir.Fact { return factOf(p.shapesA, layer, i) }

func (p *pairing) factB(layer *ir.Layer, i int) *ir.Fact { return factOf(p.shapesB, layer, i) }

// factOf returns what is known about output i of layer; nil if the layer has no such output.
func factOf(shapes *infer.Shapes, layer *ir.Layer, i int) *ir.Fact {
	if i >= len(layer.Outputs) {
		return nil
	}
	if shapes != nil {
		if facts := shapes.Outputs(layer); i < len(facts) {
			return &facts[i]
		}
	}
	return &ir.Fact{Type: layer.Outputs[i].DeclaredType, Shape: layer.Outputs[i].Declared}
}

func factText(f *ir.Fact) string {
	if f == nil {
		return none
	}
	return f.Type.String() + f.Shape.String()
}

// names compares the names of a tensor, in any order.
func (p *pairing) names(a, b *ir.Layer, port int, x, y []string) {
	if slices.Equal(x, y) {
		return
	}
	in := make(map[string]int, len(x))
	for _, name := range x {
		in[name] |= 1
	}
	for _, name := range y {
		in[name] |= 2
	}
	for _, sides := range in {
		if sides != 3 {
			p.add(Difference{Kind: TensorNames, LayerA: a, LayerB: b, Port: port, A: namesText(x), B: namesText(y)})
			return
		}
	}
}

// namesText returns the first names.
func namesText(names []string) string {
	if len(names) == 0 {
		return none
	}
	var list []string
	for i, name := range names {
		if i == 10 {
			list = append(list, "... ("+strconv.Itoa(len(names))+" names)")
			break
		}
		list = append(list, strconv.Quote(printable.Cut(name, maxText)))
	}
	return cut(strings.Join(list, ", "))
}

// bodies compares the bodies of two layers, and how they are connected.
func (p *pairing) bodies(a, b *ir.Layer) {
	if len(a.Bodies) != len(b.Bodies) {
		p.add(Difference{Kind: Body, LayerA: a, LayerB: b, Port: -1, A: strconv.Itoa(len(a.Bodies)) + " bodies", B: strconv.Itoa(len(b.Bodies)) + " bodies"})
	}
	for i := range min(len(a.Bodies), len(b.Bodies)) {
		x, y := &a.Bodies[i], &b.Bodies[i]
		before := len(p.report.Differences)
		p.graphs(x.Model, y.Model, bodyShapes(p.shapesA, a, i), bodyShapes(p.shapesB, b, i), a)
		p.ports(a, b, i)
		for k := before; k < len(p.report.Differences); k++ {
			if d := &p.report.Differences[k]; d.Kind == Order && d.LayerA == a {
				d.LayerB = b
			}
		}
	}
}

func bodyShapes(s *infer.Shapes, layer *ir.Layer, i int) *infer.Shapes {
	if s == nil {
		return nil
	}
	return s.Body(layer, i)
}

// ports compares the port maps and back edges of body i of two layers.
func (p *pairing) ports(a, b *ir.Layer, i int) {
	x, y := connections(&a.Bodies[i]), connections(&b.Bodies[i])
	for k := range max(len(x), len(y)) {
		from, to := none, none
		if k < len(x) {
			from = x[k]
		}
		if k < len(y) {
			to = y[k]
		}
		if from != to {
			p.add(Difference{Kind: Body, LayerA: a, LayerB: b, Port: i, A: from, B: to})
		}
	}
}

// connections returns the port maps and back edges of a body as text, with the positions of its
// inputs and outputs.
func connections(b *ir.Body) []string {
	position := make(map[*ir.Layer]string, len(b.Model.Parameters)+len(b.Model.Results))
	for i, layer := range b.Model.Parameters {
		position[layer] = "parameter " + strconv.Itoa(i)
	}
	for i, layer := range b.Model.Results {
		position[layer] = "result " + strconv.Itoa(i)
	}
	var list []string
	for i, port := range slices.Concat(b.Inputs, b.Outputs) {
		kind := "input "
		if i >= len(b.Inputs) {
			kind = "output "
		}
		text := kind + strconv.Itoa(port.External) + " is " + position[port.Internal]
		if port.Sliced {
			text += fmt.Sprintf(", sliced along axis %d from %d to %d by %d in parts of %d", port.Axis, port.Start, port.End, port.Stride, port.PartSize)
		}
		if port.Purpose != "" {
			text += ", " + port.Purpose
		}
		list = append(list, text)
	}
	for _, edge := range b.BackEdges {
		list = append(list, "back edge from "+position[edge.From]+" to "+position[edge.To])
	}
	slices.Sort(list)
	return list
}
