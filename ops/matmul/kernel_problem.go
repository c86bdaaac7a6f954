package matmul

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// problem is a batch of products of an m by depth matrix and a depth by n matrix.
type problem struct {
	m, n, depth int
	batches     int
	axes        []batchAxis
	// Strides of one matrix.
	aRow, aCol, bRow, bCol int
	// transposed means that a and b are swapped, see simplify.
	transposed bool
}

// batchAxis is an axis of the output before the matrices. a and b are the strides of the inputs
// along it; 0 if the input is repeated.
type batchAxis struct{ n, a, b int }

func newProblem(p *ops.Preparation) (*problem, error) {
	at := p.Attributes.(attributes)
	a := p.InputShape(0)
	b := p.InputShape(1)
	if len(a) == 0 || len(b) == 0 {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v: a scalar is no matrix", a, b)
	}
	q := &problem{batches: 1}
	var depth int
	var batchA, batchB ir.Shape
	q.m, q.depth, q.aRow, q.aCol, batchA = layout(a, at.transposeA, true)
	depth, q.n, q.bRow, q.bCol, batchB = layout(b, at.transposeB, false)
	if depth != q.depth {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v: the rows of one have %d elements, the columns of the other %d",
			a, b, q.depth, depth)
	}
	if err := q.broadcast(batchA, batchB); err != nil {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v: %w", a, b, err)
	}
	q.simplify()
	return q, nil
}

// layout returns the lengths and strides of the matrices of an input.
func layout(s ir.Shape, transpose, row bool) (rows, columns, rowStride, colStride int, batch ir.Shape) {
	rank := len(s)
	switch {
	case rank == 1 && row:
		return 1, s[0], s[0], 1, nil
	case rank == 1:
		return s[0], 1, 1, 1, nil
	case transpose:
		return s[rank-1], s[rank-2], 1, s[rank-1], s[:rank-2]
	}
	return s[rank-2], s[rank-1], s[rank-1], 1, s[:rank-2]
}

// broadcast sets the batch axes. It merges neighbouring axes if each input has a single stride for
// both.
func (q *problem) broadcast(a, b ir.Shape) error {
	strideA, strideB := q.m*q.depth, q.depth*q.n
	var axes []batchAxis // from the last to the first
	for i := 1; i <= max(len(a), len(b)); i++ {
		x, y := 1, 1
		if i <= len(a) {
			x = a[len(a)-i]
		}
		if i <= len(b) {
			y = b[len(b)-i]
		}
		axis := batchAxis{n: x, a: strideA, b: strideB}
		switch {
		case x == y:
		case x == 1:
			axis.n, axis.a = y, 0
		case y == 1:
			axis.b = 0
		default:
			return faults.Errorf("the batches %d and %d do not broadcast", x, y)
		}
		strideA, strideB = strideA*x, strideB*y
		q.batches *= axis.n
		if axis.n == 1 {
			continue
		}
		if k := len(axes) - 1; k >= 0 && axis.a == axes[k].a*axes[k].n && axis.b == axes[k].b*axes[k].n {
			axes[k].n *= axis.n
			continue
		}
		axes = append(axes, axis)
	}
	q.axes = axes
	return nil
}

// simplify merges several products with the same b into one, and swaps a and b if b is a column.
func (q *problem) simplify() {
	// The rows of a are contiguous. The stride of a single row does not matter.
	contiguous := q.aCol == 1 && (q.m == 1 || q.aRow == q.depth)
	if len(q.axes) == 1 && q.axes[0].b == 0 && contiguous && q.axes[0].a == q.m*q.depth {
		q.m *= q.batches
		q.aRow = q.depth
		q.batches, q.axes = 1, nil
	}
	if q.n == 1 && q.m > 1 {
		// The transposed product is one row by a matrix.
		q.transposed = true
		q.m, q.n = q.n, q.m
		q.aRow, q.aCol, q.bRow, q.bCol = q.bCol, q.bRow, q.aCol, q.aRow
		for i := range q.axes {
			q.axes[i].a, q.axes[i].b = q.axes[i].b, q.axes[i].a
		}
	}
}

// offsets returns the elements at which the matrices of a batch start.
func (q *problem) offsets(batch int) (a, b int) {
	for _, axis := range q.axes {
		at := batch % axis.n
		batch /= axis.n
		a += at * axis.a
		b += at * axis.b
	}
	return a, b
}

// side describes the matrices of an input, which follow each other: their lines, which are the rows
// of a or the columns of b, and the number of elements of a line, and of groups of neighbours that
// take the place of elements.
type side struct {
	lines, depth, groups int
	// the elements of a line follow each other; otherwise those of all lines at the same depth do
	along bool
}

// strides returns the elements from one line to the next, and from one group of a line to the next.
func (s *side) strides() (line, group int) {
	if s.along {
		return s.groups, 1
	}
	return 1, s.lines
}

// sides returns those of a and b, with an element in a group.
func (q *problem) sides() (a, b side) {
	return side{q.m, q.depth, q.depth, q.aCol == 1}, side{q.n, q.depth, q.depth, q.bRow == 1}
}

// group replaces the elements by a number of groups in each line.
func (q *problem) group(groups int) (a, b side) {
	a, b = q.sides()
	a.groups, b.groups = groups, groups
	q.axes = slices.Clone(q.axes)
	for i := range q.axes {
		axis := &q.axes[i]
		axis.a, axis.b = axis.a/q.depth*groups, axis.b/q.depth*groups
	}
	q.depth = groups
	q.aRow, q.aCol = a.strides()
	q.bCol, q.bRow = b.strides()
	return a, b
}

// sameB reports whether every batch has the same matrix b.
func (q *problem) sameB() bool {
	for _, axis := range q.axes {
		if axis.b != 0 {
			return false
		}
	}
	return true
}

func matrixA[E any](q *problem, data []E, offset int) gemm.Matrix[E] {
	return gemm.Matrix[E]{Data: data[offset:], RowStride: q.aRow, ColStride: q.aCol}
}

func matrixB[E any](q *problem, data []E, offset int) gemm.Matrix[E] {
	return gemm.Matrix[E]{Data: data[offset:], RowStride: q.bRow, ColStride: q.bCol}
}
