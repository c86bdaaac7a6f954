package matmul

import (
	"encoding/binary"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// inferProduct is infer with the types of QuantizedProduct.
func inferProduct(in *ops.Inference) error { return inferAs(in, ir.U8, ir.U8) }

// minShift is the largest part of a level by which zero may differ from a whole number without
// being corrected: the rounding of the limits.
const minShift = 1e-4

// levelInput is an input of QuantizedProduct.
type levelInput struct {
	side
	input  int
	zero   float64           // the level of zero
	less   uint8             // is subtracted from the levels before they are multiplied
	sums   ops.Area[float32] // of the lines; empty if they are not needed
	factor float64           // of the sums
	add    float64           // to the sums
}

// levelProduct is a QuantizedProduct whose output is not empty.
type levelProduct struct {
	*problem
	a, b  levelInput
	scale float64
}

// prepareProduct returns the kernel of QuantizedProduct.
func prepareProduct(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := newProduct(p)
	switch {
	case err != nil:
		return nil, err
	case q == nil:
		return nothing(), nil
	case gemm.LevelsPay(q.m, q.n, q.depth):
		return q.integers(p)
	}
	return q.floats(p)
}

// newProduct checks the inputs. It returns nil if the output is empty.
func newProduct(p *ops.Preparation) (*levelProduct, error) {
	var numbers [3]float64
	for i := range numbers {
		t := p.Inputs[i+2].Tensor
		if t == nil || t.ElementType() != ir.F32 || t.Len() != 1 {
			return nil, faults.Errorf("input %d is %v%v, expected a constant of f32 with one element", i+2, p.Inputs[i+2].Type, p.Inputs[i+2].Shape)
		}
		numbers[i] = float64(ir.Data[float32](t)[0])
		if i > 0 && !(math.Abs(numbers[i]) <= gemm.MaxLevelZero) {
			return nil, faults.Errorf("input %d is %v, expected a level of zero from -%d to %d", i+2, numbers[i], gemm.MaxLevelZero, gemm.MaxLevelZero)
		}
	}
	q, err := problemOf(p)
	if q == nil || err != nil {
		return nil, err
	}
	a, b := levelInput{input: 0, zero: numbers[1]}, levelInput{input: 1, zero: numbers[2]}
	if q.transposed {
		a, b = b, a
	}
	a.side, b.side = q.sides()
	return &levelProduct{q, a, b, numbers[0]}, nil
}

// integers returns the kernel that converts the inputs to quads. With numbers n and m, levels less
// some byte, whose zeros are -x and -y,
//
//	sum of (n+x)*(m+y) = sum of n*m + y*(sum of n) + x*(sum of m) + depth*x*y
//
// The last three terms are added to the rows and the columns of the product, if x or y is not 0.
func (q *levelProduct) integers(p *ops.Preparation) (*ops.Prepared, error) {
	grouped, a, b := *q.problem, q.a, q.b
	a.side, b.side = grouped.group(gemm.QuadsOf(q.depth))
	a.less, b.less = 128, gemm.QuadZero()
	if gemm.QuadSize() == 2 {
		a.less, b.less = nearestLevel(a.zero), nearestLevel(b.zero)
	}
	shiftA, shiftB := float64(a.less)-a.zero, float64(b.less)-b.zero
	a.factor, b.factor = q.scale*shiftB, q.scale*shiftA
	b.add = q.scale * shiftA * shiftB * float64(q.depth)
	if err := p.Reserve(memory.Size[float32](q.m)); err != nil {
		return nil, err
	}
	factors := memory.Of[float32](q.m)
	for i := range factors {
		factors[i] = float32(q.scale)
	}
	o := operands{
		kernel: gemm.NewQuads().Lanes(),
		scales: factors,
		c:      func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },
		stop:   p.Stop,
		finish: ops.Compose(p.Stages),
	}
	var s ops.Scratch
	var steps []ops.Step
	for _, l := range []struct {
		*levelInput
		summed bool
		set    *func(*ops.Run) []gemm.Lane
	}{{&a, math.Abs(shiftB) > minShift, &o.a}, {&b, math.Abs(shiftA) > minShift, &o.b}} {
		convert := step(l.levelInput, p, &s, l.set, l.setQuads)
		if l.summed {
			l.sums = ops.AreaOf[float32](&s, convert.N, 1)
			sum := convert
			sum.Part = func(r *ops.Run, lo, hi int) error {
				l.sum(l.sums.In(r), ir.Data[uint8](r.Inputs[l.input]), lo, hi)
				return nil
			}
			steps = append(steps, sum)
		}
		steps = append(steps, convert)
	}
	if a.sums.Len() > 0 {
		o.sums = func(r *ops.Run, batch int) []float32 {
			from, _ := grouped.offsets(batch)
			return a.sums.In(r)[from/a.groups:][:q.m]
		}
	}
	if b.sums.Len() > 0 {
		finish, loops := o.finish, normalize.LoopsOf[float32]()
		o.finish = func(r *ops.Run, c []float32, at int) {
			for left := c; len(left) > 0; {
				at := at + len(c) - len(left)
				n := min(q.n-at%q.n, len(left))
				_, from := grouped.offsets(at / (q.m * q.n))
				loops.Add(left[:n], left[:n], b.sums.In(r)[from/b.groups+at%q.n:][:n])
				left = left[n:]
			}
			if finish != nil {
				finish(r, c, at)
			}
		}
	}
	more, algorithm, err := product(p, &grouped, o, &s)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{
		Kernel: ops.Steps(append(steps, more...)), ScratchBytes: s.Bytes(), Precision: ir.I8, Algorithm: algorithm, Flops: q.flops(),
	}, nil
}

// floats returns the kernel that converts the inputs to float32.
func (q *levelProduct) floats(p *ops.Preparation) (*ops.Prepared, error) {
	stages := ops.Compose(p.Stages)
	o := operands{
		kernel: gemm.New().Lanes(),
		c:      func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) },
		stop:   p.Stop,
		finish: func(r *ops.Run, c []float32, at int) {
			normalize.Affine(nil, c, c, 0, float32(q.scale), 0)
			if stages != nil {
				stages(r, c, at)
			}
		},
	}
	var s ops.Scratch
	first := step(&q.a, p, &s, &o.a, q.a.setFloats)
	second := step(&q.b, p, &s, &o.b, q.b.setFloats)
	steps, algorithm, err := product(p, q.problem, o, &s)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: ops.Steps(append([]ops.Step{first, second}, steps...)), ScratchBytes: s.Bytes(), Algorithm: algorithm, Flops: q.flops()}, nil
}

// nearestLevel returns the u8 that is nearest to the level of zero.
func nearestLevel(zero float64) uint8 { return uint8(min(max(math.RoundToEven(zero), 0), 255)) }

// step returns the step that converts all lines by set, and sets operand to what returns them. set
// gets the lines of all matrices, and converts lines lo to hi-1.
func step[E ~float32](l *levelInput, p *ops.Preparation, s *ops.Scratch, operand *func(*ops.Run) []gemm.Lane, set func(dst []E, src []uint8, lo, hi int)) ops.Step {
	shape := p.InputShape(l.input)
	n := shape.Elements() / max(l.depth, 1)
	converted := ops.AreaOf[E](s, n, l.groups)
	*operand = lanesOf(converted)
	return ops.Step{N: n, Grain: ops.Grain(ops.ConvertCost * float64(l.depth)), Part: func(r *ops.Run, lo, hi int) error {
		set(converted.In(r), ir.Data[uint8](r.Inputs[l.input]), lo, hi)
		return nil
	}}
}

// setFloats converts to levels less that of zero.
func (l *levelInput) setFloats(dst []float32, src []uint8, lo, hi int) {
	lo, hi = lo*l.depth, hi*l.depth
	levels.Values(dst[lo:hi], src[lo:hi], float32(-l.zero), 1)
}

// setQuads converts to quads of levels less l.less.
func (l *levelInput) setQuads(dst []gemm.Quad, src []uint8, lo, hi int) {
	if l.along {
		pack.SetQuads(dst[lo*l.groups:hi*l.groups], src[lo*l.depth:hi*l.depth], l.depth, l.less)
		return
	}
	for lo < hi {
		matrix, line := lo/l.lines, lo%l.lines
		n := min(l.lines-line, hi-lo)
		pack.SetQuadColumns(dst[matrix*l.groups*l.lines+line:], l.lines, src[matrix*l.depth*l.lines+line:], l.lines, n, l.depth, l.less)
		lo += n
	}
}

// sum sets the sums of lines lo to hi-1.
func (l *levelInput) sum(sums []float32, src []uint8, lo, hi int) {
	for line := lo; line < hi; line++ {
		if l.along {
			sums[line] = float32(sumBytes(src[line*l.depth:][:l.depth]))
		}
	}
	for line := lo; line < hi && !l.along; {
		matrix, column := line/l.lines, line%l.lines
		to := sums[line:][:min(l.lines-column, hi-line)]
		clear(to)
		for p := range l.depth {
			row := src[(matrix*l.depth+p)*l.lines+column:][:len(to)]
			for j, v := range row {
				to[j] += float32(v) // exact
			}
		}
		line += len(to)
	}
	for i, v := range sums[lo:hi] {
		sums[lo+i] = float32(l.factor*(float64(v)-float64(int(l.less)*l.depth)) + l.add)
	}
}

// sumBytes returns the sum of all bytes.
func sumBytes(src []uint8) int {
	total := 0
	for len(src) >= 8 {
		const even = 0x00ff00ff00ff00ff
		lanes, n := uint64(0), min(len(src)&^7, 1024) // 128 times two bytes fit 16 bits
		for i := 0; i < n; i += 8 {
			v := binary.LittleEndian.Uint64(src[i:])
			lanes += v&even + v>>8&even
		}
		for ; lanes > 0; lanes >>= 16 {
			total += int(lanes & 0xffff)
		}
		src = src[n:]
	}
	for _, v := range src {
		total += int(v)
	}
	return total
}
