package dynamicquantizelstm

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// prepare returns the kernel. It multiplies all rounded X by W, and then goes through the steps of
// each direction, in which it multiplies the rounded H by R. The products are those of integers,
// and exact.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	x, h := p.InputShape(xPort), p.InputShape(hiddenPort)
	k := &kernel{attributes: at, steps: x[0], batch: x[1], input: x[2], dirs: at.directions(), size: h[2]}
	if k.batch*k.size == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	if k.input == 0 {
		return nil, faults.Errorf("X has shape %v, expected rows of at least one element", x)
	}
	var err error
	if k.functions, err = at.activations.Rows(functions); err != nil {
		return nil, err
	}
	if err = k.takeWeights(p); err != nil {
		return nil, err
	}
	var s ops.Scratch
	rows, columns := k.steps*k.batch, k.columns()
	k.lengths = ops.AreaOf[int64](&s, k.batch)
	k.x, k.h = newRoundedRows(&s, k.w[0], 1, rows), newRoundedRows(&s, k.r[0], k.dirs, k.batch)
	k.factorsX, k.factorsH = newFactors(&s, k.w[0], k.dirs), newFactors(&s, k.r[0], k.dirs)
	k.gatesX, k.gates = ops.AreasOf[float32](&s, k.dirs, rows, columns), ops.AreasOf[float32](&s, k.dirs, k.batch, columns)
	k.state, k.cell = ops.AreasOf[float32](&s, k.dirs, k.batch, k.size), ops.AreasOf[float32](&s, k.dirs, k.batch, k.size)
	k.add, k.multiply = recurrence.Adder(), recurrence.Multiplier()
	k.multiplyX, k.step = k.multiplyXPart, k.stepPart
	k.shared = newSharedSteps(k, p, &s)
	return &ops.Prepared{
		Kernel:       k.run,
		ScratchBytes: s.Bytes(),
		Released:     constantPorts(),
		Precision:    ir.I8,
		Algorithm:    k.r[0].String(),
		Flops:        2 * float64(rows) * float64(k.dirs) * float64(columns) * float64(k.input+k.size+gates),
	}, nil
}

type kernel struct {
	*attributes
	steps, batch, input, dirs, size int // T, N, I, D and S
	functions                       []func([]float32)
	add, multiply                   func(out, a, b []float32)
	w, r                            []*matrix   // of each direction
	bias                            [][]float32 // of each direction
	lengths                         ops.Area[int64]
	x, h                            *roundedRows // h has those of each direction
	factorsX, factorsH              *factors
	gatesX                          ops.Area[float32] // of each direction: X·W of all steps
	gates, state, cell              ops.Area[float32] // of each direction: those of a step
	multiplyX, step                 ops.Part
	shared                          *sharedSteps // nil if each thread has directions of its own
}

// columns returns the number of values of all gates.
func (k *kernel) columns() int { return gates * k.size }

// takeWeights packs the weights and adds the biases.
func (k *kernel) takeWeights(p *ops.Preparation) error {
	for d := range k.dirs {
		w, err := newMatrix(p, weightsPort, d)
		if err != nil {
			return err
		}
		r, err := newMatrix(p, recurrentPort, d)
		if err != nil {
			return err
		}
		k.w, k.r = append(k.w, w), append(k.r, r)
		bias, err := k.biasOf(p, d)
		if err != nil {
			return err
		}
		k.bias = append(k.bias, bias)
	}
	return nil
}

// biasOf returns the sum of the two biases of a direction.
func (k *kernel) biasOf(p *ops.Preparation, d int) ([]float32, error) {
	b, columns := p.Inputs[biasPort].Tensor, k.columns()
	bias, err := p.Once(b, fmt.Sprint("bias ", k.dirs, " ", d), memory.Size[float32](columns), func() (any, error) {
		both := ir.Data[float32](b)[2*d*columns:]
		sum := memory.Of[float32](columns)
		for i := range sum {
			sum[i] = both[i] + both[columns+i]
		}
		return sum, nil
	})
	if err != nil {
		return nil, err
	}
	return bias.([]float32), nil
}

func (k *kernel) run(r *ops.Run) error {
	lengths := k.lengths.In(r)
	gatherscatter.Widen(r.Stop, lengths, r.Inputs[lengthsPort])
	if err := r.Stop.Err(); err != nil {
		return err
	}
	for i, n := range lengths {
		if n < 0 || n > int64(k.steps) {
			return faults.Errorf("lengths[%d] is %d, X has %d steps", i, n, k.steps)
		}
	}
	rows := k.longest(r) * k.batch
	k.x.round(r, 0, ir.Data[float32](r.Inputs[xPort])[:rows*k.input])
	for d := range k.dirs {
		k.factorsX.set(r, d, k.w[d], k.x.of(r, 0).numbers)
	}
	if err := r.Stop.Err(); err != nil {
		return err
	}
	if err := r.For(k.dirs*k.w[0].blocks(), ops.Grain(blockCost(rows, k.input)), k.multiplyX); err != nil {
		return err
	}
	if k.shared != nil {
		return k.shared.run(r)
	}
	return r.For(k.dirs, 1, k.step)
}

// longest returns the number of steps of the longest sequence.
func (k *kernel) longest(r *ops.Run) int {
	most := int64(0)
	for _, n := range k.lengths.In(r) {
		most = max(most, n)
	}
	return int(most)
}

// multiplyXPart computes blocks lo to hi-1 of the columns of all X·W.
func (k *kernel) multiplyXPart(r *ops.Run, lo, hi int) error {
	rows, blocks := k.longest(r)*k.batch, k.w[0].blocks()
	for lo < hi {
		d := lo / blocks
		end := min((d+1)*blocks, hi)
		k.w[d].multiply(r, k.gatesX.Of(r, d), k.x.of(r, 0), k.factorsX.of(r, d), rows, lo-d*blocks, end-d*blocks)
		lo = end
	}
	return r.Stop.Err()
}

// stepPart goes through the steps of directions lo to hi-1.
func (k *kernel) stepPart(r *ops.Run, lo, hi int) error {
	for d := lo; d < hi; d++ {
		w := k.bind(r, d)
		w.begin()
		for step := range k.longest(r) {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			w.multiply(0, k.r[d].blocks())
			w.update(step)
		}
	}
	return nil
}
