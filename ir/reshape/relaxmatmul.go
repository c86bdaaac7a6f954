package reshape

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// reshapeTo1D sets the pattern of a Reshape to a vector to -1: all elements of the input.
func (r *relaxer) reshapeTo1D(reshape *ir.Layer) {
	if len(reshape.Inputs) == 2 && isConstant(reshape, 1) && r.rankOf(reshape) == 1 {
		r.read(reshape, 1, r.vector(reshape, "shape", -1))
	}
}

// transposeBeforeMatMul merges a Transpose of the last two axes into the MatMul that reads it.
// The MatMul may then read a Reshape, for reshapeBeforeMatMul.
func (r *relaxer) transposeBeforeMatMul(matmul *ir.Layer) {
	for i, name := range []string{"transpose_a", "transpose_b"} {
		transpose := source(matmul, i, "Transpose", 1)
		if transpose == nil {
			continue
		}
		rank := r.rankOf(transpose)
		order, known := constantInts(transpose, 1)
		if !known || rank < 2 || len(order) != rank {
			continue
		}
		slices.Reverse(order[rank-2:])
		if !isRange(order) {
			continue
		}
		value := "true"
		if ir.AttributesOf(matmul).Bool(name, false) {
			value = "false"
		}
		matmul.SetAttribute(name, value)
		r.read(matmul, i, edit.SourceOf(transpose.Inputs[0]))
	}
}

// isRange reports whether values are 0, 1, 2, ...
func isRange(values []int64) bool {
	for i, v := range values {
		if v != int64(i) {
			return false
		}
	}
	return true
}

// reshapeBeforeMatMul relaxes a Reshape to a matrix that only input port of a MatMul reads. The
// length of the axis that is summed over comes from the other input; the other axis has the
// remaining elements.
func (r *relaxer) reshapeBeforeMatMul(readers []int, port int) func(*ir.Layer) {
	return func(matmul *ir.Layer) {
		reshape := source(matmul, port, "Reshape", 1)
		if reshape == nil || len(reshape.Inputs) != 2 || len(matmul.Inputs) != 2 ||
			r.rankOf(reshape) != 2 || r.sunk[r.class(reshape)] != nil || r.undecided[r.class(reshape)] || readers[r.class(reshape).Index] != 1 {
			return
		}
		other := matmul.Inputs[1-port]
		if is(other.Source, "Transpose", 1) || is(other.Source, "Reshape", 1) {
			return
		}
		shape := r.shape(other)
		if !shape.RankKnown() {
			return
		}
		a := ir.AttributesOf(matmul)
		transposed := [2]bool{a.Bool("transpose_a", false), a.Bool("transpose_b", false)}
		// last reports whether the axis that is summed over is the last one of the input at port.
		last := func(port int) bool { return (port == 0) != transposed[port] }
		axis := int64(-1)
		if shape.Rank() != 1 && !last(1-port) {
			axis = -2
		}
		pattern := []edit.Source{r.vector(reshape, "shape/rest", -1), r.dim(reshape, "shape/dim", edit.SourceOf(other), axis)}
		if !last(port) {
			slices.Reverse(pattern)
		}
		r.read(reshape, 1, r.concat(reshape, "shape", pattern...))
	}
}

// sinkReshape relaxes a Reshape to [-1, K], a MatMul with a Constant, an optional Add of a
// Constant, and the Reshape second, if second only restores the axes that the first Reshape
// merged. Both Reshapes then keep the first axis. The first one is changed by sinkShared.
func (r *relaxer) sinkReshape(second *ir.Layer) {
	matmul := source(second, 0, "MatMul", 1)
	add := source(second, 0, "Add", 1)
	if add != nil {
		matmul = source(add, 0, "MatMul", 1)
	}
	if matmul == nil || len(second.Inputs) != 2 || len(matmul.Inputs) != 2 {
		return
	}
	first := source(matmul, 0, "Reshape", 1)
	if first == nil || len(first.Inputs) != 2 || r.sunk[r.class(first)] != nil ||
		r.rankOf(first) != 2 || r.rankOf(matmul) != 2 || add != nil && r.rankOf(add) != 2 {
		return
	}
	if lacksValue(first, 1) && isConstant(matmul, 1) && isConstant(second, 1) {
		if r.undecided == nil {
			r.undecided = make(map[*ir.Layer]bool)
		}
		r.undecided[r.class(first)] = true
	}
	to, known := constantInts(first, 1)
	data := r.shape(first.Inputs[0])
	if !known || len(to) != 2 || to[0] != -1 || to[1] == -1 || !data.RankKnown() || data.Rank() <= 2 {
		return
	}
	rank, k := data.Rank(), to[1]
	last, ok := r.columns(matmul, k)
	if !ok || data.At(rank-1) != ir.Dim(k) || add != nil && !r.isBias(add, last) {
		return
	}
	back, known := constantInts(second, 1)
	if !known || len(back) != rank || slices.Min(back) <= 0 || back[rank-1] != last {
		return
	}
	for i := 1; i < rank-1; i++ {
		if data.At(i) != ir.Dim(back[i]) {
			return
		}
	}
	pattern := make([]int64, rank)
	pattern[rank-1] = k
	if r.sunk == nil {
		r.sunk = make(map[*ir.Layer][]int64)
	}
	r.sunk[r.class(first)] = pattern
	back[0] = 0
	r.setPattern(second, back)
}

// columns returns the number of columns of the matrix that matmul multiplies by. It returns
// false unless the matrix is a Constant of k rows.
func (r *relaxer) columns(matmul *ir.Layer, k int64) (int64, bool) {
	a := ir.AttributesOf(matmul)
	weights := r.shape(matmul.Inputs[1])
	if a.Bool("transpose_a", false) || !isConstant(matmul, 1) || weights.Rank() != 2 || !weights.IsStatic() {
		return 0, false
	}
	rows, columns := weights.At(0).Min, weights.At(1).Min
	if a.Bool("transpose_b", false) {
		rows, columns = columns, rows
	}
	return columns, rows == k
}

// isBias reports whether add adds a Constant that has one element, or n in its last axis.
func (r *relaxer) isBias(add *ir.Layer, n int64) bool {
	if len(add.Inputs) != 2 || !isConstant(add, 1) || ir.AttributesOf(add).String("auto_broadcast", "numpy") != "numpy" {
		return false
	}
	dims := r.shape(add.Inputs[1]).Dims()
	for i, d := range dims {
		if d != ir.Dim(1) && (i < len(dims)-1 || d != ir.Dim(n)) {
			return false
		}
	}
	return len(dims) > 0
}

// sinkShared sets the patterns in r.sunk, for the Reshapes that sinkReshape found and for those
// equal to them.
func (r *relaxer) sinkShared() {
	if len(r.sunk) > 0 {
		r.each("Reshape", func(reshape *ir.Layer) {
			if pattern := r.sunk[r.class(reshape)]; pattern != nil {
				r.setPattern(reshape, pattern)
			}
		})
	}
}

// setPattern sets a constant pattern of a Reshape, in which 0 keeps a length.
func (r *relaxer) setPattern(reshape *ir.Layer, pattern []int64) {
	reshape.SetAttribute("special_zero", "true")
	r.read(reshape, 1, r.vector(reshape, "shape", pattern...))
}
