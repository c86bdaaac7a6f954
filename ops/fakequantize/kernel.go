package fakequantize

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns a kernel that processes data in runs. Within a run, each limit is constant or
// advances by a fixed step.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	var shapes [limits + 1]ir.Shape
	for i := range shapes {
		if t := p.Inputs[i].Type; t != p.Outputs[0].Type {
			return nil, faults.Errorf("input %d is %v, data is %v", i, t, p.Outputs[0].Type)
		}
		shapes[i] = p.InputShape(i)
	}
	g, err := newGeometry(shapes[0], [limits]ir.Shape(shapes[1:]), at.Rule)
	if err != nil {
		return nil, err
	}
	switch p.Outputs[0].Type {
	case ir.F32:
		return &ops.Prepared{Kernel: kernel(g, quantizer[float32]{steps: g.last.steps, levels: float32(at.levels) - 1, magic: 3 << 22})}, nil
	case ir.F64:
		return &ops.Prepared{Kernel: kernel(g, quantizer[float64]{steps: g.last.steps, levels: float64(at.levels) - 1, magic: 3 << 51})}, nil
	default: // f16, bf16 and integers
		return convertedKernel(p, g, quantizer[float32]{steps: g.last.steps, levels: float32(at.levels) - 1, magic: 3 << 22})
	}
}

func kernel[T interface {
	cast.Float
	ir.Element
}](g *geometry, q quantizer[T]) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		var of [limits][]T
		for i := range of {
			of[i] = ir.Data[T](r.Inputs[i+1])
		}
		data, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		for lo < hi {
			piece := g.run(lo, hi)
			q.quantize(out[lo:lo+piece.n], data[lo:lo+piece.n], &of, &piece.at)
			lo += piece.n
		}
		return nil
	}
	return func(r *ops.Run) error { return r.For(g.elements, ops.Grain(elementCost), part) }
}

// elementCost is the cost of an element.
const elementCost = 2

// block is the number of elements that are converted at a time.
const block = 1 << 10

// convertedKernel returns the kernel of a type that is computed in float32. It converts the limits
// first, and then data block by block.
func convertedKernel(p *ops.Preparation, g *geometry, q quantizer[float32]) (*ops.Prepared, error) {
	c := widened.Find(widened.Rounded, p.Outputs[0].Type)
	if c == nil {
		return nil, faults.Errorf("elements of type %v have no kernel", p.Outputs[0].Type)
	}
	var s ops.Scratch
	var wide [limits]ops.Area[float32]
	for i := range wide {
		wide[i] = ops.AreaOf[float32](&s, p.InputShape(i+1).Elements())
	}
	workers := p.Workers(g.elements, elementCost)
	blocks := ops.AreasOf[float32](&s, workers, block)
	part := func(r *ops.Run, worker, lo, hi int) error {
		var of [limits][]float32
		for i := range of {
			of[i] = wide[i].In(r)
		}
		x := blocks.Of(r, worker)
		for lo < hi {
			piece := g.run(lo, min(hi, lo+block))
			c.Load(nil, cast.Memory(x[:piece.n]), r.Inputs[0], lo)
			q.quantize(x[:piece.n], x[:piece.n], &of, &piece.at)
			c.Store(nil, r.Outputs[0], lo, cast.Memory(x[:piece.n]))
			lo += piece.n
		}
		return nil
	}
	return &ops.Prepared{ScratchBytes: s.Bytes(), Kernel: func(r *ops.Run) error {
		for i := range wide {
			c.Load(r.Stop, cast.Memory(wide[i].In(r)), r.Inputs[i+1], 0)
		}
		return r.ForWorkers(g.elements, ops.Grain(elementCost), workers, part)
	}}, nil
}

// quantizer computes runs of data.
type quantizer[T cast.Float] struct {
	steps  [limits]int // 0 or 1
	levels T           // the number of levels minus 1
	magic  T           // a number whose ULP is 1: adding it rounds to a whole number, half to even
}

// quantize sets out to the quantised x. It must allow out and x to alias. Limit i for x[k] is
// of[i][at[i]+k*steps[i]].
func (q *quantizer[T]) quantize(out, x []T, of *[limits][]T, at *[limits]int) {
	if q.steps == [limits]int{} {
		level := levelOf(of[0][at[0]], of[1][at[1]], of[2][at[2]], of[3][at[3]])
		if level.vectorRow(out, x, q.levels) {
			return
		}
		out = out[:len(x)]
		for k, v := range x {
			out[k] = level.apply(v, q.levels, q.magic)
		}
		return
	}
	for k := vectorColumns(out, x, q.levels, of, at, &q.steps); k < len(x); k++ {
		level := levelOf(of[0][at[0]+k*q.steps[0]], of[1][at[1]+k*q.steps[1]], of[2][at[2]+k*q.steps[2]], of[3][at[3]+k*q.steps[3]])
		out[k] = level.apply(x[k], q.levels, q.magic)
	}
}

// level holds the limits for one element.
type level[T cast.Float] struct {
	least, greatest       T // min and max of input_low and input_high
	low, width            T // input_low, and input_high-input_low
	outLow, outHigh, span T // output_low, output_high, and output_high-output_low
}

func levelOf[T cast.Float](low, high, outLow, outHigh T) level[T] {
	return level[T]{min(low, high), max(low, high), low, high - low, outLow, outHigh, outHigh - outLow}
}

// apply computes the formula in the package comment. The conversions prevent the compiler from
// fusing multiplications and additions, which would skip a rounding.
func (l *level[T]) apply(x, levels, magic T) T {
	switch {
	case x <= l.least:
		return l.outLow
	case x > l.greatest:
		return l.outHigh
	}
	n := T((x - l.low) / l.width * levels)
	if n < magic/3 {
		n = T(n+magic) - magic
	} else {
		n = T(math.RoundToEven(float64(n)))
	}
	return T(n/levels*l.span) + l.outLow
}
