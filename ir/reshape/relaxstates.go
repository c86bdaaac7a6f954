package reshape

import (
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// broadcastStates broadcasts the initial states of an LSTMCell that are Constants of batch 1 to
// the batch of the cell's input.
func (r *relaxer) broadcastStates(cell *ir.Layer) {
	if opsetNumber(cell) < 4 || len(cell.Inputs) < 3 {
		return
	}
	r.broadcastState(cell, 1, edit.SourceOf(cell.Inputs[0]), 0)
	r.broadcastState(cell, 2, edit.SourceOf(cell.Inputs[0]), 0)
}

// broadcastState broadcasts axis 0 of input i of layer to the length of an axis of from, if the
// input is a Constant matrix with one row.
func (r *relaxer) broadcastState(layer *ir.Layer, i int, from edit.Source, axis int64) {
	if !isConstant(layer, i) {
		return
	}
	shape := r.shape(layer.Inputs[i])
	if !shape.IsStatic() || shape.Rank() != 2 || shape.At(0) != ir.Dim(1) {
		return
	}
	part := "state" + strconv.Itoa(i)
	target := r.concat(layer, part+"/shape", r.dim(layer, part+"/batch", from, axis), r.vector(layer, part+"/size", shape.At(1).Min))
	r.read(layer, i, r.insert(layer, part, "Broadcast", "opset3", edit.Attributes("mode", "numpy"), edit.SourceOf(layer.Inputs[i]), target))
}

// probeLength is longer than any axis of a real tensor.
const probeLength = 1 << 48

// broadcastStatesOfBody does the same as broadcastStates for LSTMCells in the body of a
// TensorIterator, if their initial states are inputs of the TensorIterator.
func (r *relaxer) broadcastStatesOfBody(iterator *ir.Layer) {
	if len(iterator.Bodies) != 1 {
		return
	}
	body := &iterator.Bodies[0]
	var probe *bodyProbe
	lacks := body.Model.LacksValues()
	for _, cell := range body.Model.Order {
		if !is(cell, "LSTMCell", 4) || len(cell.Inputs) < 3 {
			continue
		}
		if probe == nil {
			if probe = r.probe(iterator, body); probe == nil {
				return
			}
		}
		batch, axis := probe.batchOf(cell)
		from, found := probe.outer[batch]
		for i := 1; i <= 2; i++ {
			state, outer := probe.outer[cell.Inputs[i].Source]
			switch {
			case outer && found:
				r.broadcastState(iterator, state, edit.SourceOf(iterator.Inputs[from]), axis)
			case outer && isConstant(iterator, state) && lacks:
				r.hideLengths(iterator, state, 2)
			}
		}
	}
}

// bodyProbe is the result of probe.
type bodyProbe struct {
	shapes *infer.Shapes
	axes   []bodyAxis // the axis with bound probeLength + i
	// outer has the input of the TensorIterator that is connected to each Parameter.
	outer map[*ir.Layer]int
}

// bodyAxis is an axis of a Parameter of a body.
type bodyAxis struct {
	parameter *ir.Layer
	axis      int64
}

// probe infers a body with a different upper bound for each axis of each Parameter. An inferred
// dimension with one of these bounds has the length of that axis. probe returns nil if the context
// is done.
func (r *relaxer) probe(iterator *ir.Layer, body *ir.Body) *bodyProbe {
	parameters := make(map[*ir.Layer]ir.Fact, len(body.Model.Parameters))
	result := &bodyProbe{outer: make(map[*ir.Layer]int, len(body.Inputs))}
	for i := range body.Inputs {
		p := &body.Inputs[i]
		if _, ok := result.outer[p.Internal]; !ok && p.Internal != nil && p.External >= 0 && p.External < len(iterator.Inputs) {
			result.outer[p.Internal] = p.External
		}
	}
	inner := r.shapes.Body(iterator, 0)
	for _, p := range body.Model.Parameters {
		if inner == nil || inner.Outputs(p) == nil {
			continue
		}
		fact := inner.Outputs(p)[0]
		if fact.Shape.RankKnown() {
			dims := make([]ir.Dimension, fact.Shape.Rank())
			for i := range dims {
				dims[i] = ir.DimRange(0, probeLength+int64(len(result.axes)))
				result.axes = append(result.axes, bodyAxis{p, int64(i)})
			}
			fact.Shape = ir.ShapeOf(dims...)
		}
		parameters[p] = ir.Fact{Type: fact.Type, Shape: fact.Shape}
	}
	if result.shapes, _ = infer.Propagate(r.ctx, body.Model, r.rules, parameters); result.shapes == nil {
		return nil
	}
	return result
}

// batchOf returns the Parameter and its axis that the batch of an LSTMCell comes from; nil if it
// comes from none.
func (p *bodyProbe) batchOf(cell *ir.Layer) (*ir.Layer, int64) {
	x := p.shapes.Inputs(cell)[0].Shape
	if x.Rank() < 1 {
		return nil, 0
	}
	if i := x.At(0).Max - probeLength; i >= 0 && i < int64(len(p.axes)) {
		return p.axes[i].parameter, p.axes[i].axis
	}
	return nil, 0
}

// rangeOfConstant replaces a Constant 0, 1, 2, ... that a bidirectional Broadcast reads. The
// replacement is a Range with the length that the target shape has at that axis or, if that is
// 1, with the length of the Constant.
func (r *relaxer) rangeOfConstant(broadcast *ir.Layer) {
	if opsetNumber(broadcast) < 3 || len(broadcast.Inputs) != 2 || ir.AttributesOf(broadcast).String("mode", "numpy") != "bidirectional" {
		return
	}
	if lacksValue(broadcast, 0) {
		if shape := r.shape(broadcast.Inputs[0]); shape.RankKnown() && r.fact(broadcast.Inputs[0]).Type.IsInteger() {
			r.hideLengths(broadcast, 0, shape.Rank())
		}
		return
	}
	values, known := constantList(broadcast, 0, ir.MaxValues)
	data, target := broadcast.Inputs[0].Source, broadcast.Inputs[1]
	if !known || len(values) <= 5 || len(values) >= 500 || !isRange(values) || data.Constant.ElementType() == ir.Boolean {
		return
	}
	t, shape := data.Constant.ElementType(), data.Constant.Shape()
	axis := -1
	var ones []int64
	for i, n := range shape {
		if n != 1 {
			axis = i
		} else {
			ones = append(ones, int64(i))
		}
	}
	n := int64(len(values))
	if shape[axis] != len(values) {
		return
	}
	indexType := r.fact(target).Type
	if _, err := ir.TensorOfInts(t, ir.Shape{}, []int64{n}); err != nil || !indexType.IsInteger() {
		return
	}
	scalar := func(part string, t ir.ElementType, value int64) edit.Source {
		return r.Ints(broadcast, "range/"+part, t, ir.Shape{}, value)
	}
	numpy := edit.Attributes("auto_broadcast", "numpy")
	length := r.insert(broadcast, "range/dim", "Gather", "opset8", edit.Attributes("batch_dims", "0"),
		edit.SourceOf(target), scalar("index", ir.I64, int64(axis-len(shape))), scalar("axis", ir.I32, 0))
	isOne := r.insert(broadcast, "range/is_one", "Equal", "opset1", numpy, length, scalar("one", indexType, 1))
	converted := r.insert(broadcast, "range/converted", "Convert", "opset1", edit.Attributes("destination_type", t.String()), length)
	stop := r.insert(broadcast, "range/stop", "Select", "opset1", numpy, isOne, scalar("length", t, n), converted)
	replaced := r.insert(broadcast, "range", "Range", "opset4", edit.Attributes("output_type", t.String()), scalar("start", t, 0), stop, scalar("step", t, 1))
	if len(ones) > 0 {
		replaced = r.insert(broadcast, "range/unsqueezed", "Unsqueeze", "opset1", nil, replaced, r.vector(broadcast, "range/axes", ones...))
	}
	r.read(broadcast, 0, replaced)
}
