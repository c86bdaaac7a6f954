package builtin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// trial is one layer of a random type with random attributes, shapes and values.
type trial struct {
	rng     *rand.Rand
	op      *ops.Op
	layer   *ir.Layer
	partial []ir.Fact    // what the shape rule knows about the inputs
	inputs  []*ir.Tensor // the actual inputs
}

// attributeText returns a random value for an attribute. Most values are sensible.
func attributeText(rng *rand.Rand, info *ir.AttributeInfo) string {
	wild := []string{"", "-1", "9223372036854775807", "-9223372036854775808", "1e300", "nan", "true", "4294967296", "x", "0"}
	if rng.IntN(10) == 0 {
		return wild[rng.IntN(len(wild))]
	}
	number := func() string { return []string{"0", "1", "1", "1", "2", "2", "3", "-1", "5"}[rng.IntN(9)] }
	switch info.Kind {
	case "int":
		return number()
	case "float":
		return number() + ".5"
	case "bool":
		return []string{"true", "false"}[rng.IntN(2)]
	case "enum":
		return info.Members[rng.IntN(len(info.Members))]
	case "element type":
		return typePool[rng.IntN(len(typePool))].String()
	case "shape":
		return []string{"2,?", "...", "", "1..3,2", "2,2"}[rng.IntN(5)]
	case "ints", "floats":
		items := make([]string, rng.IntN(4))
		for i := range items {
			items[i] = number()
		}
		return strings.Join(items, ",")
	}
	return number()
}

// typePool holds the element types of inputs. Common types occur several times.
var typePool = []ir.ElementType{
	ir.F32, ir.F32, ir.F32, ir.I32, ir.I32, ir.I64, ir.I64, ir.F16, ir.BF16, ir.F64, ir.Boolean,
	ir.I8, ir.U8, ir.I16, ir.U16, ir.U32, ir.U64, ir.U4, ir.I4, ir.U1, ir.U3, ir.U6, ir.NF4, ir.F8E4M3, ir.String,
}

// newTrial returns a trial of a random layer type.
func newTrial(t *testing.T, rng *rand.Rand) *trial {
	list := all()
	tr := &trial{rng: rng, op: &list[rng.IntN(len(list))]}
	tr.layer = &ir.Layer{Name: "fuzz", Type: tr.op.Type, Outputs: make([]ir.Output, 1+rng.IntN(3))}
	for _, info := range ir.DescribeAttributes(tr.op.Attributes) {
		if rng.IntN(3) > 0 {
			tr.layer.Data = append(tr.layer.Data, ir.Attribute{Name: info.Name, Value: attributeText(rng, &info)})
		}
	}
	n := tr.op.Inputs.Min
	if extra := tr.op.Inputs.Max - n; extra != 0 {
		n += rng.IntN(3)
		if tr.op.Inputs.Max >= 0 {
			n = min(n, tr.op.Inputs.Max)
		}
	}
	// Most inputs have the type and rank of the first. Integers are frequent among the others.
	dataType, rank := typePool[rng.IntN(len(typePool))], rng.IntN(4)
	for i := range n {
		elementType := dataType
		if i > 0 && rng.IntN(2) == 0 {
			elementType = []ir.ElementType{ir.I32, ir.I64, typePool[rng.IntN(len(typePool))]}[rng.IntN(3)]
		}
		r := rank
		if rng.IntN(3) == 0 {
			r = rng.IntN(4)
		}
		tr.addInput(t, elementType, r)
	}
	return tr
}

// addInput adds an input of random shape and values. The shape rule may know less about it.
func (tr *trial) addInput(t *testing.T, elementType ir.ElementType, rank int) {
	shape := make(ir.Shape, rank)
	dims := make([]ir.Dimension, rank)
	for i := range shape {
		shape[i] = []int{0, 1, 1, 2, 2, 2, 3, 3, 4}[tr.rng.IntN(9)]
	}
	// If one length is 0, another can be so large that a loop over it would never end.
	if empty := slices.Index(shape, 0); empty >= 0 && tr.rng.IntN(4) == 0 {
		shape[(empty+1)%rank] *= math.MaxInt >> 10
	}
	for i := range shape {
		dims[i] = ir.Dim(int64(shape[i]))
		switch tr.rng.IntN(6) {
		case 0:
			dims[i] = ir.AnyDim
		case 1:
			dims[i] = ir.DimRange(int64(tr.rng.IntN(shape[i]+1)), int64(shape[i])+tr.rng.Int64N(3))
		}
	}
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	tr.fill(tensor)
	fact := ir.Fact{Type: elementType, Shape: ir.ShapeOf(dims...)}
	switch tr.rng.IntN(6) {
	case 0:
		fact = ir.Fact{Type: elementType, Shape: shape.Partial(), Tensor: tensor}
	case 1:
		fact.Shape = ir.UnknownRank
	case 2, 3:
		known := ir.Fact{Type: elementType, Shape: shape.Partial(), Tensor: tensor}
		fact = ir.Fact{Type: elementType, Shape: shape.Partial(), Values: tr.around(known.Bounds())}
	}
	tr.partial = append(tr.partial, fact)
	tr.inputs = append(tr.inputs, tensor)
}

// around widens the bounds of some elements. It returns nil if an element is negative: rules reject
// values that may be negative, and assume that unbounded values are lengths.
func (tr *trial) around(values []ir.Interval) []ir.Interval {
	for i := range values {
		v := &values[i]
		if v.Min < 0 {
			return nil
		}
		switch tr.rng.IntN(3) {
		case 0:
			v.Max = min(v.Max, math.MaxInt64-9) + tr.rng.Int64N(8)
		case 1:
			v.Min = max(v.Min-tr.rng.Int64N(8), 0)
		}
	}
	return values
}

// fill sets the elements of tensor to random values.
func (tr *trial) fill(tensor *ir.Tensor) {
	for i := range tensor.Strings() {
		tensor.Strings()[i] = fmt.Sprint("s", i)
	}
	if !tensor.ElementType().IsInteger() || tensor.ElementType().Size() == 0 {
		for i := range tensor.Bytes() {
			tensor.Bytes()[i] = uint8(tr.rng.Uint32())
			if tensor.ElementType() == ir.Boolean {
				tensor.Bytes()[i] &= 1
			}
		}
		if tr.rng.IntN(2) == 0 {
			tr.fillLengths(tensor)
		}
		return
	}
	values := make([]int64, tensor.Len())
	for i := range values {
		values[i] = tr.rng.Int64N(4)
		if tensor.ElementType().Kind() == ir.KindSigned && tr.rng.IntN(8) == 0 {
			values[i] = -tr.rng.Int64N(4)
		}
		if tr.rng.IntN(32) == 0 && tensor.ElementType() == ir.I64 {
			values[i] = []int64{math.MaxInt64, math.MinInt64, 1 << 32, -1 << 32}[tr.rng.IntN(4)]
		}
	}
	filled, err := ir.TensorOfInts(tensor.ElementType(), tensor.Shape(), values)
	if err == nil {
		copy(tensor.Bytes(), filled.Bytes())
	}
}

// fillLengths sets the elements of a tensor of f16, f32 or f64 to small numbers that are not
// negative.
func (tr *trial) fillLengths(tensor *ir.Tensor) {
	for i := range tensor.Len() {
		switch x := float64(tr.rng.IntN(20)) / 4; tensor.ElementType() {
		case ir.F16:
			ir.Data[uint16](tensor)[i] = half.F32ToF16(float32(x))
		case ir.F32:
			ir.Data[float32](tensor)[i] = float32(x)
		case ir.F64:
			ir.Data[float64](tensor)[i] = x
		}
	}
}

// infer applies Infer and Bounds to facts. It returns false if the parser of the attributes or
// Infer returns an error.
func (tr *trial) infer(facts []ir.Fact) (*ops.Inference, bool) {
	in := &ops.Inference{Layer: tr.layer, Inputs: facts, Outputs: make([]ir.Fact, len(tr.layer.Outputs))}
	if tr.op.Attributes != nil {
		var err error
		if in.Attributes, err = tr.op.Attributes(ir.AttributesOf(tr.layer)); err != nil {
			return nil, false
		}
	}
	if tr.op.Infer(in) != nil {
		return nil, false
	}
	if tr.op.Bounds != nil {
		tr.op.Bounds(in)
	}
	return in, true
}

func (tr *trial) String() string {
	s := fmt.Sprintf("%s %v", tr.op, tr.layer.Data)
	for i, f := range tr.partial {
		s += fmt.Sprintf("; input %d %v%v constant=%t, is %v", i, f.Type, f.Shape, f.Tensor != nil, tr.inputs[i].Shape())
	}
	return s
}

// FuzzOps infers a layer from partly known inputs and from fully known inputs, and then runs it.
// Nothing may panic. The two inferred shapes must be compatible, and the values that the kernel
// computes must be within the inferred bounds.
func FuzzOps(f *testing.F) {
	for seed := range uint64(3000) {
		f.Add(seed)
	}
	assuming := optest.Assuming()
	assuming["LRN"] = "unknown axes are assumed to be the channel axis"
	assuming["TopK"] = "a known k is not compared with the length of the axis"
	f.Fuzz(func(t *testing.T, seed uint64) {
		tr := newTrial(t, rand.New(rand.NewPCG(seed, 1)))
		partial, accepted := tr.infer(tr.partial)
		known := make([]ir.Fact, len(tr.inputs))
		for i, tensor := range tr.inputs {
			known[i] = ir.Fact{Type: tensor.ElementType(), Shape: tensor.Shape().Partial(), Tensor: tensor}
		}
		whole, ok := tr.infer(known)
		if !ok {
			return
		}
		inferred := []*ops.Inference{whole}
		if _, ok := assuming[tr.op.Type]; !ok {
			require.True(t, accepted, "%v: refused from partial shapes only", tr)
			for i := range whole.Outputs {
				part, all := partial.Outputs[i].Shape, whole.Outputs[i].Shape
				require.True(t, part.Compatible(all), "%v: output %d is %v by partial shapes, %v by static ones", tr, i, part, all)
			}
			inferred = append(inferred, partial)
		}
		for i, out := range tr.run(t, whole) {
			require.True(t, whole.Outputs[i].Shape.Compatible(out.Shape().Partial()), "%v: output %d is %v, inferred %v", tr, i, out.Shape(), whole.Outputs[i].Shape)
			for _, in := range inferred {
				tr.checkBounds(t, in.Outputs[i].Values, out)
			}
		}
	})
}

// run computes the layer from the actual inputs. It returns nil if the layer has no kernel, if an
// output is dynamic or larger than 1 MiB, or if Prepare or the kernel returns an error.
func (tr *trial) run(t *testing.T, in *ops.Inference) []*ir.Tensor {
	if tr.op.Prepare == nil {
		return nil
	}
	outputs := make([]*ir.Tensor, len(in.Outputs))
	for i, fact := range in.Outputs {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil
		}
		if size, err := ir.ByteSize(fact.Type, shape); err != nil || size > 1<<20 {
			return nil
		}
		outputs[i], err = ir.NewTensor(fact.Type, shape...)
		require.NoError(t, err)
	}
	p := &ops.Preparation{Attributes: in.Attributes, Layer: tr.layer, Inputs: in.Inputs, Outputs: in.Outputs, Threads: 1}
	prepared, err := tr.op.PrepareKernel(p, 1<<24)
	if err != nil {
		require.NotContains(t, err.Error(), "BUG", "%v", tr)
		return nil
	}
	r := &ops.Run{Inputs: tr.inputs, Outputs: outputs, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
	r.Resize = func(i int, shape ir.Shape) error {
		var err error
		r.Outputs[i], err = ir.NewTensor(in.Outputs[i].Type, shape...)
		return err
	}
	if prepared.Kernel(r) != nil {
		return nil
	}
	return r.Outputs
}

// checkBounds fails unless each element of out is within its bounds. nil bounds mean unknown.
func (tr *trial) checkBounds(t *testing.T, bounds []ir.Interval, out *ir.Tensor) {
	if bounds == nil {
		return
	}
	known := ir.Fact{Type: out.ElementType(), Tensor: out}
	values := known.Bounds()
	require.Len(t, bounds, len(values), "%v", tr)
	// -0 and 0 are equal.
	plain := func(bound int64) int64 {
		if bound == ir.CodeOf(math.Copysign(0, -1)) && out.ElementType().IsFloat() {
			return 0
		}
		return bound
	}
	for i, v := range values {
		require.True(t, plain(bounds[i].Min) <= plain(v.Min) && plain(v.Max) <= plain(bounds[i].Max),
			"%v: element %d is %v, bounds are %v", tr, i, v, bounds[i])
	}
}
