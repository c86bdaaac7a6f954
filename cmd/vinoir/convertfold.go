package main

import (
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// smallFold is the size in bytes of outputs that are folded even if they are larger than the
// Constants they are computed from.
const smallFold = 4096

// fold returns a copy of m in which Constants replace the layers outside of bodies whose outputs
// are known, and the number of these layers. A layer that makes more of its inputs stays, such as a
// Convert of weights that are stored in a smaller type. shapes are those of m.
func fold(m *ir.Model, shapes *infer.Shapes) (*ir.Model, int, error) {
	m = m.Clone()
	known := make(map[edit.Source]*ir.Tensor)
	size := func(in *ir.Input) (int, bool) {
		value := in.Source.Constant
		if in.Source.Type != "Constant" {
			value = known[edit.SourceOf(*in)]
		}
		if value == nil {
			return 0, false
		}
		return value.ElementType().Bits() * value.Len() / 8, true
	}
	editor := edit.New(m)
	folded := 0
	var ends []edit.Source // the outputs of folded layers
	for _, layer := range m.Order {
		if len(layer.Bodies) > 0 || len(layer.Inputs) == 0 || layer.Type == "Result" {
			continue
		}
		before, all := 0, true
		for i := range layer.Inputs {
			n, ok := size(&layer.Inputs[i])
			before, all = before+n, all && ok
		}
		if all = all || layer.Type == "ShapeOf"; !all {
			continue
		}
		values := valuesOf(shapes.Outputs(layer))
		after := 0
		for _, value := range values {
			after += value.ElementType().Bits() * value.Len() / 8
		}
		if len(values) < len(layer.Outputs) || after > max(before, smallFold) {
			continue
		}
		folded++
		for i, value := range values[:len(layer.Outputs)] {
			source := edit.Source{Layer: layer, Output: i}
			known[source] = value
			ends = append(ends, source)
		}
	}
	for _, end := range ends {
		part := ""
		if len(end.Layer.Outputs) > 1 {
			part = strconv.Itoa(end.Output)
		}
		constant := editor.Constant(end.Layer, part, known[end])
		constant.Outputs[0].Names = end.Layer.Outputs[end.Output].Names
		editor.Replace(end, edit.First(constant))
	}
	return m, folded, editor.Finish()
}

// valuesOf returns the values of the outputs of a layer, up to the first that is not known.
func valuesOf(facts []ir.Fact) []*ir.Tensor {
	var values []*ir.Tensor
	for i := range facts {
		value := facts[i].Tensor
		if value == nil {
			value = exactValue(&facts[i])
		}
		if value == nil {
			break
		}
		values = append(values, value)
	}
	return values
}

// exactValue returns the value of a tensor of integers if the bounds of each are equal; nil if not.
func exactValue(fact *ir.Fact) *ir.Tensor {
	shape, err := fact.Shape.Static()
	bounds := fact.Intervals()
	if err != nil || bounds == nil || len(bounds) != shape.Elements() {
		return nil
	}
	ints := make([]int64, len(bounds))
	for i, b := range bounds {
		if !b.Known() {
			return nil
		}
		ints[i] = b.Min
	}
	value, err := ir.TensorOfInts(fact.Type, shape, ints)
	if err != nil {
		return nil
	}
	return value
}
