// Package weights has the pass that keeps weights in the few bits in which they are stored.
package weights

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// KeepCompressed keeps weights in the few bits in which they are stored:
//
//	weights = Reshape((Convert(codes) - Convert(zero)) * scale)
//
// The Subtract and the Reshape, which joins groups that have a scale each, may be missing. A zero
// point that only rounding made different from 0 is left out. Codes of 4 bits may be positions in a
// table of numbers instead:
//
//	weights = Reshape(Gather(table, Convert(codes)) * scale)
//
// They may also be a matrix of f16 or bf16 that is only converted, unless operands of products are
// rounded anyway.
//
// MatMul(x, weights) becomes a layer that reads the codes, for one matrix or for a batch of them,
// such as those of experts. A recurrent layer becomes one that reads i8, behind such a product of
// its data. Gather(weights, indices) takes codes, zero points and scales of rows, and decompresses
// these. Otherwise FoldConstants would compute all weights in f32, which take 2 to 8 times the
// memory.
func KeepCompressed(g *ops.Graph) bool {
	halves := g.Has("MatMul") && g.Rounded == ir.Dynamic && gemm.HasHalves() && g.CanInsert("HalfMatMul", rewrite.Namespace)
	if !halves && !g.Has("Multiply") || !g.CanInsert("CompressedMatMul", rewrite.Namespace) || !g.CanInsert("Gather", "opset8") || !g.CanInsert("Subtract", "opset1") {
		return false
	}
	e := &Editor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		switch layer.Type {
		case "MatMul":
			if c := e.compressed(layer.Inputs[1]); c != nil {
				e.multiplyCompressed(layer, c)
			} else if halves {
				e.multiplyHalves(layer)
			}
		case "Gather":
			if c := e.compressed(layer.Inputs[0]); c != nil {
				e.gatherCompressed(layer, c)
			}
		default:
			e.keepRecurrent(layer)
		}
	}
	return e.Done()
}

// Editor is an editor with the patterns of compressed weights.
type Editor struct{ *rewrite.Editor }

// compressed is a match of compressed weights. joined is their shape, of two axes, or three for a
// batch.
type compressed struct {
	codes, zero, scale ir.Input // zero has no Source if there are no zero points
	// the Gather from a table that codes are positions in; nil if they are numbers
	table         *ir.Layer
	shape, joined ir.Shape // of codes, and of the weights
}

// compressed matches compressed weights; nil if in reads others. All arithmetic must be in f32, as
// ComputeInF32 leaves it.
func (e *Editor) compressed(in ir.Input) *compressed {
	c := &compressed{joined: e.Lengths(in)}
	if len(c.joined) != 2 && len(c.joined) != 3 || !e.IsFloat32(in) {
		return nil
	}
	for range 3 {
		if layer := rewrite.Producer(in, "Convert", "Reshape"); layer != nil && e.IsFloat32(layer.Inputs[0]) {
			in = layer.Inputs[0]
		}
	}
	multiply := rewrite.Producer(in, "Multiply")
	if multiply == nil {
		return nil
	}
	for i, x := range multiply.Inputs {
		c.scale, c.zero = multiply.Inputs[1-i], ir.Input{}
		subtract := rewrite.Producer(x, "Subtract")
		if subtract != nil {
			x = subtract.Inputs[0]
		}
		if c.table = e.table(x); c.table != nil && subtract == nil {
			c.codes = c.table.Inputs[1].Source.Inputs[0]
		} else {
			c.table, c.codes = nil, e.converted(x)
		}
		if c.codes.Source == nil || !e.isScale(c.scale) {
			continue
		}
		if subtract != nil {
			c.zero = e.converted(subtract.Inputs[1])
			if c.zero.Source == nil && !e.isNearZero(subtract.Inputs[1]) || c.zero.Source != nil && isFloatCode(c.zero) || isFloatCode(c.codes) {
				continue
			}
		}
		c.shape = c.codes.Source.Constant.Shape()
		return c
	}
	return nil
}

// converted returns the constant codes that are converted to f32, perhaps through f16, which holds
// all their numbers. It has no Source if in reads something else.
func (e *Editor) converted(in ir.Input) (codes ir.Input) {
	convert := rewrite.Producer(in, "Convert")
	if convert == nil || !e.IsFloat32(in) {
		return codes
	}
	if again := rewrite.Producer(convert.Inputs[0], "Convert"); again != nil && e.Fact(convert.Inputs[0]).Type == ir.F16 {
		convert = again
	}
	if t := convert.Inputs[0].Source.Constant; t != nil {
		switch t.ElementType() {
		case ir.U2, ir.U3, ir.U4, ir.I4, ir.U8, ir.I8, ir.NF4, ir.F4E2M1, ir.F8E5M2:
			return convert.Inputs[0]
		case ir.F8E4M3:
			if !hasNaN(t.Bytes()) {
				return convert.Inputs[0]
			}
		}
	}
	return codes
}

// hasNaN reports whether f8e4m3 numbers, which their product does not tell from others, have NaN.
func hasNaN(codes []byte) bool {
	return bytes.IndexByte(codes, 0x7f) >= 0 || bytes.IndexByte(codes, 0xff) >= 0
}

// table matches a Gather that takes numbers from a constant table of 16, at constant codes of u4,
// which are converted to a type of indices. It returns nil if in reads something else.
func (e *Editor) table(in ir.Input) *ir.Layer {
	gather := rewrite.Producer(in, "Gather")
	if gather == nil || !e.IsFloat32(in) || !e.isScale(gather.Inputs[0]) || !slices.Equal(e.Lengths(gather.Inputs[0]), ir.Shape{1 << 4}) {
		return nil
	}
	convert := rewrite.Producer(gather.Inputs[1], "Convert")
	if convert == nil || e.Fact(gather.Inputs[1]).Type.Size() == 0 {
		return nil
	}
	if t := convert.Inputs[0].Source.Constant; t == nil || t.ElementType() != ir.U4 {
		return nil
	}
	return gather
}

// isFloatCode reports whether constant codes are no integers.
func isFloatCode(codes ir.Input) bool { return !codes.Source.Constant.ElementType().IsInteger() }

// isScale reports whether in reads factors that are computed from constants in a few steps.
func (e *Editor) isScale(in ir.Input) bool { return e.IsConstant(in.Source, 4) }

// fits reports whether factors broadcast to codes, with length 1 along an axis.
func (e *Editor) fits(factors ir.Input, codes ir.Shape, one int) bool {
	if factors.Source == nil {
		return true
	}
	shape := e.Lengths(factors)
	skip := len(codes) - len(shape)
	if shape == nil || skip < 0 {
		return false
	}
	for i, n := range shape {
		if n != 1 && (i+skip == one || n != codes[i+skip]) {
			return false
		}
	}
	return true
}

// minHalves is the least number of elements of weights that stay f16 or bf16. Those of fewer are as
// fast, but save nothing.
const minHalves = 1 << 12

// multiplyHalves replaces a MatMul by weights that are a matrix of f16 or bf16, converted to f32.
func (e *Editor) multiplyHalves(matmul *ir.Layer) {
	convert := rewrite.Producer(matmul.Inputs[1], "Convert")
	if convert == nil || convert.Inputs[0].Source.Constant == nil || matmul.Inputs[0].Source.Constant != nil || !e.IsFloat32(matmul.Inputs[1]) {
		return
	}
	t := convert.Inputs[0].Source.Constant
	shape := t.Shape()
	if !rewrite.IsNarrow(t.ElementType()) || len(shape) != 2 || t.Len() < minHalves || min(shape[0], shape[1]) < minColumns {
		return
	}
	e.ReplaceLayer(matmul, edit.First(e.AddLayer(matmul, "HalfMatMul", rewrite.Namespace, matmul.Data, matmul.Inputs[0], convert.Inputs[0])))
}

const (
	// minColumns is the smallest number of columns of weights that stay compressed: they are packed
	// in blocks of more columns.
	minColumns = 16
	// maxGroup is the largest number of rows of a group that CompressedMatMul accepts.
	maxGroup = 4096
	// maxMatrices is the largest number of matrices of a batch that it accepts.
	maxMatrices = 4096
)

// multiplyCompressed replaces a MatMul by c. The codes have an axis of columns first or last, which
// is that of the weights, and one or two others, which the weights have joined. Those of a batch
// have its axis before them.
func (e *Editor) multiplyCompressed(matmul *ir.Layer, c *compressed) {
	attributes, rank, batch := ir.AttributesOf(matmul), len(c.shape), len(c.joined)-2
	if attributes.Bool("transpose_a", false) || matmul.Inputs[0].Source.Constant != nil || !e.HasRank(matmul.Inputs[0], 2) {
		return
	}
	if batch > 0 && (c.shape[0] != c.joined[0] || c.shape[0] < 2 || c.shape[0] > maxMatrices || e.Fact(matmul.Inputs[0]).Shape.Rank() != 3) {
		return
	}
	columns, one := rank-1, rank-2 // the axes of columns, and of the rows of a group
	joined := c.joined[batch+1]
	if attributes.Bool("transpose_b", false) {
		columns, one, joined = batch, rank-1, c.joined[batch]
	}
	if rank != batch+2 && (rank != batch+3 || c.shape[one] > maxGroup) || c.shape[columns] != joined || joined < minColumns ||
		!e.fits(c.scale, c.shape, one) || !e.fits(c.zero, c.shape, one) {
		return
	}
	inputs := []ir.Input{matmul.Inputs[0], c.codes, c.scale}
	if c.zero.Source != nil {
		inputs = append(inputs, c.zero)
	}
	if c.table != nil {
		inputs = append(inputs, e.Ints(matmul, "", ir.U8, ir.Shape{}, 0).Input(), c.table.Inputs[0])
	}
	data := edit.Attributes("transpose_b", strconv.FormatBool(columns == batch), "batched", strconv.FormatBool(batch > 0))
	// Codes are rounded already: the kernel must not round them to 8 bits by another scale.
	if _, ok := e.FindCodes(matmul.Inputs[0]); ok {
		data = append(data, ir.Attribute{Name: "exact", Value: "true"})
	}
	e.ReplaceLayer(matmul, edit.First(e.AddLayer(matmul, "CompressedMatMul", rewrite.Namespace, data, inputs...)))
}

// gatherCompressed moves a Gather of rows of c before the decompression. The codes have an axis of
// rows first, which is that of the weights.
func (e *Editor) gatherCompressed(gather *ir.Layer, c *compressed) {
	axis, indices, rank := e.Value(gather.Inputs[2]), e.Fact(gather.Inputs[1]).Shape.Rank(), len(c.shape)
	if axis == nil || len(c.joined) != 2 || rank != 2 && rank != 3 || c.shape[0] != c.joined[0] || indices < 1 || ir.AttributesOf(gather).Int("batch_dims", 0) != 0 ||
		!rewrite.IsFewer(e.Fact(ir.Input{Source: gather}).Shape, c.codes.Source.Constant) || !e.fits(c.scale, c.shape, -1) || !e.fits(c.zero, c.shape, -1) {
		return
	}
	if at, err := axis.Ints(); err != nil || !slices.Equal(at, []int64{0}) {
		return
	}
	x := e.taken(gather, c, c.codes, c.codesType())
	if c.table != nil {
		x = e.AddLayer(gather, c.table.Type, c.table.Opset, c.table.Data, c.table.Inputs[0], ir.Input{Source: x}, c.table.Inputs[2])
	}
	if c.zero.Source != nil {
		x = e.AddLayer(gather, "Subtract", "opset1", nil, ir.Input{Source: x}, ir.Input{Source: e.taken(gather, c, c.zero, ir.F32)})
	}
	x = e.AddLayer(gather, "Multiply", "opset1", nil, ir.Input{Source: x}, ir.Input{Source: e.taken(gather, c, c.scale, ir.F32)})
	if rank == 3 {
		target := make([]int64, indices+1) // 0 keeps a length
		target[indices] = int64(c.joined[1])
		lengths := e.Ints(gather, "", ir.I64, ir.Shape{len(target)}, target...)
		x = e.AddLayer(gather, "Reshape", "opset1", edit.Attributes("special_zero", "true"), ir.Input{Source: x}, lengths.Input())
	}
	e.ReplaceLayer(gather, edit.First(x))
}

// codesType returns the type that codes of rows are converted to.
func (c *compressed) codesType() ir.ElementType {
	if c.table != nil {
		return ir.I32 // a position
	}
	return ir.F32
}

// taken takes the rows of codes, zero points or scales that a Gather of c takes, and converts them
// to a type.
func (e *Editor) taken(gather *ir.Layer, c *compressed, from ir.Input, to ir.ElementType) *ir.Layer {
	if convert := from.Source; convert.Type == "Convert" && convert.Inputs[0].Source.Constant != nil {
		from = convert.Inputs[0]
	}
	// others are the same for all rows
	if s := e.Lengths(from); len(s) == len(c.shape) && s[0] == c.shape[0] {
		from = ir.Input{Source: e.AddLayer(gather, gather.Type, gather.Opset, gather.Data, from, gather.Inputs[1], gather.Inputs[2])}
	}
	return e.AddConvert(gather, from, to)
}
