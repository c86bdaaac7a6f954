package matmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inferHalf is infer with the types of HalfMatMul.
func inferHalf(in *ops.Inference) error {
	same := *in
	same.Inputs = []ir.Fact{in.Inputs[0], in.Inputs[1]}
	b := &same.Inputs[1]
	if t := b.Type; t != ir.F16 && t != ir.BF16 && t != ir.Dynamic {
		return faults.Errorf("input 1 is %v, expected f16 or bf16", t)
	}
	if b.Shape.RankKnown() && b.Shape.Rank() != 2 {
		return faults.Errorf("input 1 is %v, expected a matrix", b.Shape)
	}
	if t := same.Inputs[0].Type; t != ir.F32 && t != ir.Dynamic {
		return faults.Errorf("input 0 is %v, expected f32", t)
	}
	same.Inputs[0].Type, b.Type = ir.F32, ir.F32
	return infer(&same)
}

// prepareHalf returns the kernel of HalfMatMul: that of MatMul, but weights keep their type when
// they are packed.
func prepareHalf(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := problemOf(p)
	switch {
	case err != nil:
		return nil, err
	case q == nil:
		return nothing(), nil
	}
	t := p.Inputs[1].Tensor
	if t == nil || q.transposed {
		return nil, faults.Errorf("input 1 is %v, expected a constant of two columns or more", p.Inputs[1].Shape)
	}
	prepared := &ops.Prepared{Flops: q.flops()}
	o := operands{
		kernel:  gemm.New().Lanes(),
		a:       func(r *ops.Run) []gemm.Lane { return cast.Slice[gemm.Lane](ir.Data[float32](r.Inputs[0])) },
		c:       func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },
		once:    onceFor(p, t),
		stop:    p.Stop,
		release: func() { prepared.Released = []int{1} },
		packHalves: func(k *gemm.LaneKernel) *gemm.Packed[gemm.Lane] {
			b := gemm.Matrix[uint16]{Data: cast.Bytes[uint16](t.Bytes()), RowStride: q.bRow, ColStride: q.bCol}
			return k.PackHalves(p.Stop, b, t.ElementType() == ir.BF16, q.n, q.depth)
		},
	}
	addStages(&o, p, q)
	var s ops.Scratch
	steps, algorithm, err := product(p, q, o, &s)
	if err != nil {
		return nil, err
	}
	prepared.Kernel, prepared.ScratchBytes = ops.Steps(steps), s.Bytes()
	prepared.Algorithm = algorithm + ", weights of " + t.ElementType().String()
	return prepared, nil
}
