package subgraph

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Iteration runs the body of a Loop or TensorIterator repeatedly.
type Iteration struct {
	parameters []parameter
	lasts      []last
	joints     []joint
	condition  int // the Result that says whether the loop goes on; -1 if there is none
	results    int // the number of Results
}

// parameter is where a Parameter of the body has its value from.
type parameter struct {
	external int // the input of the layer; -1 for the number of the iteration
	state    int // the Result whose value the next iteration reads; -1 if there is no back edge
	sliced   *slicing
	// counter is the element type of a Parameter that holds the number of the iteration.
	counter ir.ElementType
	shape   ir.Shape // of the number
}

// slicing describes the part of a tensor that belongs to an iteration.
type slicing struct{ axis, start, stride, size int64 }

// last is an output that a Result has in the last iteration.
type last struct {
	output, result int
	elementType    ir.ElementType
	static         bool // the shape of the output is known before
	empty          ir.Shape
}

// joint is an output that consists of a Result of all iterations.
type joint struct {
	output, result int
	axis           int64
	backwards      bool // the first iteration comes last
	static         bool // the shape of the output is known before
	empty          ir.Shape
}

// NewIteration returns the iteration of body 0 of a layer.
func NewIteration(p *ops.Preparation) (*Iteration, error) {
	if len(p.Layer.Bodies) == 0 {
		return nil, faults.Errorf("the layer has no body")
	}
	body := &p.Layer.Bodies[0]
	results := make(map[*ir.Layer]int, len(body.Model.Results))
	for i, r := range body.Model.Results {
		results[r] = i
	}
	it := &Iteration{condition: -1, results: len(body.Model.Results)}
	feeds := make(map[*ir.Layer]*ir.BodyPort, len(body.Inputs))
	for i := range body.Inputs {
		port := &body.Inputs[i]
		if port.External < len(p.Inputs) && (port.External >= 0 || port.Purpose == "current_iteration") {
			feeds[port.Internal] = port
		}
	}
	states := make(map[*ir.Layer]int, len(body.BackEdges))
	for _, e := range body.BackEdges {
		result, ok := results[e.From]
		if !ok {
			return nil, faults.Errorf("a back edge begins at %v, which is no Result of the body", e.From)
		}
		states[e.To] = result
	}
	for _, layer := range body.Model.Parameters {
		port, ok := feeds[layer]
		if !ok {
			return nil, faults.Errorf("no input of the layer feeds %v", layer)
		}
		q := parameter{external: port.External, state: -1}
		switch result, ok := states[layer]; {
		case port.External < 0:
			if err := q.count(layer); err != nil {
				return nil, err
			}
		case port.Sliced:
			q.sliced = &slicing{port.Axis, port.Start, port.Stride, port.PartSize}
		case ok:
			q.state = result
		}
		it.parameters = append(it.parameters, q)
	}
	if r := Special(body.Outputs, "execution_condition"); r != nil {
		result, ok := results[r]
		if !ok {
			return nil, faults.Errorf("execution_condition is %v, which is no Result of the body", r)
		}
		it.condition = result
	}
	return it, it.setOutputs(p, body, results)
}

// count makes q hold the number of the iteration.
func (q *parameter) count(layer *ir.Layer) error {
	a := ir.AttributesOf(layer)
	q.counter = a.ElementType("element_type", ir.I64)
	if shape := a.PartialShape("shape", ir.PartialShape{}); shape.RankKnown() && shape.Rank() == 1 {
		q.shape = ir.Shape{1}
	}
	if q.counter != ir.I32 && q.counter != ir.I64 {
		return faults.Errorf("current_iteration, %v, is %v, expected i32 or i64", layer, q.counter)
	}
	return nil
}

// setOutputs sets where the outputs of the layer come from.
func (it *Iteration) setOutputs(p *ops.Preparation, body *ir.Body, results map[*ir.Layer]int) error {
	found := make([]bool, len(p.Outputs))
	for _, port := range body.Outputs {
		result, ok := results[port.Internal]
		if port.External < 0 || port.External >= len(p.Outputs) || !ok {
			continue
		}
		found[port.External] = true
		out := &p.Outputs[port.External]
		static, empty := out.Shape.IsStatic(), emptyShape(out.Shape)
		if !port.Sliced {
			it.lasts = append(it.lasts, last{port.External, result, out.Type, static, empty})
			continue
		}
		if axis, err := index.Axis(port.Axis, len(empty)); err == nil {
			empty[axis] = 0
		}
		it.joints = append(it.joints, joint{port.External, result, port.Axis, port.Stride < 0, static, empty})
	}
	if k := slices.Index(found, false); k >= 0 {
		return faults.Errorf("no Result gives output %d of the layer", k)
	}
	return nil
}

// emptyShape returns the shape of an output that no iteration gives: like OpenVINO, it takes 0 for
// unknown lengths, and one axis of them for an unknown rank.
func emptyShape(shape ir.PartialShape) ir.Shape {
	if !shape.RankKnown() {
		return ir.Shape{0}
	}
	empty := make(ir.Shape, shape.Rank())
	for i, d := range shape.Dims() {
		if d.IsStatic() {
			empty[i] = int(d.Min)
		}
	}
	return empty
}
