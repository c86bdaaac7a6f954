package loop

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// unknownTrips stands for an unknown number of iterations.
const unknownTrips = -1

func infer(in *ops.Inference) error {
	body, err := subgraph.Open(in, 0)
	if err != nil {
		return err
	}
	if p := subgraph.Special(body.Inputs, "current_iteration"); p != nil {
		if s := body.Parameter(p).Shape; s.RankKnown() && s.Rank() > 1 {
			return faults.Errorf("current_iteration, %v, has shape %v, expected rank 0 or 1", p, s)
		}
	}
	condition, known, err := subgraph.Condition("execution_condition", &in.Inputs[1])
	if err != nil {
		return err
	}
	bodyCondition := subgraph.Special(body.Outputs, "execution_condition")
	if bodyCondition == nil {
		// OpenVINO accepts the Loop, and leaves its outputs unknown.
		for i := range in.Outputs {
			in.Outputs[i] = ir.Fact{Shape: ir.UnknownRank}
		}
		return nil
	}
	trips, err := settledTrips(in, body, bodyCondition)
	if err != nil {
		return err
	}
	runs := always
	switch {
	case known && !condition && check.Constant(in.Layer, 1):
		runs = never
	case known && !condition:
		trips = 0
	case !known && check.Constant(in.Layer, 1):
		runs = perhaps
	case !known && trips > 0:
		trips = unknownTrips // OpenVINO expects the condition to be true
	}
	return setOutputs(in, body, trips, runs)
}

// settledTrips infers the body until its shapes settle, and returns the number of iterations. The
// body's condition may depend on shapes, and the shapes on the number of iterations. Like OpenVINO,
// it reads the condition before and after. The first reading counts only if the declared shapes of
// the Parameters contain the shapes that they are given.
func settledTrips(in *ops.Inference, body *subgraph.Body, bodyCondition *ir.Layer) (int64, error) {
	declared := slices.Clone(body.Parameters)
	before, err := tripCount(in, body, bodyCondition)
	if err != nil {
		return 0, err
	}
	if err := feed(in, body); err != nil {
		return 0, err
	}
	for i := range declared {
		if !declared[i].Shape.Contains(body.Parameters[i].Shape) {
			before = unknownTrips
		}
	}
	if before != 0 {
		if err := body.Settle(false); err != nil {
			return 0, err
		}
	}
	after, err := tripCount(in, body, bodyCondition)
	if err != nil || after == unknownTrips || after == before {
		return before, err
	}
	if err := feed(in, body); err != nil {
		return 0, err
	}
	if after == 0 {
		return after, nil
	}
	return after, body.Settle(false)
}

// running specifies whether the body runs.
type running int

const (
	always running = iota // as in OpenVINO, also if the condition depends on the data
	never
	perhaps // the condition is a Constant of a .bin that was not read
)

// tripCount returns the number of iterations; unknownTrips if constants do not give it. result is
// the body's execution_condition.
func tripCount(in *ops.Inference, body *subgraph.Body, result *ir.Layer) (int64, error) {
	goesOn, known, err := subgraph.Condition("execution_condition of the body", body.Result(result))
	if err != nil {
		return 0, err
	}
	if !known && len(result.Inputs) == 1 {
		// If the condition is a Parameter, it has the value of the input that feeds it.
		for _, port := range body.Feeds() {
			if port.Internal != result.Inputs[0].Source {
				continue
			}
			if goesOn, known, err = subgraph.Condition("execution_condition of the body", &in.Inputs[port.External]); err != nil {
				return 0, err
			}
		}
	}
	trips, counted, err := subgraph.Count("trip_count", &in.Inputs[0])
	switch {
	case err != nil:
		return 0, err
	case known && !goesOn:
		return 1, nil // the body's condition is read after the first iteration
	case known && counted:
		return trips, nil
	}
	return unknownTrips, nil
}

// feed gives the Parameters of the body the types and shapes of the inputs, and infers the body.
func feed(in *ops.Inference, body *subgraph.Body) error {
	feeds := body.Feeds()
	own := 2 // those of trip_count and execution_condition that feed no Parameter
	for _, port := range feeds {
		if port.External < 2 {
			own--
		}
	}
	switch {
	case own < 0:
		return errors.New("trip_count and execution_condition feed more than two Parameters")
	case len(in.Inputs) != len(feeds)+own:
		return faults.Errorf("the layer has %d inputs, its port map takes %d", len(in.Inputs), len(feeds)+own)
	}
	for _, port := range feeds {
		body.Feed(&port)
		p := body.Parameter(port.Internal)
		if body.StateOf(&port) != nil {
			p.Shape = growing(p.Shape)
		}
		if !port.Sliced || !p.Shape.RankKnown() {
			continue
		}
		axis, err := index.Axis(port.Axis, p.Shape.Rank())
		if err != nil {
			return faults.Errorf("input %d: %w", port.External, err)
		}
		p.Shape = p.Shape.With(axis, ir.Dim(port.PartSize))
	}
	return body.Infer()
}

// growing returns shape with lengths of 0 made unknown, because a state that starts empty is
// expected to grow.
func growing(shape ir.PartialShape) ir.PartialShape {
	for i, d := range shape.Dims() {
		if d == ir.Dim(0) {
			shape = shape.With(i, ir.AnyDim)
		}
	}
	return shape
}

// setOutputs sets the outputs from the Results of the body.
func setOutputs(in *ops.Inference, body *subgraph.Body, trips int64, runs running) error {
	returns := body.Returns()
	if len(returns) < len(in.Layer.Outputs) {
		return faults.Errorf("the layer has %d outputs, its port map gives %d", len(in.Layer.Outputs), len(returns))
	}
	for _, port := range returns {
		result := body.Result(port.Internal)
		shape := result.Shape
		var err error
		switch {
		case port.Sliced && runs == never:
			shape = ir.StaticShape(0)
		case port.Sliced && runs == perhaps:
			shape = ir.UnknownRank
		case port.Sliced:
			shape, err = joined(shape, port.Axis, trips)
		case runs == always && trips <= 0:
			shape = perhapsInitial(in, body, port.Internal, shape, trips)
		case runs == never && shape.IsStatic() && shape.Rank() == 0:
			err = errors.New("a scalar cannot be the output of a loop without iterations")
		case runs == never && shape.IsStatic():
			shape = shape.With(0, ir.Dim(0))
		case runs == perhaps && shape.IsStatic() && shape.Rank() > 0:
			shape = shape.With(0, shape.At(0).Relax(ir.Dim(0)))
		}
		if err != nil {
			return faults.Errorf("output %d: %w", port.External, err)
		}
		body.SetOutput(&port, result.Type, shape)
	}
	return nil
}

// perhapsInitial returns the shape of the output that result gives in the last iteration, if there
// may be none. The output then has the initial value of the state; OpenVINO always infers what an
// iteration gives. shape is the shape of result.
func perhapsInitial(in *ops.Inference, body *subgraph.Body, result *ir.Layer, shape ir.PartialShape, trips int64) ir.PartialShape {
	input := body.InitialOf(result)
	if input < 0 {
		return shape
	}
	initial := in.Inputs[input].Shape
	switch {
	case trips == 0:
		return initial
	case !shape.RankKnown() || !initial.RankKnown():
		return shape
	case shape.Rank() != initial.Rank():
		return ir.UnknownRank
	}
	for i, d := range shape.Dims() {
		if d.IsStatic() && !initial.At(i).Contains(d.Min) {
			shape = shape.With(i, ir.AnyDim)
		}
	}
	return shape
}

// joined returns the shape of the values of all iterations, joined along axis at.
func joined(shape ir.PartialShape, at, trips int64) (ir.PartialShape, error) {
	if !shape.RankKnown() {
		return shape, nil
	}
	if shape.Rank() == 0 {
		shape = ir.StaticShape(1)
	}
	axis, err := index.Axis(at, shape.Rank())
	if err != nil {
		return shape, err
	}
	length := ir.AnyDim
	if d := shape.At(axis); d.IsStatic() && trips >= 0 {
		if all := d.Mul(ir.Dim(trips)); all.IsStatic() {
			length = all
		}
	}
	return shape.With(axis, length), nil
}
