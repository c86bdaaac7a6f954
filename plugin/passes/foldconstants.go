package passes

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// FoldConstants computes what depends on constants only: the conversion of
// weights that are stored as f16 or in 8 and 4 bits, shape arithmetic, weights
// that are stored as a few numbers and the layers that spread them.
var FoldConstants = Pass{"FoldConstants", foldConstants}

func foldConstants(g *Graph) bool {
	f := folder{g: g, constants: make(map[source]*ir.Layer)}
	for _, layer := range g.Model.Order {
		f.fold(layer)
	}
	if len(f.constants) == 0 {
		return false
	}
	g.Model.Order = append(f.added, g.Model.Order...)
	Prune(g.Model)
	return true
}

type folder struct {
	g         *Graph
	constants map[source]*ir.Layer
	added     []*ir.Layer
}

// fold leads layer's inputs to the Constants made so far, and makes Constants of
// its outputs where all of its inputs are constant.
func (f *folder) fold(layer *ir.Layer) {
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		if c := f.constants[source{in.Source, in.SourceIndex}]; c != nil {
			in.Source, in.SourceIndex = c, 0
		}
	}
	if layer.Constant != nil || len(layer.Inputs) == 0 || layer.Type == "Result" {
		return
	}
	facts := f.g.Shapes.Outputs(layer)
	tensors := make([]*ir.Tensor, len(facts))
	folded := true
	for i := range facts {
		tensors[i] = ConstantOf(&facts[i])
		folded = folded && tensors[i] != nil
	}
	if !folded {
		inputs := make([]ir.Fact, len(layer.Inputs))
		for i, in := range layer.Inputs {
			t := in.Source.Constant
			if t == nil {
				f.replace(layer, tensors)
				return
			}
			inputs[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
		}
		var err error
		if tensors, err = f.g.Evaluate(layer, inputs); err != nil {
			return
		}
	}
	f.replace(layer, tensors)
}

func (f *folder) replace(layer *ir.Layer, tensors []*ir.Tensor) {
	for i, t := range tensors {
		if t != nil {
			c := addConstant(f.g.Model, layer, i, t)
			f.constants[source{layer, i}] = c
			f.added = append(f.added, c)
		}
	}
}

// ConstantOf returns the value of a fact of which everything is known, nil of
// another.
func ConstantOf(fact *ir.Fact) *ir.Tensor {
	if fact.Tensor != nil || fact.Values == nil {
		return fact.Tensor
	}
	for _, v := range fact.Values {
		// The ends of the range stand for no bound.
		if !v.Known() || v.Min == math.MinInt64 || v.Max == math.MaxInt64 {
			return nil
		}
	}
	shape, err := fact.Shape.Static()
	if err != nil {
		return nil
	}
	ints, _ := fact.Ints()
	t, err := ir.TensorOfInts(fact.Type, shape, ints)
	if err != nil {
		return nil
	}
	return t
}
