package integers

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
)

// matrix is a constant matrix of i8 that takes the place of weights in a product.
type matrix struct {
	bytes          *ir.Tensor
	transposed     bool // the rows of bytes are the columns
	depth, columns int
	// missing has what must be added to each element of a column for the weights; nil for nothing.
	missing []float64
}

// maxDepth is the largest number of products of two differences of 8 bits whose sum fits i32, so
// that it does not wrap.
const maxDepth = math.MaxInt32 / (255 * 255)

// matrixOf matches a constant matrix of 8 bits that is converted, and from which zero points may be
// subtracted: one, or one for each row or each column.
//
// If i8 cannot hold the differences, as those of u8 and a zero point that is not near 128, the
// matrix has the bytes less 128, and the rest is missing. Then zero points may not differ along the
// depth.
func (e *editor) matrixOf(in ir.Input, transposed bool) (m matrix, ok bool) {
	zeros, shape := zeroPoints{values: []float64{0}}, e.Lengths(in)
	if subtract := rewrite.Producer(in, "Subtract"); subtract != nil && rewrite.IsNumpy(subtract) {
		if zeros, ok = zeroPointsOf(e.Known(subtract.Inputs[1])); !ok {
			return m, false
		}
		in = subtract.Inputs[0]
	}
	convert := rewrite.Producer(in, "Convert")
	if convert == nil || convert.Inputs[0].Source.Constant == nil {
		return m, false
	}
	t := convert.Inputs[0].Source.Constant
	if len(shape) != 2 || !slices.Equal(shape, t.Shape()) || t.ElementType() != ir.U8 && t.ElementType() != ir.I8 {
		return m, false
	}
	m = matrix{transposed: transposed, depth: shape[0], columns: shape[1]}
	if transposed {
		m.depth, m.columns = m.columns, m.depth
	}
	if m.columns == 0 || !gemm.IsBytes(m.depth) || m.depth > maxDepth {
		return m, false
	}
	return m, m.hold(t, &zeros)
}

// hold sets the bytes of m to those of t less zero points. It reports whether it could.
func (m *matrix) hold(t *ir.Tensor, zeros *zeroPoints) bool {
	if t.ElementType() == ir.I8 && zeros.areZero() {
		m.bytes = t
		return true
	}
	moved, err := ir.NewTensor(ir.I8, t.Shape()...)
	if err != nil {
		return false
	}
	m.bytes = moved
	if subtract(moved, t, zeros) {
		return true
	}
	along := zeros.column
	if m.transposed {
		along = zeros.row
	}
	if len(zeros.values) > 1 && along == 0 {
		return false
	}
	middle := 0.0
	if t.ElementType() == ir.U8 {
		middle = 128
	}
	m.missing = make([]float64, m.columns)
	for j := range m.missing {
		m.missing[j] = middle - zeros.values[j*along]
	}
	return subtract(moved, t, &zeroPoints{values: []float64{middle}})
}

// subtract sets to, a matrix of i8, to the numbers of from less zero points. It returns false if i8
// cannot hold one.
func subtract(to, from *ir.Tensor, zeros *zeroPoints) bool {
	out, codes, columns, signed := ir.Data[int8](to), from.Bytes(), from.Shape()[1], from.ElementType() == ir.I8
	for i := range from.Shape()[0] {
		for j, code := range codes[i*columns:][:columns] {
			n := int(code)
			if signed {
				n = int(int8(code))
			}
			n -= int(zeros.values[i*zeros.row+j*zeros.column])
			if n < math.MinInt8 || n > math.MaxInt8 {
				return false
			}
			out[i*columns+j] = int8(n)
		}
	}
	return true
}

// sums returns the sum of each column of the bytes.
func (m *matrix) sums() []float64 {
	sums, bytes := make([]float64, m.columns), ir.Data[int8](m.bytes)
	stored := m.bytes.Shape()[1]
	for i := range m.bytes.Shape()[0] {
		for j, v := range bytes[i*stored:][:stored] {
			if m.transposed {
				j = i
			}
			sums[j] += float64(v)
		}
	}
	return sums
}

// zeroPoints are numbers that are subtracted from the elements of a matrix. row and column are the
// steps in values from one row to the next, and from one column: one of them is 1, or none.
type zeroPoints struct {
	values      []float64
	row, column int
}

// zeroPointsOf returns zero points that are whole numbers of 8 bits: one, a row, or a column of
// them. t can be nil.
func zeroPointsOf(t *ir.Tensor) (z zeroPoints, ok bool) {
	if t == nil || t.Len() == 0 || len(t.Shape()) > 2 {
		return z, false
	}
	if shape := t.Shape(); t.Len() > 1 {
		last := shape[len(shape)-1]
		switch {
		case t.Len() == last:
			z.column = 1
		case last == 1:
			z.row = 1
		default:
			return z, false
		}
	}
	value := t.Values()
	for i := range t.Len() {
		v := value(i)
		if v != math.Trunc(v) || v < math.MinInt8 || v > math.MaxUint8 {
			return z, false
		}
		z.values = append(z.values, v)
	}
	return z, true
}

// areZero reports whether all zero points are 0.
func (z *zeroPoints) areZero() bool {
	return !slices.ContainsFunc(z.values, func(v float64) bool { return v != 0 })
}
