package passes

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// MergeTransposes replaces two successive Transposes by one, or by none if they cancel each other.
// A Transpose of the last two axes of an input of MatMul becomes an attribute of the MatMul. A
// Transpose that moves only axes of length 1 becomes a Reshape, which costs nothing.
func MergeTransposes(g *ops.Graph) bool {
	if !g.Has("Transpose") {
		return false
	}
	e := &patternEditor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		switch layer.Type {
		case "Transpose":
			if order := e.Order(layer); len(order) > 0 {
				e.mergeTranspose(layer, order)
			}
		case "MatMul", "HalfMatMul":
			e.absorbTransposes(layer)
		}
	}
	return e.Done()
}

// mergeTranspose replaces a Transpose with the given order, which it overwrites.
func (e *patternEditor) mergeTranspose(layer *ir.Layer, order []int64) {
	x := layer.Inputs[0]
	if first := rewrite.Producer(x, "Transpose"); first != nil {
		if before := e.Order(first); len(before) == len(order) {
			for i, axis := range order {
				order[i] = before[axis]
			}
			x = first.Inputs[0]
		}
	}
	shape := e.Fact(x).Shape
	switch {
	case rewrite.IsIdentity(order):
		e.ReplaceLayer(layer, edit.SourceOf(x))
	case shape.RankKnown() && shape.Rank() == len(order) && movesOnes(shape, order) && e.CanInsert("Reshape", "opset1"):
		lengths := make([]int64, len(order))
		for i, axis := range order {
			lengths[i] = shape.At(int(axis)).Min
			if shape.At(int(axis)).IsDynamic() {
				lengths[i] = -1
			}
		}
		reshape := e.AddLayer(layer, "Reshape", "opset1", edit.Attributes("special_zero", "false"),
			x, e.AddInts(layer, lengths))
		e.ReplaceLayer(layer, edit.First(reshape))
	case !rewrite.IsSame(x, layer.Inputs[0]):
		merged := e.AddLayer(layer, "Transpose", "opset1", nil, x, e.AddInts(layer, order))
		e.ReplaceLayer(layer, edit.First(merged))
	}
}

// movesOnes reports whether a Transpose can be a Reshape: the axes that are not of length 1 keep
// their order. A Reshape can find only one unknown length, and none if another length is 0.
func movesOnes(shape ir.PartialShape, order []int64) bool {
	last, unknown := int64(-1), 0
	for _, axis := range order {
		d := shape.At(int(axis))
		if d == ir.Dim(1) {
			continue
		}
		if d.IsDynamic() {
			unknown++
		}
		if d == ir.Dim(0) || axis < last {
			return false
		}
		last = axis
	}
	return unknown <= 1
}

// absorbTransposes replaces Transposes of the last two axes of a MatMul's inputs by the attributes
// transpose_a and transpose_b.
func (e *patternEditor) absorbTransposes(layer *ir.Layer) {
	attributes := ir.AttributesOf(layer)
	flags := [2]bool{attributes.Bool("transpose_a", false), attributes.Bool("transpose_b", false)}
	changed := false
	for i := range flags {
		transpose := rewrite.Producer(layer.Inputs[i], "Transpose")
		if transpose == nil {
			continue
		}
		order := e.Order(transpose)
		n := len(order)
		if n < 2 {
			continue
		}
		order[n-1], order[n-2] = order[n-2], order[n-1]
		if !rewrite.IsIdentity(order) {
			continue
		}
		e.Connect(&layer.Inputs[i], edit.SourceOf(transpose.Inputs[0]))
		flags[i], changed = !flags[i], true
	}
	if changed {
		text := map[bool]string{false: "false", true: "true"}
		layer.Data = edit.Attributes("transpose_a", text[flags[0]], "transpose_b", text[flags[1]])
	}
}
