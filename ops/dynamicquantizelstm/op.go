// Package dynamicquantizelstm computes an LSTM whose weights have 8 bits, and whose data is rounded
// to 8 bits when the layer runs:
//
//	i, o, f, c = f(gate i), f(gate o), f(gate f), g(gate c)
//	gate k     = round(X)·Wk + round(H)·Rk + Bk
//	Ct = f*C + i*c, Ht = o*h(Ct)
//
// round returns the nearest of 256 numbers that are evenly spaced from min(x, 0) to max(x, 0). All
// X of the steps that are computed are rounded together, and all H of a step. So results depend on
// the other sequences of the batch.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Inputs: T is the number of steps, N the batch, I the length of X, S the length of the state, and
// D the number of directions.
//
//	X          [T,N,I]      f32
//	lengths    [N]          integers
//	H, C       [D,N,S]      f32
//	W          [D,I,4*S]    i8 or u8
//	scale      [D] or [D,4*S]  f32: W is (codes-zero)*scale
//	zero       [D] or [D,4*S]  the type of W
//	R          [D,S,4*S]    i8 or u8, and its scale and zero
//	B          [D,8*S]      f32: the biases of W, then those of R, which are added
//
// Outputs: Y [T,D,N,S], and Ho and Co [D,N,S], all f32.
//
// A sequence of length L has the steps 0 to L-1. The reverse direction, and the second one of
// bidirectional, begins with step L-1. Y is 0 from step L on. Ho and Co are the states after L
// steps, 0 if L is 0.
//
// Attributes:
//   - direction: forward, reverse or bidirectional; forward by default.
//   - activations, activations_alpha, activations_beta, and clip: as of LSTMSequence-5, see package
//     rnn.
//
// Errors: lengths below 0 or above T.
//
// Specification: com.microsoft.DynamicQuantizeLSTM of ONNX Runtime.
package dynamicquantizelstm

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "DynamicQuantizeLSTM", Namespace: "vinoir",
	Inputs:     ops.Exactly(biasPort + 1),
	Attributes: parse,
	Values:     constantPorts(),
	Infer:      infer,
	Types:      []ir.ElementType{ir.F32},
	Written:    3,
	Prepare:    prepare,
}}

// The numbers of inputs. Scale and zero point follow the weights.
const (
	xPort, lengthsPort, hiddenPort, cellPort = 0, 1, 2, 3
	weightsPort, recurrentPort, biasPort     = 4, 7, 10
)

// constantPorts returns the inputs that are usually constant.
func constantPorts() []int {
	var list []int
	for i := weightsPort; i <= biasPort; i++ {
		list = append(list, i)
	}
	return list
}

const (
	gates     = 4
	functions = 3 // activations
)

type attributes struct {
	direction   string
	activations recurrence.Activations
	clip        float64
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{
		direction:   a.Enum("direction", "forward", "forward", "reverse", "bidirectional"),
		activations: recurrence.ReadActivations(a, "sigmoid,tanh,tanh"),
		clip:        a.Float("clip", 0),
	}
	at.activations.Check(a, functions)
	return at, a.Err()
}

// directions returns D.
func (at *attributes) directions() int {
	if at.direction == "bidirectional" {
		return 2
	}
	return 1
}

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	s := sizes{directions: ir.DimOfInt(int64(at.directions())), batch: ir.AnyDim, input: ir.AnyDim, hidden: ir.AnyDim, rows: ir.AnyDim}
	x := &in.Inputs[xPort]
	if err := check.Rank("X", x.Shape, 3); err != nil {
		return err
	}
	steps := x.Shape.At(0)
	for _, p := range []struct {
		name    string
		port    int
		lengths []*ir.Dimension
	}{
		{"X", xPort, []*ir.Dimension{&steps, &s.batch, &s.input}},
		{"lengths", lengthsPort, []*ir.Dimension{&s.batch}},
		{"H", hiddenPort, []*ir.Dimension{&s.directions, &s.batch, &s.hidden}},
		{"C", cellPort, []*ir.Dimension{&s.directions, &s.batch, &s.hidden}},
		{"W", weightsPort, []*ir.Dimension{&s.directions, &s.input, &s.rows}},
		{"R", recurrentPort, []*ir.Dimension{&s.directions, &s.hidden, &s.rows}},
	} {
		if err := s.merge(p.name, in.Inputs[p.port].Shape, p.lengths); err != nil {
			return err
		}
	}
	if err := s.checkRows(in); err != nil {
		return err
	}
	if err := checkTypes(in); err != nil {
		return err
	}
	state := ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(s.directions, s.batch, s.hidden)}
	return ops.SetOutputs(in, ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(steps, s.directions, s.batch, s.hidden)}, state, state)
}

// sizes are the lengths that inputs share.
type sizes struct{ directions, batch, input, hidden, rows ir.Dimension }

// merge merges the lengths of an input with those of the inputs before it.
func (s *sizes) merge(name string, shape ir.PartialShape, lengths []*ir.Dimension) error {
	if err := check.Rank(name, shape, len(lengths)); err != nil {
		return err
	}
	for axis, length := range lengths {
		both, ok := length.Merge(shape.At(axis))
		if !ok {
			return faults.Errorf("%s has shape %v: axis %d has length %v, the inputs before it need %v", name, shape, axis, shape.At(axis), *length)
		}
		*length = both
	}
	return nil
}

// checkRows checks the numbers of gates, and those of scales, zero points and biases.
func (s *sizes) checkRows(in *ops.Inference) error {
	if s.hidden.IsStatic() {
		rows, ok := s.rows.Merge(s.hidden.Mul(ir.Dim(gates)))
		if !ok {
			return faults.Errorf("W and R have %v columns, %d gates of length %v need %v", s.rows, gates, s.hidden, s.hidden.Mul(ir.Dim(gates)))
		}
		s.rows = rows
	}
	biases := s.rows.Mul(ir.Dim(2))
	if err := s.merge("B", in.Inputs[biasPort].Shape, []*ir.Dimension{&s.directions, &biases}); err != nil {
		return err
	}
	for i, name := range []string{"the scale of W", "the zero point of W", "the scale of R", "the zero point of R"} {
		shape := in.Inputs[factorPort(i)].Shape
		lengths := []*ir.Dimension{&s.directions, &s.rows}
		if shape.RankKnown() && shape.Rank() == 1 {
			lengths = lengths[:1]
		}
		if err := s.merge(name, shape, lengths); err != nil {
			return err
		}
	}
	return nil
}

// factorPort returns the input of number i of the scales and zero points.
func factorPort(i int) int {
	return []int{weightsPort + 1, weightsPort + 2, recurrentPort + 1, recurrentPort + 2}[i]
}

// checkTypes checks the types of all inputs.
func checkTypes(in *ops.Inference) error {
	for i := range in.Inputs {
		t := in.Inputs[i].Type
		ok := t == ir.F32
		switch i {
		case lengthsPort:
			ok = t.IsInteger()
		case weightsPort, recurrentPort:
			ok = t == ir.I8 || t == ir.U8
		case weightsPort + 2, recurrentPort + 2:
			_, ok = ir.MergeElementTypes(t, in.Inputs[i-2].Type)
		}
		if !ok && t != ir.Dynamic {
			return faults.Errorf("input %d is %v: lengths are integers, weights and zero points i8 or u8, and the others f32", i, t)
		}
	}
	return nil
}
