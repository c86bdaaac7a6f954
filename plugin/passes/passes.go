// Package passes holds the rewrites of a model at compile time, one file each.
// A pass may make a model faster, and never changes what it computes, but for the
// rounding of floating-point numbers: any of them can be left out.
package passes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Pass is one rewrite.
type Pass struct {
	Name string
	// Run rewrites Graph.Model in place and reports whether it changed anything.
	Run func(*Graph) bool
}

// All returns every pass in the order in which they run.
func All() []Pass {
	return []Pass{
		ConvertAfterGather, FoldConstants, RemoveNoOps, MergeEqual, MergeTransposes,
		RecogniseMVN, RecogniseActivations, RecogniseAttention, FoldAffine, NestConcats, FuseStages,
	}
}

// Graph is what a pass works on.
type Graph struct {
	// Model is a Clone, which the pass may change.
	Model *ir.Model
	// Shapes belongs to Model as it was before the pass.
	Shapes *infer.Shapes
	// Evaluate computes a layer from constant inputs. It refuses layers that are
	// not a function of their inputs, and outputs beyond a limit.
	Evaluate func(*ir.Layer, []ir.Fact) ([]*ir.Tensor, error)
}

// Prune takes the layers that nothing depends on any more out of m.Order, all but
// the Parameters.
func Prune(m *ir.Model) {
	needed := make([]bool, len(m.Layers))
	for _, list := range [][]*ir.Layer{m.Parameters, m.Results, m.Sinks} {
		for _, layer := range list {
			needed[layer.Index] = true
		}
	}
	for _, layer := range slices.Backward(m.Order) {
		if needed[layer.Index] {
			for _, in := range layer.Inputs {
				needed[in.Source.Index] = true
			}
		}
	}
	m.Order = slices.DeleteFunc(m.Order, func(layer *ir.Layer) bool { return !needed[layer.Index] })
}

// addConstant adds a Constant that stands for output of layer, for none of them where
// that is -1. The caller puts it into m.Order.
func addConstant(m *ir.Model, layer *ir.Layer, output int, value *ir.Tensor) *ir.Layer {
	lengths := make([]string, len(value.Shape()))
	for i, n := range value.Shape() {
		lengths[i] = strconv.Itoa(n)
	}
	c := &ir.Layer{
		Index: len(m.Layers), ID: layer.ID, Name: layer.Name, Line: layer.Line,
		Type: "Constant", FileType: "Const", Opset: "opset1",
		Data: []ir.Attribute{
			{Name: "element_type", Value: value.ElementType().String()},
			{Name: "shape", Value: strings.Join(lengths, ",")},
		},
		Constant: value,
	}
	port := ir.Output{DeclaredType: value.ElementType(), Declared: value.Shape().Partial()}
	if output >= 0 && output < len(layer.Outputs) {
		port.Names = layer.Outputs[output].Names
	}
	c.Outputs = []ir.Output{port}
	m.Layers = append(m.Layers, c)
	return c
}
