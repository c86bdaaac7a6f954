package integers

import (
	"slices"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/internal/passes/weights"
)

// multiplyCodes replaces the products of codes of u8 and constant weights of 8 bits, both as i32:
//
//	MatMul(Convert(a) - zero, weights) = QuantizedMatMul(a, weights, 1, 0) - zero*sums
//
// where sums are those of the columns of the weights. a and zero, one number or one for each row,
// are what the quantization of data with limits of its own returns, DynamicQuantizeLinear of ONNX.
// To a matrix of which something is missing,
//
//	(sum of the row of a - depth*zero) * missing
//
// is added. A product that is only converted to f32 is computed in it, unless that is too
// inaccurate: numbers up to 1<<24 are exact, larger ones are rounded more than once. Other products
// are exact.
func (e *editor) multiplyCodes() {
	converted := make(map[*ir.Layer]*ir.Layer) // the conversions to f32, by the products
	for _, convert := range e.Graph.Model.Order {
		if convert.Type == "Convert" && e.IsFloat32(ir.Input{Source: convert}) {
			if product := rewrite.Producer(convert.Inputs[0], "MatMul"); product != nil && e.HasOneReader(product) {
				converted[product] = convert
			}
		}
	}
	for _, product := range e.Graph.Model.Order {
		if product.Type != "MatMul" || e.Fact(ir.Input{Source: product}).Type != ir.I32 {
			continue
		}
		convert, to := converted[product], ir.F32
		if convert == nil || e.Accurate {
			convert, to = product, ir.I32
		}
		if p, ok := e.productOfCodes(product, to); ok {
			e.ReplaceLayer(convert, edit.SourceOf(p.layers()))
		}
	}
}

// productOfCodes is a product of codes and a matrix that is computed in a type: f32 or i32.
type productOfCodes struct {
	arithmetic
	codes weights.Codes
	matrix
}

// productOfCodes matches a product of codes that pays in integers.
func (e *editor) productOfCodes(product *ir.Layer, to ir.ElementType) (p productOfCodes, ok bool) {
	at := ir.AttributesOf(product)
	transposed := at.Bool("transpose_b", false)
	p.arithmetic = arithmetic{e, product, to}
	if p.codes, ok = e.FindCodes(product.Inputs[0]); !ok || at.Bool("transpose_a", false) || at.Err() != nil {
		return p, false
	}
	shape := e.Fact(p.codes.Input).Shape
	if e.Fact(p.codes.Input).Type != ir.U8 || shape.Rank() < 1 || !e.isOfRows(p.codes.Zero, shape.Rank()) {
		return p, false
	}
	if to == ir.F32 && gemm.HasWords() && e.isRow(p.codes.Input) {
		return p, false // see matMul; in i32, there is no kernel that is faster
	}
	p.matrix, ok = e.matrixOf(product.Inputs[1], transposed)
	return p, ok && (to == ir.F32 || p.depth <= exactDepth || !transposed && e.CanInsert("Slice", "opset8")) &&
		(p.missing == nil || e.CanInsert("ReduceSum", "opset1"))
}

// isOfRows reports whether zero points, if there are any, are one number or one for each row of
// data of some rank.
func (e *editor) isOfRows(zero ir.Input, rank int) bool {
	if zero.Source == nil {
		return true
	}
	shape := e.Fact(zero).Shape
	return shape.Rank() == 0 || shape.RankKnown() && shape.Rank() <= rank && shape.At(shape.Rank()-1) == ir.Dim(1)
}

// isRow reports whether data is known to be a single row.
func (e *editor) isRow(in ir.Input) bool {
	lengths := e.Lengths(in)
	return lengths != nil && lengths[:len(lengths)-1].Elements() == 1
}

// layers adds the layers of the product.
func (p *productOfCodes) layers() ir.Input {
	y := p.bytesOfParts()
	zero := p.codes.Zero
	if zero.Source != nil {
		zero = p.wide(zero)
		y = p.op("Subtract", y, p.op("Multiply", zero, p.numbers(p.sums()...)))
	}
	if p.missing == nil {
		return y
	}
	rows := p.rowSums(p.codes.Input)
	if zero.Source != nil {
		rows = p.op("Subtract", rows, p.op("Multiply", zero, p.numbers(float64(p.depth))))
	}
	return p.op("Add", y, p.op("Multiply", rows, p.numbers(p.missing...)))
}

// exactDepth is the largest number of products of u8 and i8 whose sum f32 holds.
const exactDepth = 1 << 24 / (255 * 128) / 4 * 4

// bytesOfParts adds the product of the codes and the bytes of the matrix: in i32, it is the sum of
// products of parts of the rows.
func (p *productOfCodes) bytesOfParts() ir.Input {
	if p.to == ir.F32 || p.depth <= exactDepth {
		return p.multiplyBytes(p.codes.Input, p.bytes)
	}
	var y ir.Input
	for start := 0; start < p.depth; start += exactDepth {
		end := min(start+exactDepth, p.depth)
		index := func(i int) ir.Input { return p.AddInts(p.at, []int64{int64(i)}) }
		part := ir.Input{Source: p.AddLayer(p.at, "Slice", "opset8", nil, p.codes.Input, index(start), index(end), index(1), index(-1))}
		bytes, err := ir.TensorOf(ir.I8, ir.Shape{end - start, p.columns}, ir.Data[int8](p.bytes)[start*p.columns:end*p.columns])
		if err != nil {
			panic("BUG: " + err.Error())
		}
		sum := p.multiplyBytes(part, bytes)
		if y.Source != nil {
			sum = p.op("Add", y, sum)
		}
		y = sum
	}
	return y
}

// multiplyBytes adds a product of codes and bytes of the matrix.
func (p *productOfCodes) multiplyBytes(codes ir.Input, bytes *ir.Tensor) ir.Input {
	ones := slices.Repeat([]float64{1}, p.columns)
	return p.wide(p.quantizedMatMul(codes, bytes, p.transposed, ones, make([]float64, p.columns)))
}
