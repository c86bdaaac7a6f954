package ifop

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// bodyNames are the names of the bodies in errors.
var bodyNames = [2]string{"then_body", "else_body"}

func infer(in *ops.Inference) error {
	var bodies [2]*subgraph.Body
	for i := range bodies {
		var err error
		if bodies[i], err = subgraph.Open(in, i); err != nil {
			return err
		}
	}
	cond, known, err := subgraph.Condition("cond", &in.Inputs[0])
	if err != nil {
		return err
	}
	if known {
		// The other body keeps the types and shapes that its Parameters declare.
		taken := bodies[0]
		if !cond {
			taken = bodies[1]
		}
		return single(taken)
	}
	return merged(in, bodies)
}

// feed infers a body from the inputs of the layer.
func feed(body *subgraph.Body) error {
	for _, port := range body.Feeds() {
		body.Feed(&port)
	}
	return body.Infer()
}

// single sets the outputs to those of one body.
func single(body *subgraph.Body) error {
	if err := feed(body); err != nil {
		return err
	}
	for _, port := range body.Returns() {
		result := body.Result(port.Internal)
		body.SetOutput(&port, result.Type, result.Shape)
	}
	return nil
}

// merged sets the outputs to types and shapes that fit the results of both bodies.
func merged(in *ops.Inference, bodies [2]*subgraph.Body) error {
	var results [2][]*ir.Fact // by output
	for i, body := range bodies {
		if err := feed(body); err != nil {
			return err
		}
		used := make(map[*ir.Layer]bool)
		for _, port := range body.Returns() {
			if used[port.Internal] {
				return faults.Errorf("%v of %s is the source of two outputs", port.Internal, bodyNames[i])
			}
			used[port.Internal] = true
			results[i] = append(results[i], body.Result(port.Internal))
		}
	}
	if n, m := len(results[0]), len(results[1]); n != m {
		return faults.Errorf("then_body gives %d outputs, else_body %d", n, m)
	}
	if n := len(results[0]); n < len(in.Layer.Outputs) {
		return faults.Errorf("the layer has %d outputs, the port maps of its bodies give %d", len(in.Layer.Outputs), n)
	}
	for k, then := range results[0][:min(len(results[0]), len(in.Outputs))] {
		other := results[1][k]
		t, ok := ir.MergeElementTypes(then.Type, other.Type)
		if !ok {
			return faults.Errorf("output %d is %v in then_body, %v in else_body", k, then.Type, other.Type)
		}
		in.Outputs[k] = ir.Fact{Type: t, Shape: union(then.Shape, other.Shape)}
	}
	return nil
}

// union returns a shape that contains both a and b. Dimensions that are not static in both are
// unknown in the result, as in OpenVINO.
func union(a, b ir.PartialShape) ir.PartialShape {
	switch {
	case !a.RankKnown() || !b.RankKnown():
		return ir.UnknownRank
	case a.Rank() != b.Rank() && max(a.Rank(), b.Rank()) == 1:
		// One shape is a scalar, the other a vector. The scalar counts as a vector of one element.
		if one := ir.StaticShape(1); a.Equal(one) || b.Equal(one) {
			return one
		}
		return ir.ShapeOfRank(1)
	case a.Rank() != b.Rank():
		return ir.UnknownRank
	}
	dims := make([]ir.Dimension, a.Rank())
	for i := range dims {
		dims[i] = ir.AnyDim
		if a.At(i).IsStatic() && b.At(i).IsStatic() {
			dims[i] = a.At(i).Relax(b.At(i))
		}
	}
	return ir.ShapeOf(dims...)
}
