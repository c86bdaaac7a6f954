package matmul

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func parseQuantized(a *ir.Attributes) (any, error) {
	return attributes{transposeB: a.Bool("transpose_b", false)}, a.Err()
}

// inferQuantized is infer with the types of QuantizedMatMul.
func inferQuantized(in *ops.Inference) error { return inferAs(in, ir.U8, ir.I8) }

// inferAs is infer for inputs of other types, whose product is f32.
func inferAs(in *ops.Inference, types ...ir.ElementType) error {
	same := *in
	same.Inputs = []ir.Fact{in.Inputs[0], in.Inputs[1]}
	for i, t := range types {
		if got := same.Inputs[i].Type; got != t && got != ir.Dynamic {
			return faults.Errorf("input %d is %v, expected %v", i, got, t)
		}
		same.Inputs[i].Type = ir.F32
	}
	return infer(&same)
}

// prepareQuantized returns the kernel of QuantizedMatMul. The threads share panels of columns of
// blocks of rows.
func prepareQuantized(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := newQuantized(p)
	if err != nil {
		return nil, err
	}
	if q.m == 0 || q.n == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, Released: []int{1}}, nil
	}
	q.finish = ops.Compose(q.foldBias(p.Stages))
	if q.b == nil {
		return q.words(p)
	}
	blocks := (q.m + q.rows - 1) / q.rows
	n, grain := blocks*q.b.Panels(), grainOf(q.rows*gemm.BytesColumns*q.depth/4)
	part := q.part
	return &ops.Prepared{
		Precision: ir.I8,
		Kernel:    func(r *ops.Run) error { return r.For(n, grain, part) },
		Released:  []int{1},
		Algorithm: "gemm of bytes",
		Flops:     2 * float64(q.m) * float64(q.n) * float64(q.depth),
	}, nil
}

// quantized is a QuantizedMatMul of an m by depth matrix and a depth by n matrix.
type quantized struct {
	m, n, depth   int
	b             *gemm.Bytes // nil if the products are those of words
	scale, offset []float32   // for all columns of the panels of b
	rows          int         // in a block of a
	finish        func(r *ops.Run, c []float32, at int)
}

// maxQuantizedRows limits the rows in a block, so that groupColumns results of each are in the
// second-level cache.
const maxQuantizedRows = 240

// newQuantized checks the inputs and packs b.
func newQuantized(p *ops.Preparation) (*quantized, error) {
	at := p.Attributes.(attributes)
	a := p.InputShape(0)
	t := p.Inputs[1].Tensor
	if len(a) == 0 || t == nil || t.ElementType() != ir.I8 || len(t.Shape()) != 2 {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v%v, expected a constant matrix of i8", a, p.Inputs[1].Type, p.Inputs[1].Shape)
	}
	q := &quantized{m: a[:len(a)-1].Elements(), depth: a[len(a)-1]}
	b := gemm.Matrix[int8]{Data: ir.Data[int8](t), RowStride: t.Shape()[1], ColStride: 1}
	depth, columns := t.Shape()[0], t.Shape()[1]
	if at.transposeB {
		depth, columns, b.RowStride, b.ColStride = columns, depth, 1, columns
	}
	q.n = columns
	if depth != q.depth || !gemm.IsBytes(depth) {
		return nil, faults.Errorf("input 0 is %v, input 1 is %v: expected rows and columns of the same multiple of 4", a, t.Shape())
	}
	if q.m == 0 || q.n == 0 {
		return q, nil
	}
	padded := q.n
	if !gemm.HasWords() {
		packed, err := p.Once(t, fmt.Sprint("bytes ", at.transposeB), int64(gemm.BytesLen(q.n, depth)), func() (any, error) {
			return gemm.PackBytes(p.Stop, b, q.n, depth), p.Stop.Err()
		})
		if err != nil {
			return nil, err
		}
		q.b = packed.(*gemm.Bytes)
		padded = q.b.Panels() * gemm.BytesColumns
	}
	if err := p.Reserve(memory.Size[[2]float32](padded)); err != nil {
		return nil, err
	}
	for i, x := range []*[]float32{&q.scale, &q.offset} {
		t := p.Inputs[i+2].Tensor
		if t == nil || t.ElementType() != ir.F32 || t.Len() != q.n {
			return nil, faults.Errorf("input %d is %v%v, expected %d constants of f32", i+2, p.Inputs[i+2].Type, p.Inputs[i+2].Shape, q.n)
		}
		*x = memory.Of[float32](padded)
		copy(*x, ir.Data[float32](t))
	}
	// Blocks have nearly the same number of rows. A block takes up to half of the second-level
	// cache.
	most := max(min(cpu.L2/2/depth, maxQuantizedRows), 1)
	blocks := (q.m + most - 1) / most
	q.rows = (q.m + blocks - 1) / blocks
	return q, nil
}

// foldBias adds a bias of the columns at the front of the stages to offset. It returns the other
// stages.
func (q *quantized) foldBias(stages []ops.Stage) []ops.Stage {
	if len(stages) == 0 || stages[0].Inner != 1 || len(stages[0].Bias) != q.n {
		return stages
	}
	for j, v := range stages[0].Bias {
		q.offset[j] += v
	}
	return stages[1:]
}

// part computes items lo to hi-1: panels of one block of rows after the other.
func (q *quantized) part(r *ops.Run, lo, hi int) error {
	a, c := ir.Data[uint8](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
	panels := q.b.Panels()
	for lo < hi && !r.Stop.Requested() {
		block, from := lo/panels, lo%panels
		to := min(from+hi-lo, from+groupColumns/gemm.BytesColumns, panels)
		q.multiply(r, a, c, block*q.rows, min((block+1)*q.rows, q.m), from, to)
		lo += to - from
	}
	return nil
}

// multiply computes rows mLo to mHi-1 of panels lo to hi-1, with the stages.
func (q *quantized) multiply(r *ops.Run, a []uint8, c []float32, mLo, mHi, lo, hi int) {
	q.b.Multiply(&gemm.BytesProduct{C: c[mLo*q.n:], LDC: q.n, A: a[mLo*q.depth:], Stride: q.depth, Rows: mHi - mLo, Scale: q.scale, Offset: q.offset}, lo, hi)
	if q.finish == nil {
		return
	}
	from, to := lo*gemm.BytesColumns, min(hi*gemm.BytesColumns, q.n)
	if from == 0 && to == q.n {
		q.finish(r, c[mLo*q.n:mHi*q.n], mLo*q.n)
		return
	}
	for m := mLo; m < mHi; m++ {
		q.finish(r, c[m*q.n+from:m*q.n+to], m*q.n+from)
	}
}
