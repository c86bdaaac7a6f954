package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/layered"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/validate"
)

// maxScene is the largest number of layers that are drawn, and maxBox the number of characters of a
// line in a box.
const (
	maxScene = 50_000
	maxBox   = 30
)

// The sizes of a box, for text of 11 and 12 pixels.
const (
	charWidth   = 6.6
	boxPadding  = 20
	lineHeight  = 14
	titleHeight = 22
	frameGap    = 16 // between a frame and the bodies in it
)

// scene is a model as graph draws it.
type scene struct {
	name   string
	model  *ir.Model
	report *validate.Report
	graphs []*sceneGraph // the model, then the bodies, breadth-first
	layers []*sceneLayer // of all graphs
	places map[*ir.Layer]*sceneLayer
	timed  bool // boxes have room for a time
}

// sceneGraph is a model or a body.
type sceneGraph struct {
	model  *ir.Model
	shapes *infer.Shapes
	layers []*sceneLayer // as in model.Order
	boxes  []*sceneLayer // the layers that are drawn
	edges  []sceneEdge
	width  float64
	height float64
}

// sceneLayer is a layer. It is drawn as a box, unless it is constant: then it is part of the layer
// that reads it.
type sceneLayer struct {
	*ir.Layer
	number  int // in scene.layers
	outputs []ir.Fact
	into    *sceneLayer // the first reader, if it is constant; nil if it is drawn
	bodies  []int       // numbers of their graphs
	lines   []string    // below the type
	size    layered.Node
	at      layered.Point
}

// sceneEdge leads from an output to an input of boxes.
type sceneEdge struct {
	from, to      *sceneLayer
	output, input int
	start         float64 // as in layered.Edge
	points        []layered.Point
	direct        bool
}

// newScene returns what is to be drawn of m, without places.
func newScene(m *ir.Model, report *validate.Report) (*scene, error) {
	s := &scene{model: m, report: report, places: make(map[*ir.Layer]*sceneLayer)}
	total := 0
	for range m.AllLayers() {
		if total++; total > maxScene {
			return nil, faults.Errorf("the model has more than the %d layers that can be drawn", maxScene)
		}
	}
	s.graphs = []*sceneGraph{{model: m, shapes: report.Shapes}}
	for i := 0; i < len(s.graphs); i++ {
		s.add(s.graphs[i])
	}
	return s, nil
}

// add adds the layers of g, and their bodies to the list of graphs.
func (s *scene) add(g *sceneGraph) {
	for _, layer := range g.model.Order {
		l := &sceneLayer{Layer: layer, number: len(s.layers)}
		if g.shapes != nil {
			l.outputs = g.shapes.Outputs(layer)
		}
		for i := range layer.Bodies {
			l.bodies = append(l.bodies, len(s.graphs))
			body := &sceneGraph{model: layer.Bodies[i].Model}
			if g.shapes != nil {
				body.shapes = g.shapes.Body(layer, i)
			}
			s.graphs = append(s.graphs, body)
		}
		s.places[layer] = l
		s.layers, g.layers = append(s.layers, l), append(g.layers, l)
	}
	if s.fold(g, isComputed) == len(g.model.Results) {
		// The whole graph is constant: it is drawn.
		for _, l := range g.layers {
			l.into = nil
		}
		s.fold(g, isConstant)
	}
	for _, l := range g.layers {
		if l.into == nil {
			s.addBox(g, l)
		}
	}
}

func isConstant(l *ir.Layer) bool { return l.Type == "Constant" }

// isComputed reports whether l has the same outputs in each inference if its inputs are constant.
func isComputed(l *ir.Layer) bool {
	switch l.Type {
	case "Parameter", "Result", "ReadValue", "Assign", "RandomUniform", "Multinomial":
		return false
	}
	return len(l.Bodies) == 0 && (len(l.Inputs) > 0 || isConstant(l))
}

// fold makes the layers whose inputs are constant, and that foldable reports, part of their first
// reader. It returns the number of other layers.
func (s *scene) fold(g *sceneGraph, foldable func(*ir.Layer) bool) int {
	constant := make([]bool, len(g.layers))
	first := s.places
	left := 0
	base := 0
	if len(g.layers) > 0 {
		base = g.layers[0].number
	}
	for i, l := range g.layers {
		constant[i] = foldable(l.Layer)
		for k := range l.Inputs {
			from := first[l.Inputs[k].Source]
			constant[i] = constant[i] && constant[from.number-base]
		}
		if !constant[i] {
			left++
		}
		for k := range l.Inputs {
			if from := first[l.Inputs[k].Source]; constant[from.number-base] && from.into == nil {
				from.into = l
			}
		}
	}
	return left
}

// addBox adds a box for l and the edges to it.
func (s *scene) addBox(g *sceneGraph, l *sceneLayer) {
	g.boxes = append(g.boxes, l)
	if l.Name != "" {
		l.lines = append(l.lines, middle(printable.Escape(l.Name), maxBox))
	}
	const most = 3 // constants that are shown
	constants := 0
	for i := range l.Inputs {
		from, output := s.places[l.Inputs[i].Source], l.Inputs[i].SourceIndex
		if from.into == nil {
			g.edges = append(g.edges, sceneEdge{from: from, to: l, output: output, input: i})
			continue
		}
		if constants++; constants <= most {
			l.lines = append(l.lines, middle(strconv.Itoa(i)+from.text(output), maxBox))
		}
	}
	if constants > most {
		l.lines = append(l.lines, count(constants-most, "more constant"))
	}
}

// text returns ": " and the type and shape of an output, or " = " and the values of a small
// constant.
func (l *sceneLayer) text(output int) string {
	if output >= len(l.outputs) {
		return ""
	}
	const most = 6
	if t := l.Constant; t != nil && t.Len() > 0 && t.Len() <= most && hasNumbers(t.ElementType()) {
		return " = " + strings.Join(numbersOf(t, t.Len()), ", ")
	}
	return ": " + factText(&l.outputs[output])
}

// factText returns "f32 [1,64,?]", cut if there are many axes.
func factText(f *ir.Fact) string {
	return middle(f.Type.String()+" "+f.Shape.String(), 2*maxBox)
}

// middle returns s, without its middle if it has more than limit characters: the ends of names
// differ most.
func middle(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	head := limit / 3
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-head-1):])
}

// layOut sets the places of all boxes and edges. If unfold is set, boxes have room for the bodies
// of their layers.
func (s *scene) layOut(ctx context.Context, unfold bool) error {
	for _, g := range slices.Backward(s.graphs) { // bodies first
		for _, l := range g.boxes {
			s.measure(l, unfold)
		}
		if err := g.layOut(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measure sets the size of a box.
func (s *scene) measure(l *sceneLayer, unfold bool) {
	width := float64(utf8.RuneCountInString(l.title())) * (charWidth + 1)
	for _, line := range l.lines {
		width = max(width, float64(utf8.RuneCountInString(line))*charWidth)
	}
	if !l.spread() && len(l.outputs) > 0 && l.Type != "Result" {
		width = max(width, labelWidth(l.label(0)))
	}
	if l.spread() {
		sum := 0.0
		for i := range l.outputs {
			sum += labelWidth(l.label(i))
		}
		width = max(width, sum)
	}
	height := titleHeight + float64(len(l.lines))*lineHeight + 4
	if s.timed {
		height += lineHeight
	}
	if unfold && len(l.bodies) > 0 {
		bodies, tallest := float64(frameGap), 0.0
		for _, body := range l.bodies {
			bodies += s.graphs[body].width + frameGap
			tallest = max(tallest, s.graphs[body].height)
		}
		width, height = max(width, bodies-boxPadding), height+tallest+2*frameGap
	}
	l.size = layered.Node{Width: float64(int(max(width, 40) + boxPadding)), Height: height}
}

// title returns the type of l, cut.
func (l *sceneLayer) title() string { return middle(printable.Escape(l.Type), maxBox) }

// maxSpread is the largest number of outputs that leave a box at places of their own.
const maxSpread = 4

func (l *sceneLayer) spread() bool { return len(l.outputs) > 1 && len(l.outputs) <= maxSpread }

// label returns the text at output i of l. Outputs that leave the box at one place have one label.
func (l *sceneLayer) label(i int) string {
	if len(l.outputs) > maxSpread {
		return count(len(l.outputs), "output")
	}
	return factText(&l.outputs[i])
}

func labelWidth(text string) float64 { return float64(utf8.RuneCountInString(text))*6 + 14 }

// starts returns the places where the outputs of l leave its box, relative to the middle.
func (l *sceneLayer) starts() []float64 {
	starts := make([]float64, max(len(l.outputs), 1))
	if !l.spread() {
		return starts
	}
	sum := 0.0
	for i := range l.outputs {
		sum += labelWidth(l.label(i))
	}
	x := -sum / 2
	for i := range starts {
		w := labelWidth(l.label(i))
		starts[i] = float64(int(x + w/2))
		x += w
	}
	return starts
}

// layOut sets the places of the boxes and edges of g.
func (g *sceneGraph) layOut(ctx context.Context) error {
	numbers := make(map[*sceneLayer]int, len(g.boxes))
	var graph layered.Graph
	starts := make([][]float64, len(g.boxes))
	for i, l := range g.boxes {
		numbers[l] = i
		graph.Nodes = append(graph.Nodes, l.size)
		starts[i] = l.starts()
	}
	for i := range g.edges {
		e := &g.edges[i]
		from := numbers[e.from]
		e.start = starts[from][min(e.output, len(starts[from])-1)]
		graph.Edges = append(graph.Edges, layered.Edge{From: from, To: numbers[e.to], Start: e.start})
	}
	d, err := layered.Draw(ctx, graph)
	if err != nil {
		return err
	}
	g.width, g.height = d.Width, d.Height
	for i, l := range g.boxes {
		l.at = d.Nodes[i]
	}
	for i := range g.edges {
		g.edges[i].points, g.edges[i].direct = d.Edges[i], d.Direct[i]
	}
	return nil
}

// The kinds of layers, which have colours of their own.
const (
	kindOther = iota
	kindPort
	kindProduct
	kindActivation
	kindPool
	kindMove
	kindArithmetic
	kindControl
	kindConvert
)

// layerKind returns the kind of a layer type.
func layerKind(layerType string) int {
	switch layerType {
	case "Parameter", "Result":
		return kindPort
	case "Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData", "BinaryConvolution", "DeformableConvolution", "MatMul",
		"LSTMSequence", "GRUSequence", "RNNSequence", "LSTMCell", "GRUCell", "RNNCell", "ScaledDotProductAttention", "Einsum", "Proposal", "DetectionOutput":
		return kindProduct
	case "Relu", "PRelu", "Sigmoid", "Tanh", "Elu", "Selu", "Gelu", "Swish", "HSwish", "HSigmoid", "HardSigmoid", "Mish", "SoftPlus", "SoftSign", "Clamp", "Softmax", "SoftMax", "LogSoftmax", "Exp", "Erf":
		return kindActivation
	case "MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "BatchNormInference", "MVN", "NormalizeL2", "LRN", "GroupNormalization", "TopK", "CumSum":
		return kindPool
	case "Reshape", "Transpose", "Concat", "Split", "VariadicSplit", "Squeeze", "Unsqueeze", "Slice", "StridedSlice", "Gather", "GatherND", "GatherElements", "GatherTree",
		"ScatterUpdate", "ScatterNDUpdate", "ScatterElementsUpdate", "Broadcast", "Tile", "Pad", "Interpolate", "ShapeOf", "Reverse", "ReverseSequence", "Roll", "SpaceToDepth",
		"DepthToSpace", "SpaceToBatch", "BatchToSpace", "ShuffleChannels", "Range":
		return kindMove
	case "If", "Loop", "TensorIterator", "ReadValue", "Assign":
		return kindControl
	case "Convert", "ConvertLike", "FakeQuantize", "FakeConvert":
		return kindConvert
	case "Add", "Subtract", "Multiply", "Divide", "Power", "Maximum", "Minimum", "Mod", "FloorMod", "SquaredDifference", "Sqrt", "Abs", "Negative", "Log", "Floor", "Ceiling", "Round",
		"Sign", "Sin", "Cos", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "LogicalXor", "Select":
		return kindArithmetic
	}
	if strings.HasPrefix(layerType, "Reduce") {
		return kindPool
	}
	return kindOther
}
