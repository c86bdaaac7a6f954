package blockweights

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// The numbers that codes of 4 bits stand for, as in bitsandbytes: floats of two bits for the
// exponent and one for the fraction, and quantiles of the normal distribution.
var (
	fp4 = [16]float32{
		0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25,
		-0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25,
	}
	nf4 = [16]float32{
		-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
		0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
	}
)

// matMulBnb4 multiplies by the transpose of weights [N,K] of 4 bits, positions in a table of
// numbers. The first of two is in the high bits. Each block of them, as if there were no rows, has
// a scale: the largest magnitude in it.
func matMulBnb4(n *convert.Node) []convert.Value {
	rows, columns, block := positive(n, "N"), positive(n, "K"), positive(n, "block_size")
	n.RequireAttribute("quant_type")
	table := fp4
	switch quantType := n.Int("quant_type", 1); quantType {
	case 0:
	case 1:
		table = nf4
	default:
		n.Fail("attribute quant_type is %d, expected 0 or 1", quantType)
	}
	b := n.RequireConstant(n.Input(1), "the weights, input 1")
	if n.Failed() {
		return nil
	}
	swapped := slices.Clone(b.Bytes())
	for i, pair := range swapped {
		swapped[i] = pair<<4 | pair>>4
	}
	if bytes := (int64(rows)*int64(columns) + 1) / 2; int64(len(swapped)) != bytes {
		n.Fail("the weights, input 1, are %d bytes, expected %d", len(swapped), bytes)
		return nil
	}
	total := rows * columns
	block = min(block, total)
	shape := ir.Shape{rows, columns / block, block}
	if columns%block != 0 {
		shape = ir.Shape{ceilDiv(total, block), block}
		swapped = append(swapped, make([]byte, ceilDiv(shape.Elements(), 2)-len(swapped))...)
	}
	codes, err := ir.TensorOfBytes(ir.U4, shape, swapped)
	if err != nil {
		n.Fail("the weights, input 1: %w", err)
		return nil
	}
	places := n.Convert(n.Value(codes), ir.I32)
	numbers := arithmetic.Gather(n, n.ValueOf(table[:]), places, 0)
	scaleShape := []int64{int64(shape[0]), 1}
	if len(shape) == 3 {
		scaleShape = []int64{int64(shape[0]), int64(shape[1]), 1}
	}
	scale := n.Convert(n.Reshape(n.Input(2), n.IntValues(scaleShape...), false), ir.F32)
	weights := arithmetic.Multiply(n, numbers, scale)
	if shape.Elements() > total { // the last block is short
		weights = n.Slice(n.Reshape(weights, n.IntValues(-1), false), 0, 0, int64(total))
	}
	weights = n.Reshape(weights, n.IntValues(int64(rows), int64(columns)), false)
	return []convert.Value{multiply(n, n.Input(0), weights, convert.Value{}, n.Bool("transB", true))}
}
