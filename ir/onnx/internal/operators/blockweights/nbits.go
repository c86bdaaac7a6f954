package blockweights

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
)

// nBits describes the weights of a MatMulNBits: a row for each of outputs, of blocks that have a
// scale and a zero point each. The last block of a row can be longer than what is left of it.
type nBits struct {
	code                   ir.ElementType
	rows, columns          int // N and K
	block, blocks, bitSize int
}

// matMulNBits multiplies by the transpose of weights [N,K] of 2, 4 or 8 bits. With input 4, g_idx,
// column k is in block g_idx[k].
func matMulNBits(n *convert.Node) []convert.Value {
	w := nBits{rows: positive(n, "N"), columns: positive(n, "K"), block: positive(n, "block_size"), bitSize: int(n.Int("bits", 4))}
	if n.Int("weight_prepacked", 0) != 0 {
		n.Fail("attribute weight_prepacked is %d: weights in the order of a kernel of a GPU", n.Int("weight_prepacked", 0))
	}
	w.code, w.blocks = quantization.Code(n, n.Int("bits", 4)), ceilDiv(w.columns, w.block)
	b := n.RequireConstant(n.Input(1), "the weights, input 1")
	if n.Failed() {
		return nil
	}
	padded := w.blocks * w.block
	q := quantization.Reinterpreted(n, b, w.code, w.rows, padded)
	scale := n.Reshape(n.Input(2), n.IntValues(int64(w.rows), int64(w.blocks)), false)
	p := quantization.Linear{Scale: scale, Zero: w.zeros(n), Axis: 1, Block: int64(w.block)}
	var weights convert.Value
	if blocks := n.Input(4); blocks.Absent() {
		weights = p.Dequantize(n, q)
	} else {
		weights = n.Slice(q, 1, 0, int64(w.columns))
		weights = quantization.Scaled(n, weights, ofColumns(n, p.Zero, blocks), ofColumns(n, p.Scale, blocks))
	}
	if padded > w.columns && !n.Has(4) {
		weights = n.Slice(weights, 1, 0, int64(w.columns))
	}
	return []convert.Value{multiply(n, n.Input(0), weights, n.Input(5), true)}
}

// ofColumns returns the elements of v, scales or zero points of blocks in axis 1, for each column,
// whose block is given.
func ofColumns(n *convert.Node, v, blocks convert.Value) convert.Value {
	if n.Rank(v) == 0 {
		return v
	}
	return arithmetic.Gather(n, v, blocks, 1)
}

// zeros returns the zero points [N,blocks] in input 3, or the one that all blocks have without it.
// They are floats, or of the bits of weights, in rows of whole bytes. Floats that are integers
// become ones of the bits of weights, which kernels read.
func (w nBits) zeros(n *convert.Node) convert.Value {
	if !n.Has(3) {
		return n.Scalar(w.code, float64(int(1)<<(w.bitSize-1)))
	}
	t := n.RequireConstant(n.Input(3), "the zero points, input 3")
	if n.Failed() {
		return convert.Value{}
	}
	rowLength := w.blocks
	if t.ElementType() == ir.U8 {
		perByte := 8 / w.bitSize
		rowLength = ceilDiv(w.blocks, perByte) * perByte
		packed, err := ir.TensorOfBytes(w.code, ir.Shape{w.rows, rowLength}, t.Bytes())
		if err != nil {
			n.Fail("the zero points, input 3: %w", err)
			return convert.Value{}
		}
		t = packed
	} else if t.Len() != w.rows*w.blocks {
		n.Fail("input 3 has %d zero points, expected %d for each of %d rows", t.Len(), w.blocks, w.rows)
		return convert.Value{}
	}
	zeros, err := ir.NewTensor(w.code, w.rows, w.blocks)
	if err != nil {
		n.Fail("%w", err)
		return convert.Value{}
	}
	values, largest := t.Values(), float64(int(1)<<w.bitSize-1)
	for i := range zeros.Len() {
		v := values(i/w.blocks*rowLength + i%w.blocks)
		if v < 0 || v > largest || v != math.Trunc(v) {
			return n.Reshape(n.Input(3), n.IntValues(int64(w.rows), int64(w.blocks)), false)
		}
		zeros.SetValue(i, v)
	}
	return n.Value(zeros)
}
