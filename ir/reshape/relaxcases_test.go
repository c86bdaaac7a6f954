package reshape_test

import (
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// net builds a model. By default, the name of a layer is its type and number.
type net struct {
	ir.Model
}

func (n *net) add(name, layerType string, data []string, inputs ...*ir.Layer) *ir.Layer {
	opset, outputs := "opset8", 1
	switch {
	case name == "":
		name = fmt.Sprint(layerType, len(n.Layers))
	case layerType == "LSTMCell" || layerType == "TensorIterator":
		outputs = 2
	}
	layer := &ir.Layer{
		Index: len(n.Layers), ID: uint64(len(n.Layers)), Line: 10 + len(n.Layers), Name: name,
		Type: layerType, FileType: layerType, Opset: opset, Outputs: make([]ir.Output, outputs),
	}
	for i := 0; i < len(data); i += 2 {
		layer.Data = append(layer.Data, ir.Attribute{Name: data[i], Value: data[i+1]})
	}
	for i, in := range inputs {
		layer.Inputs = append(layer.Inputs, ir.Input{Port: uint64(i), Source: in})
	}
	n.Layers = append(n.Layers, layer)
	n.Order = append(n.Order, layer)
	switch layerType {
	case "Parameter":
		n.Parameters = append(n.Parameters, layer)
	case "Result":
		n.Results = append(n.Results, layer)
	}
	return layer
}

func (n *net) parameter(name, shape string) *ir.Layer {
	return n.add(name, "Parameter", []string{"element_type", "f32", "shape", shape})
}

// weights adds a Constant of zeros.
func (n *net) weights(shape ...int) *ir.Layer {
	t, err := ir.NewTensor(ir.F32, shape...)
	if err != nil {
		panic(err)
	}
	c := n.add("", "Constant", nil)
	c.Constant = t
	return c
}

func (n *net) ints(values ...int64) *ir.Layer {
	c := n.weights()
	c.Constant, _ = ir.TensorOfInts(ir.I64, ir.Shape{len(values)}, values)
	return c
}

func (n *net) reshape(name string, x *ir.Layer, pattern ...int64) *ir.Layer {
	return n.add(name, "Reshape", []string{"special_zero", "true"}, x, n.ints(pattern...))
}

func (n *net) matmul(name string, a, b *ir.Layer, transposes string) *ir.Layer {
	return n.add(name, "MatMul", []string{
		"transpose_a", fmt.Sprint(strings.Contains(transposes, "a")), "transpose_b", fmt.Sprint(strings.Contains(transposes, "b")),
	}, a, b)
}

func (n *net) slice(name string, x *ir.Layer, begin, end []int64, beginMask, endMask string) *ir.Layer {
	ones := make([]int64, len(begin))
	for i := range ones {
		ones[i] = 1
	}
	return n.add(name, "StridedSlice", []string{"begin_mask", beginMask, "end_mask", endMask}, x, n.ints(begin...), n.ints(end...), n.ints(ones...))
}

func (n *net) results(layers ...*ir.Layer) {
	for _, layer := range layers {
		n.add("", "Result", nil, layer)
	}
}

func (n *net) lstm(name string, x, h, c *ir.Layer) *ir.Layer {
	return n.add(name, "LSTMCell", []string{"hidden_size", "2"}, x, h, c, n.weights(8, 3), n.weights(8, 2), n.weights(8))
}

// relaxCases are models, with other shapes of the input x and what OpenVINO then infers for a
// layer; "" means an error.
var relaxCases = []struct {
	name  string
	build func(*net)
	cases []string // shape of x, layer, shape
}{
	{"vector", func(n *net) {
		x := n.parameter("x", "1,2,3")
		n.results(n.reshape("flat", x, 6), n.reshape("matrix", x, 1, 6))
	}, []string{"1,4,?", "flat", "[?]", "...", "flat", "[1..]", "2,2,2..3", "flat", "[8..12]", "2,2,3", "matrix", ""}},

	{"matrix before MatMul", func(n *net) {
		x := n.parameter("x", "1,2,3")
		n.results(n.matmul("mm", n.reshape("r", x, 1, 6), n.weights(6, 5), ""))
	}, []string{"4,2,3", "r", "[4,6]", "4,2,3", "mm", "[4,5]", "?,2,3", "mm", "[?,5]", "...", "mm", "[1..,5]", "1,2,2", "mm", ""}},

	{"matrix before MatMul, all transposed", func(n *net) {
		x := n.parameter("x", "3,2,1")
		n.results(n.matmul("mm", n.reshape("r", x, 6, 1), n.weights(5, 6), "ab"))
	}, []string{"3,2,4", "r", "[6,4]", "3,2,4", "mm", "[4,5]"}},

	{"matrix is the second input", func(n *net) {
		x, y := n.parameter("x", "1,2,3"), n.parameter("y", "4,6")
		n.results(n.matmul("mm", y, n.reshape("r", x, 1, 6), "b"))
	}, []string{"3,2,3", "r", "[3,6]", "3,2,3", "mm", "[4,3]"}},

	{"other input is a vector", func(n *net) {
		x := n.parameter("x", "1,2,3")
		n.results(n.matmul("mm", n.reshape("r", x, 1, 6), n.weights(6), ""))
	}, []string{"2,2,3", "mm", "[2]"}},

	{"Transpose between Reshape and MatMul", func(n *net) {
		x := n.parameter("x", "2,3,1")
		turned := n.add("t", "Transpose", nil, n.reshape("r", x, 6, 1), n.ints(1, 0))
		n.results(n.matmul("mm", turned, n.weights(6, 5), ""))
	}, []string{"2,3,4", "r", "[6,4]", "2,3,4", "mm", "[4,5]"}},

	{"two readers", func(n *net) {
		r := n.reshape("r", n.parameter("x", "1,6"), 1, 6)
		n.results(n.matmul("mm", r, n.weights(6, 5), ""), n.add("relu", "ReLU", nil, r))
	}, []string{"2,6", "r", "", "?,6", "r", "[1,6]"}},

	{"equal Reshapes are two readers", func(n *net) {
		x := n.parameter("x", "1,6")
		for i := range 2 {
			n.results(n.matmul("", n.reshape("r", x, 1, 6), n.weights(6, 5+i), ""))
		}
	}, []string{"2,6", "r", "", "?,6", "r", "[1,6]"}},

	{"equal MatMuls are one reader", func(n *net) {
		x := n.parameter("x", "1,6")
		for range 2 {
			n.results(n.matmul("mm", n.reshape("r", x, 1, 6), n.weights(6, 5), ""))
		}
	}, []string{"2,6", "mm", "[2,5]"}},

	{"two Reshapes", func(n *net) {
		x := n.parameter("x", "1,6")
		n.results(n.matmul("mm", n.reshape("r", x, 1, 6), n.reshape("s", n.parameter("y", "1,6"), 6, 1), ""))
	}, []string{"2,6", "r", ""}},

	{"sunk", func(n *net) {
		r := n.reshape("r", n.parameter("x", "1,4,3"), -1, 3)
		sum := n.add("sum", "Add", nil, n.matmul("mm", r, n.weights(3, 5), ""), n.weights(1, 5))
		n.results(n.reshape("back", sum, 1, 4, 5))
	}, []string{"2,4,3", "r", "[2,4,3]", "2,4,3", "back", "[2,4,5]", "?,4,3", "back", "[?,4,5]", "2,5,3", "back", "[2,4,5]"}},

	{"not sunk", func(n *net) {
		r := n.reshape("r", n.parameter("x", "1,4,3"), -1, 3)
		sum := n.add("sum", "Add", nil, n.matmul("mm", r, n.weights(3, 5), ""), n.weights(4, 5))
		n.results(n.reshape("back", sum, 1, 4, 5))
	}, []string{"2,4,3", "back", "", "?,4,3", "r", "[?,3]"}},

	{"Squeeze before StridedSlice", func(n *net) {
		squeezed := n.add("s", "Squeeze", nil, n.parameter("x", "1,4,3"), n.ints(-3))
		n.results(n.slice("cut", squeezed, []int64{1}, []int64{3}, "0", "0"))
	}, []string{"5,4,3", "cut", "[2,3]", "?,2..4,?", "cut", "[1..2,?]"}},

	{"Squeeze that others read", func(n *net) {
		squeezed := n.add("s", "Squeeze", nil, n.parameter("x", "1,4,3"), n.ints(0))
		n.results(n.slice("cut", squeezed, []int64{1}, []int64{3}, "0", "0"), n.add("relu", "ReLU", nil, squeezed))
	}, []string{"5,4,3", "s", "[5,4,3]"}},

	{"Squeeze behind StridedSlice", func(n *net) {
		cut := n.slice("cut", n.parameter("x", "1,4,3"), []int64{0, -1}, []int64{0, 0}, "1,0", "1,1")
		n.results(n.add("s", "Squeeze", nil, cut, n.ints(0, 1)))
	}, []string{"5,4,3", "s", "[3]", "5,?,..3", "s", "[..3]"}},

	{"LSTMCell", func(n *net) {
		x := n.parameter("x", "1,3")
		h := n.weights(1, 2)
		n.results(n.lstm("cell", x, h, h))
	}, []string{"4,3", "cell", "[4,2]", "?,3", "cell", "[?,2]", "2..3,3", "cell", "[2..3,2]"}},

	{"LSTMCell of two", func(n *net) {
		n.results(n.lstm("cell", n.parameter("x", "2,3"), n.weights(2, 2), n.weights(2, 2)))
	}, []string{"4,3", "cell", ""}},

	{"TensorIterator", iterate, []string{"7,5,3", "loop", "[5,2]", "7,?,3", "loop", "[?,2]"}},

	{"Constant 0, 1, 2, ...", func(n *net) {
		c := n.ints(0, 1, 2, 3, 4, 5, 6)
		shape := n.add("shape", "ShapeOf", nil, n.parameter("x", "2,7"))
		n.results(n.add("b", "Broadcast", []string{"mode", "bidirectional"}, c, shape))
	}, []string{"2,9", "b", "[2,9]", "2,1", "b", "[2,7]"}},

	{"Proposal", func(n *net) {
		a, b := n.parameter("a", "1,6,5,5"), n.parameter("b", "1,12,5,5")
		n.results(n.add("p", "Proposal", []string{
			"base_size", "16", "pre_nms_topn", "10", "post_nms_topn", "10", "nms_thresh", "0.7", "feat_stride", "16",
			"min_size", "16", "ratio", "1", "scale", "1,2,4",
		}, a, b, n.reshape("scales", n.parameter("x", "1,3"), 3)))
	}, []string{"2,3", "scales", "[6]", "2,3", "p", "[10,5]"}},
}

// iterate adds a TensorIterator with an LSTMCell whose initial states are Constants outside of
// the body.
func iterate(n *net) {
	body := new(net)
	x, h, c := body.parameter("bx", "1,1,3"), body.parameter("bh", "1,2"), body.parameter("bc", "1,2")
	cell := body.lstm("cell", body.add("s", "Squeeze", nil, x, body.ints(0)), h, c)
	body.results(cell, cell)
	body.Results[1].Inputs[0].SourceIndex = 1
	layer := n.add("loop", "TensorIterator", nil, n.parameter("x", "4,1,3"), n.weights(1, 2), n.weights(1, 2))
	layer.Bodies = []ir.Body{{
		Model: &body.Model,
		Inputs: []ir.BodyPort{
			{External: 0, Internal: x, Sliced: true, Axis: 0, End: -1, Stride: 1, PartSize: 1},
			{External: 1, Internal: h}, {External: 2, Internal: c},
		},
		Outputs:   []ir.BodyPort{{External: 0, Internal: body.Results[0]}, {External: 1, Internal: body.Results[1]}},
		BackEdges: []ir.BackEdge{{From: body.Results[0], To: h}, {From: body.Results[1], To: c}},
	}}
	for _, l := range body.Layers {
		l.Owner = layer
	}
	n.results(layer)
}
