package tensoriterator

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

func infer(in *ops.Inference) error {
	body, err := subgraph.Open(in, 0)
	if err != nil {
		return err
	}
	for _, layer := range body.Model.Order {
		if layer.Type == "TensorIterator" {
			return faults.Errorf("the body holds another TensorIterator, layer %d %q", layer.ID, layer.Name)
		}
	}
	feeds := body.Feeds()
	if len(in.Inputs) != len(feeds) {
		return faults.Errorf("the layer has %d inputs, its port map takes %d", len(in.Inputs), len(feeds))
	}
	parts, err := feed(in, body, feeds)
	if err != nil {
		return err
	}
	returns := body.Returns()
	if parts == nil {
		parts = partsOfOutputs(returns)
	}
	if err := body.Infer(); err != nil {
		return err
	}
	// OpenVINO keeps the shapes of the first iteration, which are wrong if a state changes its
	// shape.
	if parts.Min > 1 || parts.IsDynamic() {
		if err := body.Settle(true); err != nil {
			return err
		}
	}
	if len(returns) < len(in.Layer.Outputs) {
		return faults.Errorf("the layer has %d outputs, its port map gives %d", len(in.Layer.Outputs), len(returns))
	}
	for _, port := range returns {
		result := body.Result(port.Internal)
		shape := result.Shape
		if port.Sliced {
			if shape, err = joined(shape, &port, parts); err != nil {
				return faults.Errorf("output %d: %w", port.External, err)
			}
		}
		body.SetOutput(&port, result.Type, shape)
	}
	return nil
}

// feed gives the Parameters of the body the shapes of the inputs, and returns the number of
// iterations. The last input that is cut along an axis of known length determines it. It is any
// number if there is no input of known length, and nil if no input is cut.
func feed(in *ops.Inference, body *subgraph.Body, feeds []ir.BodyPort) (*ir.Dimension, error) {
	var parts *ir.Dimension
	for _, port := range feeds {
		p := body.Parameter(port.Internal)
		p.Shape = in.Inputs[port.External].Shape
		if !port.Sliced {
			continue
		}
		if parts == nil {
			parts = &ir.Dimension{Max: ir.Unbounded}
		}
		if !p.Shape.RankKnown() {
			continue
		}
		axis, err := index.Axis(port.Axis, p.Shape.Rank())
		if err != nil {
			return nil, faults.Errorf("input %d: %w", port.External, err)
		}
		if d := p.Shape.At(axis); d.IsStatic() {
			*parts = partsOf(&port, d.Min)
		}
		p.Shape = p.Shape.With(axis, ir.Dim(port.PartSize))
	}
	return parts, nil
}

// partsOf returns the number of parts of an axis of the given length. Like OpenVINO, it counts from
// start to end, including both, and ignores the stride.
func partsOf(port *ir.BodyPort, length int64) ir.Dimension {
	start, end := port.Start, port.End
	if start < 0 {
		start += length
	}
	if end < 0 {
		end += length
	}
	size, d := uint64(port.PartSize), distance(start, end)
	n := d / size
	if d%size == size-1 {
		n++
	}
	return count(n)
}

// partsOfOutputs returns the number of iterations if no input is cut. The range of the first joined
// output determines it; the end of the range is not included.
func partsOfOutputs(returns []ir.BodyPort) *ir.Dimension {
	parts := ir.AnyDim
	for _, port := range returns {
		if port.Sliced {
			parts = count(distance(port.Start, port.End) / uint64(port.PartSize))
			break
		}
	}
	return &parts
}

// distance returns |b - a|.
func distance(a, b int64) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a)
}

// count returns n as a static dimension; any length if n is too large.
func count(n uint64) ir.Dimension {
	if n >= math.MaxInt64 {
		return ir.AnyDim
	}
	return ir.Dim(int64(n))
}

// joined returns the shape of the values of all iterations, joined along the axis of port.
func joined(shape ir.PartialShape, port *ir.BodyPort, parts *ir.Dimension) (ir.PartialShape, error) {
	if !shape.RankKnown() {
		return shape, nil
	}
	if shape.Rank() == 0 {
		if port.Axis != 0 {
			return shape, faults.Errorf("scalars are joined along axis %d, expected 0", port.Axis)
		}
		shape = ir.ShapeOfRank(1)
	}
	axis, err := index.Axis(port.Axis, shape.Rank())
	if err != nil {
		return shape, err
	}
	length := parts.Mul(ir.Dim(port.PartSize))
	if parts.IsDynamic() || length.IsDynamic() {
		length = ir.AnyDim
	}
	return shape.With(axis, length), nil
}
