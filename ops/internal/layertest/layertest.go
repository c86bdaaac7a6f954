// Package layertest helps the tests of families to infer and to run one layer
// without a model.
package layertest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Attributes are the attributes of a layer, written as name, value, name, value.
type Attributes []string

// Find returns the revision of family that a layer type's version names.
func Find(t testing.TB, family []ops.Op, version int) *ops.Op {
	t.Helper()
	for i := range family {
		if family[i].Version == version {
			return &family[i]
		}
	}
	require.Fail(t, "the family has no such version", "%d", version)
	return nil
}

// Fact parses what is known of an input: "f32[2,?]", or with the known values of
// an integer vector or scalar "i64[2]=0,-1", each of which may be a range: "1..3",
// "2.." or "?".
func Fact(t testing.TB, text string) ir.Fact {
	t.Helper()
	text, values, known := strings.Cut(text, "=")
	name, shape, ok := strings.Cut(text, "[")
	require.True(t, ok, text)
	var f ir.Fact
	var err error
	f.Type, err = ir.ParseElementType(name)
	require.NoError(t, err, text)
	f.Shape, err = ir.ParsePartialShape("[" + shape)
	require.NoError(t, err, text)
	if !known {
		return f
	}
	f.Values = []ir.Interval{}
	for item := range strings.SplitSeq(values, ",") {
		if item != "" {
			f.Values = append(f.Values, interval(t, item))
		}
	}
	return f
}

func interval(t testing.TB, text string) ir.Interval {
	t.Helper()
	lo, hi, isRange := strings.Cut(text, "..")
	v := ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	if text == "?" {
		return v
	}
	if !isRange {
		hi = lo
	}
	for _, end := range []struct {
		text string
		to   *int64
	}{{lo, &v.Min}, {hi, &v.Max}} {
		if end.text != "" {
			_, err := fmt.Sscan(end.text, end.to)
			require.NoError(t, err, text)
		}
	}
	return v
}

// FactText is the inverse of Fact.
func FactText(f *ir.Fact) string {
	text, values := f.Type.String()+f.Shape.String(), f.Intervals()
	if values == nil {
		return text
	}
	items := make([]string, len(values))
	for i, v := range values {
		switch {
		case v.Known():
			items[i] = fmt.Sprint(v.Min)
		case v.Min == math.MinInt64 && v.Max == math.MaxInt64:
			items[i] = "?"
		case v.Max == math.MaxInt64:
			items[i] = fmt.Sprintf("%d..", v.Min)
		default:
			items[i] = fmt.Sprintf("%d..%d", v.Min, v.Max)
		}
	}
	return text + "=" + strings.Join(items, ",")
}

// Infer returns what op infers for inputs written as Fact reads them, in the same
// notation.
func Infer(t testing.TB, op *ops.Op, attributes Attributes, inputs ...string) (string, error) {
	t.Helper()
	facts := make([]ir.Fact, len(inputs))
	for i, text := range inputs {
		facts[i] = Fact(t, text)
	}
	in, err := infer(op, attributes, facts)
	if err != nil {
		return "", err
	}
	return FactText(&in.Outputs[0]), nil
}

// ShapeCase is a row of the table of a shape rule: inputs and the output as Fact
// reads them, or the text of the error.
type ShapeCase struct {
	Version    int
	Attributes Attributes
	Inputs     []string
	Want       string
	Error      string
}

// Shapes tests a table of a shape rule.
func Shapes(t *testing.T, family []ops.Op, cases []ShapeCase) {
	for _, c := range cases {
		t.Run(fmt.Sprint(c.Version, c.Attributes, c.Inputs), func(t *testing.T) {
			got, err := Infer(t, Find(t, family, c.Version), c.Attributes, c.Inputs...)
			if c.Error != "" {
				require.EqualError(t, err, c.Error)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want, got)
		})
	}
}

// Run infers, prepares and runs a layer on inputs that none of is constant but
// those that op reads the values of, and returns its output. The memory that the
// kernel gets holds other things.
func Run(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (*ir.Tensor, error) {
	return run(op, attributes, threads, false, inputs)
}

// RunInPlace is Run with the output in the memory of input 0.
func RunInPlace(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (*ir.Tensor, error) {
	return run(op, attributes, threads, true, inputs)
}

func run(op *ops.Op, attributes Attributes, threads int, inPlace bool, inputs []*ir.Tensor) (*ir.Tensor, error) {
	kernel, r, err := Prepare(op, attributes, threads, inputs...)
	if err != nil {
		return nil, err
	}
	defer r.Pool.Close()
	if inPlace {
		r.Outputs[0] = inputs[0]
	}
	return r.Outputs[0], kernel(r)
}

// Prepare is Run without running the kernel.
func Prepare(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (ops.Kernel, *ops.Run, error) {
	facts := make([]ir.Fact, len(inputs))
	for i, tensor := range inputs {
		facts[i] = ir.Fact{Type: tensor.ElementType(), Shape: tensor.Shape().Partial()}
	}
	for _, i := range op.Values {
		if i < len(inputs) {
			facts[i].Tensor = inputs[i]
		}
	}
	in, err := infer(op, attributes, facts)
	if err != nil {
		return nil, nil, err
	}
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil {
		return nil, nil, err
	}
	out, err := ir.NewTensor(in.Outputs[0].Type, shape...)
	if err != nil {
		return nil, nil, err
	}
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: facts, Outputs: in.Outputs, Threads: threads}
	kernel, err := op.Prepare(p)
	if err != nil {
		return nil, nil, err
	}
	scratch := ir.AlignedBytes(p.ScratchBytes)
	for _, memory := range [][]byte{out.Bytes(), scratch} {
		for i := range memory {
			memory[i] = 0xcd
		}
	}
	for i := range out.Strings() {
		out.Strings()[i] = "left over"
	}
	return kernel, &ops.Run{
		Inputs: inputs, Outputs: []*ir.Tensor{out}, Scratch: scratch, Pool: parallel.New(threads),
	}, nil
}

func infer(op *ops.Op, attributes Attributes, facts []ir.Fact) (*ir.Inference, error) {
	layer := &ir.Layer{Type: op.Type}
	for i := 0; i < len(attributes); i += 2 {
		layer.Data = append(layer.Data, ir.Attribute{Name: attributes[i], Value: attributes[i+1]})
	}
	in := &ir.Inference{Layer: layer, Inputs: facts, Outputs: []ir.Fact{{Shape: ir.UnknownRank}}}
	if op.Attributes != nil {
		var err error
		if in.Attributes, err = op.Attributes(ir.AttributesOf(layer)); err != nil {
			return nil, err
		}
	}
	if err := op.Infer(in); err != nil {
		return nil, err
	}
	if op.Bounds != nil {
		op.Bounds(in)
	}
	return in, nil
}

// Ints returns a tensor of integers of type t.
func Ints(t testing.TB, elementType ir.ElementType, shape ir.Shape, values ...int64) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOfInts(elementType, shape, values)
	require.NoError(t, err)
	return tensor
}

// Counted returns a tensor whose elements are their own positions in row-major
// order, as far as the type holds them, so that a mistake names its source.
func Counted(t testing.TB, elementType ir.ElementType, shape ...int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	size := elementType.Size()
	for i := range tensor.Len() {
		switch {
		case elementType == ir.String:
			tensor.Strings()[i] = fmt.Sprint("element ", i)
		case size == 0:
			tensor.SetPacked(i, uint8(i+1))
		default:
			for b, v := 0, i+1; b < size; b, v = b+1, v>>8 {
				tensor.Bytes()[i*size+b] = byte(v)
			}
		}
	}
	return tensor
}

// Element returns element i of a tensor as a string of its bytes, or the string.
func Element(t *ir.Tensor, i int) string {
	size := t.ElementType().Size()
	switch {
	case t.ElementType() == ir.String:
		return t.Strings()[i]
	case size == 0:
		return string(rune(t.Packed(i)))
	}
	return string(t.Bytes()[i*size : (i+1)*size])
}

// Elements returns all elements of a tensor as Element does.
func Elements(t *ir.Tensor) []string {
	all := make([]string, t.Len())
	for i := range all {
		all[i] = Element(t, i)
	}
	return all
}

// Types are all element types but Dynamic.
func Types() []ir.ElementType {
	var all []ir.ElementType
	for t := ir.Boolean; t <= ir.Complex128; t++ {
		all = append(all, t)
	}
	return all
}
