package matmul

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// words returns the kernel of words. The first step widens a. The results are integers that the
// first stage scales.
func (q *quantized) words(p *ops.Preparation) (*ops.Prepared, error) {
	depth := q.depth / 2
	t, at := p.Inputs[1].Tensor, p.Attributes.(attributes)
	problem := &problem{m: q.m, n: q.n, depth: depth, batches: 1, aRow: depth, aCol: 1, bRow: q.n, bCol: 1}
	if at.transposeB {
		problem.bRow, problem.bCol = 1, depth
	}
	var s ops.Scratch
	wide := ops.AreaOf[gemm.Word](&s, q.m, depth)
	prepared := &ops.Prepared{Precision: ir.I8, Flops: 2 * float64(q.m) * float64(q.n) * float64(q.depth)}
	finish := q.finish
	e := newEngine(problem, operands{
		kernel: gemm.NewWords().Lanes(),
		stop:   p.Stop,
		a:      lanesOf(wide),
		c:      func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },
		constB: func() []gemm.Lane {
			return cast.Slice[gemm.Lane](wideWeights(ir.Data[int8](t), q.n, q.depth, at.transposeB))
		},
		once: func(key string, bytes int64, make func() (any, error)) (any, error) {
			return p.Once(t, "words "+key, bytes, func() (any, error) {
				release, err := p.Borrow(memory.Size[gemm.Word](q.n, depth))
				if err != nil {
					return nil, err
				}
				defer release()
				return make()
			})
		},
		release: func() { prepared.Released = []int{1} },
		finish: func(r *ops.Run, c []float32, at int) {
			for left := c; len(left) > 0; {
				j := (at + len(c) - len(left)) % q.n
				n := min(q.n-j, len(left))
				pack.ScaleSums(cast.Slice[gemm.Sum](left[:n]), q.scale[j:][:n], q.offset[j:][:n])
				left = left[n:]
			}
			if finish != nil {
				finish(r, c, at)
			}
		},
	})
	if err := e.packConstant(); err != nil {
		return nil, err
	}
	steps := e.plan(max(p.Threads, 1), &s)
	widen := ops.Step{N: q.m, Grain: ops.Grain(ops.ConvertCost * float64(q.depth)), Part: func(r *ops.Run, lo, hi int) error {
		pack.WidenBytes(wide.In(r)[lo*depth:hi*depth], ir.Data[uint8](r.Inputs[0])[lo*q.depth:hi*q.depth], 0)
		return nil
	}}
	prepared.Kernel, prepared.ScratchBytes = ops.Steps(append([]ops.Step{widen}, steps...)), s.Bytes()
	prepared.Algorithm = fmt.Sprint("gemm ", e.kernel)
	return prepared, nil
}

// wideWeights returns the words of a matrix with n columns: [depth, n], or its transpose.
func wideWeights(weights []int8, n, depth int, transposed bool) []gemm.Word {
	wide := make([]gemm.Word, n*depth/2)
	if transposed {
		for i := range wide {
			wide[i] = pack.WordOf(int16(weights[2*i]), int16(weights[2*i+1]))
		}
		return wide
	}
	for i := range wide {
		at := i/n*2*n + i%n
		wide[i] = pack.WordOf(int16(weights[at]), int16(weights[at+n]))
	}
	return wide
}
