package matmul

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// minPairedDepth is the depth from which on products of bf16 or f16 are faster than those of
// float32, with the conversion.
const minPairedDepth = 32

// pairsKernel returns the kernel that rounds the inputs to p.Rounded and multiplies pairs of them;
// nil if p does not allow that or if it would not be faster: for a single row, whose time is that
// of reading b, and for small products. f16 must hold all of a constant b, and where products are
// not added as f32, b must be constant.
func pairsKernel(p *ops.Preparation, q *problem) (*ops.Prepared, error) {
	if p.Rounded == ir.Dynamic || q.m == 1 || q.depth < minPairedDepth {
		return nil, nil
	}
	kernel := gemm.NewPairs(p.Rounded == ir.F16)
	if kernel.Fit(gemm.PairsOf(q.depth)); !kernel.Pays(gemm.PairsOf(q.depth)) {
		return nil, nil
	}
	a, b := 0, 1
	if q.transposed {
		a, b = 1, 0
	}
	if p.Rounded == ir.F16 {
		if fit, err := q.fitF16(p, b); !fit || err != nil || !q.constantB(p, b) && !kernel.AddsF32() {
			return nil, err
		}
	}
	prepared := &ops.Prepared{Flops: q.flops(), Precision: p.Rounded}
	o := operands{
		kernel:  kernel.Lanes(),
		c:       func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },
		stop:    p.Stop,
		release: func() { prepared.Released = []int{b} },
	}
	rounded := *q
	sideA, sideB := rounded.group(gemm.PairsOf(q.depth))
	var s ops.Scratch
	var steps []ops.Step
	for i, side := range []struct {
		rounding
		input int
		set   *func(*ops.Run) []gemm.Lane
	}{{rounding{sideA, kernel}, a, &o.a}, {rounding{sideB, kernel}, b, &o.b}} {
		if i == 1 && q.constantB(p, b) {
			t := p.Inputs[b].Tensor
			o.constB = func() []gemm.Lane {
				pairs := make([]gemm.Pair, side.lines*rounded.depth)
				side.round(pairs, ir.Data[float32](t), 0, side.lines)
				return cast.Slice[gemm.Lane](pairs)
			}
			o.once = func(key string, bytes int64, make func() (any, error)) (any, error) {
				return p.Once(t, p.Rounded.String()+" "+key, bytes, func() (any, error) {
					release, err := p.Borrow(memory.Size[gemm.Pair](side.lines, rounded.depth))
					if err != nil {
						return nil, err
					}
					defer release()
					return make()
				})
			}
			continue
		}
		shape := p.InputShape(side.input)
		matrices := shape.Elements() / (side.lines * q.depth)
		pairs := ops.AreaOf[gemm.Pair](&s, matrices*side.lines, rounded.depth)
		*side.set = lanesOf(pairs)
		steps = append(steps, ops.Step{N: matrices * side.lines, Grain: ops.Grain(ops.ConvertCost * float64(q.depth)), Part: func(r *ops.Run, lo, hi int) error {
			side.round(pairs.In(r), ir.Data[float32](r.Inputs[side.input]), lo, hi)
			return nil
		}})
	}
	addStages(&o, p, q)
	more, algorithm, err := product(p, &rounded, o, &s)
	if err != nil {
		return nil, err
	}
	prepared.Kernel, prepared.ScratchBytes, prepared.Algorithm = ops.Steps(append(steps, more...)), s.Bytes(), algorithm
	return prepared, nil
}

// constantB reports whether b, the input with an index, is a single constant matrix.
func (q *problem) constantB(p *ops.Preparation, b int) bool {
	return p.Inputs[b].Tensor != nil && q.sameB()
}

// fitF16 reports whether f16 can hold b, if that is a constant matrix.
func (q *problem) fitF16(p *ops.Preparation, b int) (bool, error) {
	if !q.constantB(p, b) {
		return true, nil
	}
	t := p.Inputs[b].Tensor
	fit, err := p.Once(t, fmt.Sprint("fit f16 by ", q.depth, q.n, q.bCol, q.bRow), 1, func() (any, error) {
		return gemm.FitHalves(gemm.Matrix[float32]{Data: ir.Data[float32](t), RowStride: q.bCol, ColStride: q.bRow}, q.n, q.depth), nil
	})
	if err != nil {
		return false, err
	}
	return fit.(bool), nil
}

// rounding converts the matrices of an input to pairs of neighbours in the depth.
type rounding struct {
	side
	kernel *gemm.PairKernel
}

// round converts lines lo to hi-1, which are counted over all matrices.
func (g *rounding) round(dst []gemm.Pair, src []float32, lo, hi int) {
	pairs := g.groups
	for lo < hi {
		if g.along {
			g.kernel.PairElements(dst[lo*pairs:][:pairs], src[lo*g.depth:][:g.depth])
			lo++
			continue
		}
		matrix, line := lo/g.lines, lo%g.lines
		n := min(g.lines-line, hi-lo)
		from, to := src[matrix*g.depth*g.lines+line:], dst[matrix*pairs*g.lines+line:]
		for i := range pairs {
			first := from[2*i*g.lines:]
			var second []float32
			if 2*i+1 < g.depth {
				second = first[g.lines:]
			}
			g.kernel.PairRows(to[i*g.lines:][:n], first, second)
		}
		lo += n
	}
}
