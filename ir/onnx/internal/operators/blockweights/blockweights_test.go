package blockweights_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/blockweights"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// rows returns a matrix of f32.
func rows(rows ...[]float32) [][]float32 { return rows }

func TestMatMulNBits(t *testing.T) {
	s := onnxtest.NewSuite(t, blockweights.Rules())
	// rows 0 1 2 3 and 4 5 6 7 in blocks of two
	four := [][][]uint8{{{0x10}, {0x32}}, {{0x54}, {0x76}}}
	x, scales := rows([]float32{1, 2, 3, 4}), rows([]float32{1, 10}, []float32{2, 0.5})
	shape := []any{"N", 2, "K", 4, "block_size", 2}
	with := func(more ...any) []any { return append(append([]any{}, shape...), more...) }
	for _, c := range []onnxtest.Case{
		{Inputs: []any{x, four, scales}, Want: []any{rows([]float32{-22 - 380, -20 - 5})}},
		{Inputs: []any{x, four, []float32{1, 10, 2, 0.5}, [][]uint8{{0x10}, {0x64}}}, Want: []any{rows([]float32{2 + 110, 4 + 2})}},
		{Inputs: []any{x, four, scales, rows([]float32{0, 1}, []float32{4, 6})}, Want: []any{rows([]float32{2 + 110, 4 + 2})}},
		{Inputs: []any{x, four, scales, rows([]float32{0, 0.5}, []float32{4, 6})}, Want: []any{rows([]float32{2 + 145, 4 + 2})}},
		{Inputs: []any{x, four, scales, nil, []int32{0, 0, 1, 1}, []float32{2, 5}}, Want: []any{rows([]float32{-22 - 380 + 2, -20 - 5 + 5})}},
		{Inputs: []any{x, four, scales, [][]uint8{{0x10}, {0x64}}, []int32{1, 0, 0, 1}}, Want: []any{rows([]float32{-10 + 2 + 6 + 80, -1 + 4 + 12 + 2})}},
		{Attributes: with("bits", 8), Inputs: []any{x, [][]uint8{{128, 129, 130, 131}, {132, 133, 134, 135}}, scales}, Want: []any{rows([]float32{2 + 180, 28 + 23})}},
		{Attributes: with("bits", 2), Inputs: []any{x, [][]uint8{{0b11100100}, {0b00011011}}, scales}, Want: []any{rows([]float32{-4 + 40, 2 - 1.5 - 4})}},
		{Attributes: []any{"N", 2, "K", 3, "block_size", 2}, Inputs: []any{rows([]float32{1, 2, 3}), four, scales}, Want: []any{rows([]float32{-22 - 180, -20 - 3})}},
		{Inputs: []any{[]float16.Float16{float16.Fromfloat32(1), 0, 0, 0}, four, scales}, Want: []any{[]float16.Float16{float16.Fromfloat32(-8), float16.Fromfloat32(-8)}}},

		{Attributes: with("bits", 3), Inputs: []any{x, four, scales}, Error: "weights of 3 bits are not supported, only those of 2, 4 and 8"},
		{Attributes: with("weight_prepacked", 1), Inputs: []any{x, four, scales}, Error: "attribute weight_prepacked is 1"},
		{Attributes: []any{"N", 0, "K", 4, "block_size", 2}, Inputs: []any{x, four, scales}, Error: "attribute N is 0"},
		{Attributes: []any{"N", 2, "K", 4}, Inputs: []any{x, four, scales}, Error: "attribute block_size is missing"},
		{Attributes: []any{"N", 3, "K", 4, "block_size", 2}, Inputs: []any{x, four, scales}, Error: "u4[3,4] needs 6 bytes, the data has 4"},
		{Inputs: []any{x, four, scales, []uint8{0}}, Error: "the zero points, input 3: u4[2,2] needs 2 bytes, the data has 1"},
		{Inputs: []any{x, four, scales, []float32{0}}, Error: "input 3 has 1 zero points, expected 2 for each of 2 rows"},
	} {
		if c.Attributes == nil {
			c.Attributes = shape
		}
		check(s, "MatMulNBits", c)
	}
}

// TestWeights checks that weights must be known.
func TestWeights(t *testing.T) {
	s := onnxtest.NewSuite(t, blockweights.Rules())
	for operator, attributes := range map[string][]any{
		"MatMulNBits":          {"N", 1, "K", 2, "block_size", 2},
		"MatMulBnb4":           {"N", 1, "K", 2, "block_size", 2, "quant_type", 0},
		"GatherBlockQuantized": {"block_size", 2},
	} {
		_, err := s.Convert(t, &proto.Model{
			IRVersion: 8, Imports: []proto.Import{{Domain: "com.microsoft", Version: 1}},
			Graph: &proto.Graph{
				Inputs:  []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 1, 2), onnxtest.Value("w", ir.U8, 1, 1), onnxtest.Value("s", ir.F32, 1)},
				Nodes:   []*proto.Node{{Domain: "com.microsoft", Operator: operator, Inputs: []string{"x", "w", "s"}, Outputs: []string{"y"}, Attributes: onnxtest.Attributes(attributes...)}},
				Outputs: []*proto.ValueInfo{{Name: "y"}},
			},
		})
		require.ErrorContains(t, err, "must be known before the model runs", operator)
	}
}

// check checks a case whose inputs are initializers but for the first.
func check(s *onnxtest.Suite, operator string, c onnxtest.Case) {
	c.Operator, c.Domain, c.Version = operator, "com.microsoft", 1
	for i := range c.Inputs {
		if i > 0 && c.Inputs[i] != nil {
			c.Constants = append(c.Constants, i)
		}
	}
	s.Check(c)
}

func TestMatMulBnb4(t *testing.T) {
	s := onnxtest.NewSuite(t, blockweights.Rules())
	x, codes, scales := rows([]float32{1, 2, 3, 4}), []uint8{0x3b, 0x70, 0x53, 0x00}, []float32{1, 2, 3, 4}
	shape := []any{"N", 2, "K", 4, "block_size", 2}
	for _, c := range []onnxtest.Case{
		{Attributes: append(shape, "quant_type", 0), Inputs: []any{x, codes, scales}, Want: []any{rows([]float32{1 - 2 + 1.5, 1.5 + 6})}, MaxRel: 1e-6},
		{Attributes: append(shape, "quant_type", 2), Inputs: []any{x, codes, scales}, Error: "attribute quant_type is 2"},
		{Attributes: []any{"N", 2, "K", 4, "block_size", 3, "quant_type", 0}, Inputs: []any{x, codes, scales[:3]}, Want: []any{rows([]float32{1 - 2 + 0.75, 1 + 4})}, MaxRel: 1e-6},
		{Attributes: []any{"N", 2, "K", 4, "block_size", 8, "quant_type", 1}, Inputs: []any{x, []uint8{0xff, 0x77, 0x00, 0x77}, []float32{2}}, Want: []any{rows([]float32{6, -6})}},
		{Attributes: []any{"N", 4, "K", 4, "block_size", 2, "quant_type", 1}, Inputs: []any{x, codes, scales}, Error: "the weights, input 1, are 4 bytes, expected 8"},
	} {
		check(s, "MatMulBnb4", c)
	}
}

func TestGatherBlockQuantized(t *testing.T) {
	s := onnxtest.NewSuite(t, blockweights.Rules())
	data, err := ir.TensorOfBytes(ir.U4, ir.Shape{2, 4}, []byte{0x10, 0x32, 0x54, 0x76})
	if err != nil {
		t.Fatal(err)
	}
	bytes, scales := [][]uint8{{0x10, 0x32}, {0x54, 0x76}}, rows([]float32{1, 10}, []float32{2, 0.5})
	blocks := []any{"block_size", 2}
	for _, c := range []onnxtest.Case{
		{Attributes: blocks, Inputs: []any{bytes, []int64{1}, scales}, Want: []any{rows([]float32{-8, -6, -1, -0.5})}},
		{Attributes: blocks, Inputs: []any{bytes, []int64{1}, scales, [][]uint8{{0x10}, {0x64}}}, Want: []any{rows([]float32{0, 2, 0, 0.5})}},
		{Attributes: []any{"block_size", 4}, Inputs: []any{bytes, []int64{1}, rows([]float32{1}, []float32{2}), [][]uint8{{0xf0}, {0xf4}}}, Want: []any{rows([]float32{0, 2, 4, 6})}},
		{Attributes: blocks, Inputs: []any{data, []int32{0}, scales}, Want: []any{rows([]float32{0, 1, 20, 30})}},
		{Attributes: []any{"block_size", 2, "bits", 8, "gather_axis", 1}, Inputs: []any{[][]uint8{{128, 129}, {130, 131}}, []int64{1, 0}, rows([]float32{1}, []float32{2})}, Want: []any{rows([]float32{1, 0}, []float32{6, 4})}},
		{Attributes: []any{"block_size", 0}, Inputs: []any{data, []int32{0}, scales}, Error: "attribute block_size is 0"},
		{Attributes: []any{"bits", 5}, Inputs: []any{data, []int32{0}, scales}, Error: "weights of 5 bits are not supported"},
		{Inputs: []any{uint8(1), []int32{0}, scales}, Error: "packed integers are a scalar, expected at least one axis"},
	} {
		c.Operator, c.Domain, c.Version = "GatherBlockQuantized", "com.microsoft", 1
		c.Constants = []int{0, 2, 3}[:len(c.Inputs)-1]
		s.Check(c)
	}
}
