package decomposed

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func inference(t *testing.T, inputs ...string) *ops.Inference {
	t.Helper()
	in := &ops.Inference{}
	for _, text := range inputs {
		in.Inputs = append(in.Inputs, layertest.Fact(t, text))
	}
	return in
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		of          func(*ops.Inference, int) (ir.PartialShape, error)
		inputs      []string
		shape, want string
	}{
		{InferRows, []string{"i32[2,?]", "i32[?,3]"}, "[2,3]", ""},
		{InferRows, []string{"i64[2]", "i32[2]"}, "", "input 0, begins, is i64, expected i32"},
		{InferRows, []string{"i32[2]", "dynamic[2]"}, "", "input 1, ends, is dynamic, expected i32"},
		{InferRows, []string{"i32[2]", "i32[3]"}, "", "input 0, begins, has shape [2], input 1, ends, has shape [3]"},
		{InferStrings, []string{"i32[2]", "i32[?]", "u8[?]"}, "[2]", ""},
		{InferStrings, []string{"i32[2]", "i32[?]", "i8[?]"}, "", "input 2, chars, is i8, expected u8"},
		{InferStrings, []string{"i32[2]", "i32[?]", "u8[2,2]"}, "", "chars has shape [2,2], expected rank 1"},
		{InferStrings, []string{"i32[2]", "i32[3]", "u8[2,2]"}, "", "input 0, begins, has shape [2], input 1, ends, has shape [3]"},
		{InferRowsOfStrings, []string{"i32[2]", "i32[?]", "i32[4]", "i32[4]", "u8[9]"}, "[2]", ""},
		{InferRowsOfStrings, []string{"i32[2]", "u8[?]", "i32[4]", "i32[4]", "u8[9]"}, "", "input 1, ends, is u8, expected i32"},
		{InferRowsOfStrings, []string{"i32[2]", "i32[?]", "i32[4]", "u8[4]", "u8[9]"}, "", "input 3, ends, is u8, expected i32"},
		{InferRowsOfStrings, []string{"i32[2]", "i32[?]", "i32[4,1]", "i32[4,1]", "u8[9]"}, "", "begins of strings has shape [4,1], expected rank 1"},
	} {
		shape, err := c.of(inference(t, c.inputs...), 0)
		if c.want != "" {
			assert.EqualError(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.shape, shape.String())
	}
}

func TestInferSkips(t *testing.T) {
	fact, err := InferSkips(inference(t, "u8[?]", "boolean[2,?]"), 1)
	require.NoError(t, err)
	assert.Equal(t, "boolean[2,?]", layertest.FactText(&fact))
	_, err = InferSkips(inference(t, "u8[?]"), 0)
	assert.EqualError(t, err, "input 0, skips, is u8, expected boolean")
}

func TestFacts(t *testing.T) {
	text := func(facts []ir.Fact) (all []string) {
		for i := range facts {
			all = append(all, layertest.FactText(&facts[i]))
		}
		return all
	}
	assert.Equal(t, []string{"i32[2]", "i32[2]"}, text(RowFacts(ir.StaticShape(2))))
	assert.Equal(t, []string{"i32[2]", "i32[2]", "u8[?]"}, text(StringFacts(ir.StaticShape(2))))
	assert.Equal(t, []string{"i32[2]", "i32[2]", "i32[?]", "i32[?]", "u8[?]"}, text(RowOfStringFacts(ir.StaticShape(2))))
}

func TestStrings(t *testing.T) {
	chars, err := ir.TensorOfInts(ir.U8, ir.Shape{3}, []int64{'a', 'b', 'c'})
	require.NoError(t, err)
	r := &ops.Run{Inputs: []*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{2}, 0, 1), layertest.Ints(t, ir.I32, ir.Shape{2}, 1, 3), chars}}
	s, err := Strings(r, 0, "words")
	require.NoError(t, err)
	assert.Equal(t, "bc", string(s.At(1)))
	_, err = Rows(r, 0, 3, "rows")
	assert.NoError(t, err)
	_, err = Rows(r, 0, 2, "rows")
	assert.EqualError(t, err, "rows: row 1 is from 1 to 3, of 2 items")
	p := &ops.Preparation{}
	for _, tensor := range r.Inputs {
		p.Inputs = append(p.Inputs, ir.Fact{Tensor: tensor})
	}
	s, err = ConstantStrings(p, 0, "words")
	require.NoError(t, err)
	assert.Equal(t, "bc", string(s.At(1)))
	r.Inputs[1] = layertest.Ints(t, ir.I32, ir.Shape{2}, 1, 4)
	_, err = Strings(r, 0, "words")
	assert.EqualError(t, err, "words: string 1 is from 1 to 4, of 3 bytes")
	p.Inputs[1].Tensor = r.Inputs[1]
	_, err = ConstantStrings(p, 0, "words")
	assert.EqualError(t, err, "words: string 1 is from 1 to 4, of 3 bytes")
}

func TestMap(t *testing.T) {
	chars, err := ir.TensorOfInts(ir.U8, ir.Shape{3}, []int64{'a', 'b', 'c'})
	require.NoError(t, err)
	twice := &ops.Op{
		Type: "Twice", Version: 1, Inputs: ops.Exactly(3),
		Infer: func(in *ops.Inference) error { return ops.SetOutputs(in, StringFacts(in.Inputs[0].Shape)...) },
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				return Map(r, func(text []byte) int { return 2 * len(text) }, func(dst, text []byte) []byte { return append(append(dst, text...), text...) })
			}}, nil
		},
	}
	inputs := []*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{2}, 1, 0), layertest.Ints(t, ir.I32, ir.Shape{2}, 3, 1), chars}
	out, err := layertest.RunOutputs(twice, nil, 1, 3, inputs...)
	require.NoError(t, err)
	assert.Equal(t, "bcbcaa", string(out[2].Bytes()))
	assert.Equal(t, []int32{0, 4}, ir.Data[int32](out[0]))
	assert.Equal(t, []int32{4, 6}, ir.Data[int32](out[1]))

	huge := *twice
	huge.Prepare = func(*ops.Preparation) (*ops.Prepared, error) {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			return Map(r, func([]byte) int { return 1 << 30 }, func(dst, _ []byte) []byte { return dst })
		}}, nil
	}
	_, err = layertest.RunOutputs(&huge, nil, 1, 3, inputs...)
	assert.EqualError(t, err, "string 1 ends beyond byte 2147483647, more than an i32 counts")

	kernel, r, err := layertest.PrepareOutputs(twice, nil, 1, 3, inputs...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}
