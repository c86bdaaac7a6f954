package inverse

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns the kernel that inverts one matrix after the other by LU decomposition with
// partial pivoting.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	c := widened.Find(widened.Halves, p.Outputs[0].Type)
	switch {
	case c != nil:
		return kernelOf(p, access[float32]{
			func(to []float32, t *ir.Tensor, at int) { c.Load(nil, cast.Memory(to), t, at) },
			func(t *ir.Tensor, at int, from []float32) { c.Store(nil, t, at, cast.Memory(from)) },
		})
	case p.Outputs[0].Type == ir.F64:
		return kernelOf(p, direct[float64]())
	}
	return kernelOf(p, direct[float32]())
}

// access loads and stores elements of a tensor from number at on.
type access[F cast.Float] struct {
	load  func(to []F, t *ir.Tensor, at int)
	store func(t *ir.Tensor, at int, from []F)
}

// direct returns the access to tensors of F.
func direct[F interface {
	cast.Float
	ir.Element
}]() access[F] {
	return access[F]{
		func(to []F, t *ir.Tensor, at int) { copy(to, ir.Data[F](t)[at:]) },
		func(t *ir.Tensor, at int, from []F) { copy(ir.Data[F](t)[at:], from) },
	}
}

// kernelOf returns the kernel that computes in F.
func kernelOf[F cast.Float](p *ops.Preparation, a access[F]) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	n, items := shape[len(shape)-1], shape[:len(shape)-2].Elements()
	if n*items == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	adjoint := p.Attributes.(attributes).adjoint
	work := float64(n) * float64(n) * float64(n)
	workers := p.Workers(items, work/2)
	var s ops.Scratch
	lu, inverse := ops.AreasOf[F](&s, workers, n, n), ops.AreasOf[F](&s, workers, n, n)
	order := ops.AreasOf[int](&s, workers, n)
	part := func(r *ops.Run, worker, lo, hi int) error {
		meter := r.Stop.Meter() // one for all matrices, which can be small
		m := matrix[F]{n, lu.Of(r, worker), inverse.Of(r, worker), order.Of(r, worker)}
		for i := lo; i < hi; i++ {
			if meter.Spent(4*n*n + 32) {
				return parallel.ErrStopped
			}
			a.load(m.lu, r.Inputs[0], i*n*n)
			if adjoint {
				m.transpose()
			}
			if !m.decompose(&meter) || !m.solve(&meter) {
				return parallel.ErrStopped
			}
			a.store(r.Outputs[0], i*n*n, m.inverse)
		}
		return nil
	}
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(items, ops.Grain(work/2), workers, part) },
		ScratchBytes: s.Bytes(),
		Flops:        2 * work * float64(items),
	}, nil
}

// matrix holds a matrix while it is inverted.
type matrix[F cast.Float] struct {
	n           int
	lu, inverse []F
	order       []int // the row of the original matrix in each row of lu
}

func (m *matrix[F]) row(x []F, i int) []F { return x[i*m.n:][:m.n] }

func (m *matrix[F]) transpose() {
	for i := range m.n {
		for j := range i {
			m.lu[i*m.n+j], m.lu[j*m.n+i] = m.lu[j*m.n+i], m.lu[i*m.n+j]
		}
	}
}

// decompose computes the decomposition of lu in place: the elements below the diagonal are those of
// L, whose diagonal is 1, and the others are those of U. It returns false if it was stopped.
func (m *matrix[F]) decompose(meter *parallel.Meter) bool {
	n := m.n
	for i := range m.order {
		m.order[i] = i
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if absolute(m.lu[i*n+k]) > absolute(m.lu[pivot*n+k]) {
				pivot = i
			}
		}
		top := m.row(m.lu, k)
		if pivot != k {
			other := m.row(m.lu, pivot)
			for j, x := range top {
				top[j], other[j] = other[j], x
			}
			m.order[k], m.order[pivot] = m.order[pivot], m.order[k]
		}
		for i := k + 1; i < n; i++ {
			if meter.Spent(n) {
				return false
			}
			row := m.row(m.lu, i)
			row[k] /= top[k]
			subtract(row[k+1:], top[k+1:], row[k])
		}
	}
	return true
}

func absolute[F cast.Float](x F) F {
	if x < 0 {
		return -x
	}
	return x
}

// subtract subtracts f times the elements of x from those of y.
func subtract[F cast.Float](y, x []F, f F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] -= f * v
	}
}

// solve sets inverse to the solutions of L*U*inverse = identity, in the order of the pivots. It
// returns false if it was stopped.
func (m *matrix[F]) solve(meter *parallel.Meter) bool {
	n := m.n
	clear(m.inverse)
	for i := range n {
		row := m.row(m.inverse, i)
		row[m.order[i]] = 1
		for k := range i {
			if meter.Spent(n) {
				return false
			}
			subtract(row, m.row(m.inverse, k), m.lu[i*n+k])
		}
	}
	for i := n - 1; i >= 0; i-- {
		row := m.row(m.inverse, i)
		for k := i + 1; k < n; k++ {
			if meter.Spent(n) {
				return false
			}
			subtract(row, m.row(m.inverse, k), m.lu[i*n+k])
		}
		d := m.lu[i*n+i]
		for j := range row {
			row[j] /= d
		}
	}
	return true
}
