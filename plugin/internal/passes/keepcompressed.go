package passes

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// KeepCompressed keeps weights in the few bits in which they are stored:
//
//	weights = Reshape((Convert(codes) - Convert(zero)) * scale)
//
// The Subtract and the Reshape, which joins groups that have a scale each, may be missing. A zero point that only rounding made
// different from 0 is left out. Codes of 4 bits may be positions in a table of numbers instead:
//
//	weights = Reshape(Gather(table, Convert(codes)) * scale)
//
// They may also be a matrix of f16 or bf16 that is only converted, unless operands of products are rounded anyway.
//
// MatMul(x, weights) becomes a layer that reads the codes, for one matrix or for a batch of them, such as those of experts.
// A recurrent layer becomes one that reads i8, behind such a product of its data.
// Gather(weights, indices) takes codes, zero points and scales of rows, and decompresses these. Otherwise FoldConstants would compute all weights in f32, which take 2 to 8 times the memory.
var KeepCompressed = Pass{"KeepCompressed", keepCompressed}

func keepCompressed(g *Graph) bool {
	halves := g.has("MatMul") && g.Rounded == ir.Dynamic && gemm.HasHalves() && g.canInsert("HalfMatMul", own)
	if !halves && !g.has("Multiply") || !g.canInsert("CompressedMatMul", own) || !g.canInsert("Gather", "opset8") || !g.canInsert("Subtract", "opset1") {
		return false
	}
	e := newEditor(g)
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
	return e.done()
}

// compressed is a match of compressed weights. joined is their shape, of two axes, or three for a batch.
type compressed struct {
	codes, zero, scale ir.Input  // zero has no Source if there are no zero points
	table              *ir.Layer // the Gather from a table that codes are positions in; nil if they are numbers
	shape, joined      ir.Shape  // of codes, and of the weights
}

// compressed matches compressed weights; nil if in reads others. All arithmetic must be in f32, as ComputeInF32 leaves it.
func (e *editor) compressed(in ir.Input) *compressed {
	c := &compressed{joined: e.lengths(in)}
	if len(c.joined) != 2 && len(c.joined) != 3 || !e.isFloat32(in) {
		return nil
	}
	for range 3 {
		if layer := producer(in, "Convert", "Reshape"); layer != nil && e.isFloat32(layer.Inputs[0]) {
			in = layer.Inputs[0]
		}
	}
	multiply := producer(in, "Multiply")
	if multiply == nil {
		return nil
	}
	for i, x := range multiply.Inputs {
		c.scale, c.zero = multiply.Inputs[1-i], ir.Input{}
		subtract := producer(x, "Subtract")
		if subtract != nil {
			x = subtract.Inputs[0]
		}
		if c.table = e.table(x); c.table != nil && subtract == nil {
			c.codes = c.table.Inputs[1].Source.Inputs[0]
		} else {
			c.table, c.codes = nil, e.converted(x)
		}
		if c.codes.Source == nil || !isScale(c.scale) {
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

// converted returns the constant codes that are converted to f32, perhaps through f16, which holds all their numbers. It has
// no Source if in reads something else.
func (e *editor) converted(in ir.Input) (codes ir.Input) {
	convert := producer(in, "Convert")
	if convert == nil || !e.isFloat32(in) {
		return codes
	}
	if again := producer(convert.Inputs[0], "Convert"); again != nil && e.fact(convert.Inputs[0]).Type == ir.F16 {
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

// table matches a Gather that takes numbers from a constant table of 16, at constant codes of u4, which are converted to a type
// of indices. It returns nil if in reads something else.
func (e *editor) table(in ir.Input) *ir.Layer {
	gather := producer(in, "Gather")
	if gather == nil || !e.isFloat32(in) || !isScale(gather.Inputs[0]) || !slices.Equal(e.lengths(gather.Inputs[0]), ir.Shape{1 << 4}) {
		return nil
	}
	convert := producer(gather.Inputs[1], "Convert")
	if convert == nil || e.fact(gather.Inputs[1]).Type.Size() == 0 {
		return nil
	}
	if t := convert.Inputs[0].Source.Constant; t == nil || t.ElementType() != ir.U4 {
		return nil
	}
	return gather
}

// isFloatCode reports whether constant codes are no integers.
func isFloatCode(codes ir.Input) bool { return !codes.Source.Constant.ElementType().IsInteger() }

// isConstant reports whether layer computes its outputs from constants, in at most a number of steps by layers of the given types.
func isConstant(layer *ir.Layer, steps int, types ...string) bool {
	if layer.Constant != nil {
		return true
	}
	return steps > 0 && slices.Contains(types, layer.Type) &&
		!slices.ContainsFunc(layer.Inputs, func(in ir.Input) bool { return !isConstant(in.Source, steps-1, types...) })
}

// isScale reports whether in reads factors that are computed from constants in a few steps.
func isScale(in ir.Input) bool { return isConstant(in.Source, 4, "Convert", "Multiply") }

// lengths returns the shape of what in reads if it is static; nil otherwise.
func (e *editor) lengths(in ir.Input) ir.Shape {
	shape, err := e.fact(in).Shape.Static()
	if err != nil {
		return nil
	}
	return shape
}

// fits reports whether factors broadcast to codes, with length 1 along an axis.
func (e *editor) fits(factors ir.Input, codes ir.Shape, one int) bool {
	if factors.Source == nil {
		return true
	}
	shape := e.lengths(factors)
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

// minHalves is the least number of elements of weights that stay f16 or bf16. Those of fewer are as fast, but save nothing.
const minHalves = 1 << 12

// multiplyHalves replaces a MatMul by weights that are a matrix of f16 or bf16, converted to f32.
func (e *editor) multiplyHalves(matmul *ir.Layer) {
	convert := producer(matmul.Inputs[1], "Convert")
	if convert == nil || convert.Inputs[0].Source.Constant == nil || matmul.Inputs[0].Source.Constant != nil || !e.isFloat32(matmul.Inputs[1]) {
		return
	}
	t := convert.Inputs[0].Source.Constant
	shape := t.Shape()
	if !isNarrow(t.ElementType()) || len(shape) != 2 || t.Len() < minHalves || min(shape[0], shape[1]) < minColumns {
		return
	}
	e.replace(matmul, edit.First(e.insert(matmul, "HalfMatMul", own, matmul.Data, matmul.Inputs[0], convert.Inputs[0])))
}

const (
	// minColumns is the smallest number of columns of weights that stay compressed: they are packed in blocks of more columns.
	minColumns = 16
	// maxGroup is the largest number of rows of a group that CompressedMatMul accepts.
	maxGroup = 4096
	// maxMatrices is the largest number of matrices of a batch that it accepts.
	maxMatrices = 4096
)

// multiplyCompressed replaces a MatMul by c. The codes have an axis of columns first or last, which is that of the weights, and
// one or two others, which the weights have joined. Those of a batch have its axis before them.
func (e *editor) multiplyCompressed(matmul *ir.Layer, c *compressed) {
	attributes, rank, batch := ir.AttributesOf(matmul), len(c.shape), len(c.joined)-2
	if attributes.Bool("transpose_a", false) || matmul.Inputs[0].Source.Constant != nil || !e.hasRank(matmul.Inputs[0], 2) {
		return
	}
	if batch > 0 && (c.shape[0] != c.joined[0] || c.shape[0] < 2 || c.shape[0] > maxMatrices || e.fact(matmul.Inputs[0]).Shape.Rank() != 3) {
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
	e.replace(matmul, edit.First(e.insert(matmul, "CompressedMatMul", own, data, inputs...)))
}

// gatherCompressed moves a Gather of rows of c before the decompression. The codes have an axis of rows first, which is that
// of the weights.
func (e *editor) gatherCompressed(gather *ir.Layer, c *compressed) {
	axis, indices, rank := e.value(gather.Inputs[2]), e.fact(gather.Inputs[1]).Shape.Rank(), len(c.shape)
	if axis == nil || len(c.joined) != 2 || rank != 2 && rank != 3 || c.shape[0] != c.joined[0] || indices < 1 || ir.AttributesOf(gather).Int("batch_dims", 0) != 0 ||
		!isFewer(e.fact(ir.Input{Source: gather}).Shape, c.codes.Source.Constant) || !e.fits(c.scale, c.shape, -1) || !e.fits(c.zero, c.shape, -1) {
		return
	}
	if at, err := axis.Ints(); err != nil || !slices.Equal(at, []int64{0}) {
		return
	}
	x := e.taken(gather, c, c.codes, c.codesType())
	if c.table != nil {
		x = e.insert(gather, c.table.Type, c.table.Opset, c.table.Data, c.table.Inputs[0], ir.Input{Source: x}, c.table.Inputs[2])
	}
	if c.zero.Source != nil {
		x = e.insert(gather, "Subtract", "opset1", nil, ir.Input{Source: x}, ir.Input{Source: e.taken(gather, c, c.zero, ir.F32)})
	}
	x = e.insert(gather, "Multiply", "opset1", nil, ir.Input{Source: x}, ir.Input{Source: e.taken(gather, c, c.scale, ir.F32)})
	if rank == 3 {
		target := make([]int64, indices+1) // 0 keeps a length
		target[indices] = int64(c.joined[1])
		lengths := e.Ints(gather, "", ir.I64, ir.Shape{len(target)}, target...)
		x = e.insert(gather, "Reshape", "opset1", edit.Attributes("special_zero", "true"), ir.Input{Source: x}, lengths.Input())
	}
	e.replace(gather, edit.First(x))
}

// codesType returns the type that codes of rows are converted to.
func (c *compressed) codesType() ir.ElementType {
	if c.table != nil {
		return ir.I32 // a position
	}
	return ir.F32
}

// taken takes the rows of codes, zero points or scales that a Gather of c takes, and converts them to a type.
func (e *editor) taken(gather *ir.Layer, c *compressed, from ir.Input, to ir.ElementType) *ir.Layer {
	if convert := from.Source; convert.Type == "Convert" && convert.Inputs[0].Source.Constant != nil {
		from = convert.Inputs[0]
	}
	if s := e.lengths(from); len(s) == len(c.shape) && s[0] == c.shape[0] { // others are the same for all rows
		from = ir.Input{Source: e.insert(gather, gather.Type, gather.Opset, gather.Data, from, gather.Inputs[1], gather.Inputs[2])}
	}
	return e.insert(gather, "Convert", "opset1", edit.Attributes("destination_type", to.String()), from)
}
