package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns the kernel for the type and the shapes. Vector-matrix products need no packing.
// Other products are packed, and split among the threads by product, row, column or tile.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := problemOf(p)
	switch {
	case err != nil:
		return nil, err
	case q == nil:
		return nothing(), nil
	}
	switch p.Outputs[0].Type {
	case ir.F32:
		if prepared, err := pairsKernel(p, q); prepared != nil || err != nil {
			return prepared, err
		}
		return floatKernel(p, q)
	case ir.F64:
		return plainKernel[float64](p, q), nil
	case ir.F16, ir.BF16:
		return wideKernel(p, q, widened.Find(widened.Halves, p.Outputs[0].Type))
	// Sums and products that wrap have the same bits for signed and unsigned integers.
	case ir.I32, ir.U32:
		return plainKernel[uint32](p, q), nil
	default: // i64 and u64
		return plainKernel[uint64](p, q), nil
	}
}

// problemOf returns the problem of a layer; nil if its output is empty.
func problemOf(p *ops.Preparation) (*problem, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if size, err := ir.ByteSize(p.Outputs[0].Type, shape); err != nil || size == 0 {
		return nil, err
	}
	return newProblem(p)
}

// nothing returns the kernel of an empty output.
func nothing() *ops.Prepared { return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }} }

// operands gives a kernel access to the elements of its inputs, of type E, to those of its output,
// of type C, and to its stages.
type operands struct {
	a, b func(*ops.Run) []gemm.Lane
	c    func(*ops.Run) []float32
	// constB returns the elements of b if they are constant; it is nil otherwise. once keeps what
	// is computed from them for other shapes of a and for other layers. release reports that the
	// kernel does not read b any more.
	constB  func() []gemm.Lane
	once    func(key string, bytes int64, make func() (any, error)) (any, error)
	release func()
	// packHalves, if not nil, packs b, which is a constant of f16 or bf16, in the place of constB.
	packHalves func(k *gemm.LaneKernel) *gemm.Packed[gemm.Lane]
	stop       parallel.Stop // of Prepare
	kernel     *gemm.LaneKernel
	// scales are those of the rows of quads; nil for other elements. sums, if it is not nil,
	// returns what is added to the rows of a batch then.
	scales []float32
	sums   func(r *ops.Run, batch int) []float32
	// steps and finish apply the stages; both can be nil. The multiplication applies steps to each
	// tile. finish is called with pieces of c after that.
	steps  []gemm.Step
	finish func(r *ops.Run, c []float32, at int)
}

// floatKernel returns the kernel of float32.
func floatKernel(p *ops.Preparation, q *problem) (*ops.Prepared, error) {
	a, b := 0, 1
	if q.transposed {
		a, b = 1, 0
	}
	prepared := &ops.Prepared{Flops: q.flops()}
	o := operands{
		kernel: gemm.New().Lanes(),
		a:      func(r *ops.Run) []gemm.Lane { return cast.Slice[gemm.Lane](ir.Data[float32](r.Inputs[a])) },
		b:      func(r *ops.Run) []gemm.Lane { return cast.Slice[gemm.Lane](ir.Data[float32](r.Inputs[b])) },
		c:      func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },

		stop:    p.Stop,
		release: func() { prepared.Released = []int{b} },
	}
	if t := p.Inputs[b].Tensor; t != nil {
		o.constB = func() []gemm.Lane { return cast.Slice[gemm.Lane](ir.Data[float32](t)) }
		o.once = onceFor(p, t)
	}
	addStages(&o, p, q)
	s := ops.Scratch{}
	steps, algorithm, err := product(p, q, o, &s)
	if err != nil {
		return nil, err
	}
	prepared.Kernel, prepared.ScratchBytes, prepared.Algorithm = ops.Steps(steps), s.Bytes(), algorithm
	return prepared, nil
}

// onceFor returns Once of p for a constant.
func onceFor(p *ops.Preparation, constant *ir.Tensor) func(key string, bytes int64, make func() (any, error)) (any, error) {
	return func(key string, bytes int64, make func() (any, error)) (any, error) {
		return p.Once(constant, key, bytes, make)
	}
}

// addStages makes steps of a bias of the columns and a clamp at the front of the stages, and finish
// of the other stages.
func addStages(o *operands, p *ops.Preparation, q *problem) {
	rest := p.Stages
	if (q.m > 1 || o.packHalves != nil) && q.depth > 0 {
		if len(rest) > 0 && rest[0].Inner == 1 && len(rest[0].Bias) == q.n {
			o.steps = append(o.steps, gemm.Step{Op: gemm.AddColumns, Values: rest[0].Bias})
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].Clamp {
			o.steps = append(o.steps, gemm.Step{Op: gemm.Clamp, Lo: rest[0].Lo, Hi: rest[0].Hi})
			rest = rest[1:]
		}
	}
	o.finish = ops.Compose(rest)
}

// grainOf returns the number of items in a part if each item is `work` multiplications.
func grainOf(work int) int { return ops.Grain(ops.MultiplyCost * float64(work)) }
